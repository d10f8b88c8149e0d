// The part of units that the map goes to by itself: a country without its far islands, which would make it a speck.
// Used by state/travel.js and map.js.
import { inOnePiece } from './antimeridian.js';
import { boxOfPositions, exteriorRings, unionOf, widthOf } from './box.js';
import { boxOf, isAreal, isWide } from './unit-box.js';

/**
 * @typedef {import('./box.js').Box} Box
 * @typedef {import('./unit-box.js').Shape} Shape
 *
 * A polygon.
 * @typedef {object} Part
 * @property {Box} box
 * @property {[number, number]} x from west to east, in degrees of a common turn
 * @property {[number, number]} y from south to north on the map, in degrees of longitude
 * @property {number} area of equal measure everywhere
 * @property {number} units 1 for the largest polygon of a unit, otherwise 0
 */

const TURN = 360;
const RADIAN = Math.PI / 180;
const LATITUDE_MAX = 85;
/** What is left out has at most this share of the area. */
const AREA_SHARE_MAX = 0.25;
/** What is left out has fewer than this share of the units. */
const UNITS_SHARE_MAX = 0.5;
/**
 * It is worth leaving out if the factor by which the rest is smaller, and the gap between, as a share of the rest, come
 * to this: an island that is near stays, unless the rest can be shown twice as large.
 */
const WORTH_MIN = 2;
/** Islets, with at most this share of the area, are left out for less, as that of Chile which is half an ocean away. */
const ISLETS_SHARE_MAX = 0.01;
const ISLETS_WORTH_MIN = 1.8;

/**
 * The box round most units: without those, and those polygons, that lie far beyond a gap.
 * @param {readonly Shape[]} units
 * @returns {Box | undefined} undefined where there is no geometry
 */
export function mainBox(units) {
  const parts = units.flatMap(partsOf);
  const [west = 0] = unionOf(parts.map(({ box }) => box)) ?? [];
  for (const part of parts) {
    const start = (((part.box[0] - west) % TURN) + TURN) % TURN;
    part.x = [start, start + widthOf(part.box[0], part.box[2])];
  }
  const limits = { area: AREA_SHARE_MAX * sum(parts, 'area'), units: UNITS_SHARE_MAX * sum(parts, 'units') };
  let kept = parts;
  for (let fewer = without(kept, parts, limits); fewer !== undefined; fewer = without(kept, parts, limits))
    kept = fewer;
  return unionOf(kept.map(({ box }) => box));
}

/**
 * The parts on one side of a gap, where this makes them much larger on the map.
 * @param {readonly Part[]} kept
 * @param {readonly Part[]} all
 * @param {{ area: number, units: number }} limits of what is left out of all
 * @returns {Part[] | undefined}
 */
function without(kept, all, limits) {
  const size = sizeOf(kept);
  const sides = [...sidesOf(kept, 'x'), ...sidesOf(kept, 'y')].filter(
    ({ parts }) =>
      sum(all, 'area') - sum(parts, 'area') <= limits.area && sum(all, 'units') - sum(parts, 'units') < limits.units,
  );
  const area = sum(kept, 'area');
  const worths = sides.map(({ parts, gap }) => {
    const isOfIslets = area - sum(parts, 'area') <= ISLETS_SHARE_MAX * area;
    return { parts, worth: (size + gap) / sizeOf(parts) / (isOfIslets ? ISLETS_WORTH_MIN : WORTH_MIN) };
  });
  const [best] = worths.sort((a, b) => b.worth - a.worth);
  return best !== undefined && best.worth >= 1 ? best.parts : undefined;
}

/**
 * What lies on either side of each gap, and how wide it is.
 * @param {readonly Part[]} parts
 * @param {'x' | 'y'} axis
 */
function sidesOf(parts, axis) {
  const sorted = [...parts].sort((a, b) => a[axis][0] - b[axis][0]);
  /** @type {{ parts: Part[], gap: number }[]} */
  const sides = [];
  let reach = sorted[0]?.[axis][1] ?? 0;
  for (const [i, part] of sorted.entries()) {
    const [from, to] = part[axis];
    const gap = from - reach;
    if (gap > 0) sides.push({ parts: sorted.slice(0, i), gap }, { parts: sorted.slice(i), gap });
    reach = Math.max(reach, to);
  }
  return sides;
}

/**
 * Degrees of longitude across both sides: a long country is no smaller for an island beside it.
 * @param {readonly Part[]} parts
 */
function sizeOf(parts) {
  return extent(parts, 'x') + extent(parts, 'y');
}

/**
 * @param {readonly Part[]} parts
 * @param {'x' | 'y'} axis
 */
function extent(parts, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (const part of parts) {
    low = Math.min(low, part[axis][0]);
    high = Math.max(high, part[axis][1]);
  }
  return high - low;
}

/**
 * @param {readonly Part[]} parts
 * @param {'area' | 'units'} what
 */
function sum(parts, what) {
  return parts.reduce((total, part) => total + part[what], 0);
}

/**
 * @param {Shape} unit
 * @returns {Part[]}
 */
function partsOf(unit) {
  const { geometry } = unit;
  if (!isAreal(geometry)) {
    const box = boxOf(unit);
    return box === undefined ? [] : [partOf(box, 0, 1)];
  }
  const whole = isWide(unit) ? inOnePiece(geometry).geometry : geometry;
  const parts = exteriorRings(whole).map((ring) => partOf(boxOfPositions(ring), areaOf(ring), 0));
  const largest = parts.reduce((/** @type {Part | undefined} */ most, part) => {
    return most !== undefined && most.area >= part.area ? most : part;
  }, undefined);
  if (largest !== undefined) largest.units = 1;
  return parts;
}

/**
 * @param {Box} box
 * @param {number} area
 * @param {number} units
 * @returns {Part}
 */
function partOf(box, area, units) {
  return { box, x: [box[0], box[2]], y: [mercator(box[1]), mercator(box[3])], area, units };
}

/** @param {readonly import('geojson').Position[]} ring */
function areaOf(ring) {
  let area = 0;
  let [before = 0, beforeY = 0] = ring.at(-1) ?? [];
  for (const [x = 0, y = 0] of ring) {
    area += (x - before) * (Math.sin(y * RADIAN) + Math.sin(beforeY * RADIAN));
    [before, beforeY] = [x, y];
  }
  return Math.abs(area) / 2;
}

/** @param {number} latitude */
function mercator(latitude) {
  const radians = Math.min(Math.max(latitude, -LATITUDE_MAX), LATITUDE_MAX) * RADIAN;
  return Math.log(Math.tan(Math.PI / 4 + radians / 2)) / RADIAN;
}
