// What the map draws of a unit: its area, its outline where that is not the area's, and its name.
import { inOnePiece } from './geometry/antimeridian.js';
import { boxOfGeometry } from './geometry/box.js';
import { labelPlace, labelZoom } from './geometry/labels.js';
import { boxOf, isAreal, isWide } from './geometry/unit-box.js';

/**
 * @typedef {import('geojson').Feature} Feature
 * @typedef {{ level: number, fid: number, gid: string | null, name: string | null, colour: number }} UnitFacts
 *
 * @typedef {object} Drawn
 * @property {string} key of level and fid
 * @property {import('./geometry/box.js').Box} box
 * @property {Feature[]} shapes the area, and the outline of a unit that is cut at the antimeridian
 * @property {Feature | undefined} label
 */

/**
 * The key of a unit on the map.
 * @param {{ level: number, fid: number }} unit
 */
export function keyOf({ level, fid }) {
  return `${level}/${fid}`;
}

/**
 * @param {import('./geometry/unit-box.js').Shape} unit
 * @param {UnitFacts} facts
 * @param {[number, number]} [point] where its name is written; otherwise a place that is found here
 * @returns {Drawn | undefined} undefined without an area
 */
export function drawnOf(unit, facts, point) {
  const { geometry } = unit;
  if (!isAreal(geometry)) return undefined;
  const whole = isWide(unit) ? inOnePiece(geometry) : undefined;
  const shape = whole?.geometry ?? geometry;
  const box = whole === undefined ? boxOf(unit) : boxOfGeometry(shape);
  if (box === undefined) return undefined;
  const key = keyOf(facts);
  const { level, fid, gid, name, colour } = facts;
  const place = labelPlace(shape, point);
  const from = labelZoom(name ?? gid ?? '', place?.width ?? 0);
  const properties = { key, level, fid, gid, name, colour, from };
  /** @type {Feature[]} */
  const shapes = [{ type: 'Feature', properties: { ...properties, cut: whole !== undefined }, geometry: shape }];
  if (whole !== undefined)
    shapes.push({ type: 'Feature', properties: { ...properties, key: `${key}/outline` }, geometry: whole.outline });
  return { key, box, shapes, label: labelOf(place, properties) };
}

/** An outline has its full weight where what it goes round is this thick. */
const THICK_PIXELS = 10;
const TILE_PIXELS = 512;
const TURN = 360;

/**
 * The outline of a unit, part by part, each with the zoom `from` which it has its full weight: thousands of islands
 * would be hidden by theirs.
 * @param {Drawn} drawn
 * @returns {Feature[]}
 */
export function outlinesOf({ shapes }) {
  const { geometry } = shapes.at(-1) ?? {};
  if (geometry?.type === 'MultiLineString') return geometry.coordinates.map(outlineOf);
  if (geometry?.type === 'MultiPolygon') return geometry.coordinates.flat().map(outlineOf);
  return geometry?.type === 'Polygon' ? geometry.coordinates.map(outlineOf) : [];
}

/**
 * @param {import('geojson').Position[]} coordinates
 * @returns {Feature}
 */
function outlineOf(coordinates) {
  let [length, area] = [0, 0];
  let [before = 0, beforeY = 0] = coordinates[0] ?? [];
  for (const [x = 0, y = 0] of coordinates) {
    length += Math.hypot(x - before, y - beforeY);
    area += ((x - before) * (y + beforeY)) / 2;
    [before, beforeY] = [x, y];
  }
  // In degrees: that of a square is half its side.
  const thickness = (2 * Math.abs(area)) / Math.max(length, Number.MIN_VALUE);
  const from = Math.log2((THICK_PIXELS * TURN) / (TILE_PIXELS * Math.max(thickness, Number.MIN_VALUE)));
  return { type: 'Feature', properties: { from }, geometry: { type: 'LineString', coordinates } };
}

/**
 * @param {import('./geometry/labels.js').Place | undefined} place
 * @param {{ key: string, name: string | null, gid: string | null, from: number }} properties
 * @returns {Feature | undefined}
 */
function labelOf(place, { key, name, gid, from }) {
  if (place === undefined || name === null || name === '') return undefined;
  return {
    type: 'Feature',
    properties: { key, name, gid, from, width: place.width },
    geometry: { type: 'Point', coordinates: place.point },
  };
}
