// The box that a map goes to by itself when it shows a unit: a country without its far islands, which would make it a
// speck. The column `view` of names: found while borders/write-borders.ts reads the rings.
import { INDEX_SCALE } from '../../format/boxes.ts';
import { elementAt } from '../../format/element-at.ts';
import { VIEW_SCALE } from '../../format/names.ts';
import { type Box, boxOf, outward } from './bbox.ts';
import type { RingSink } from './coordinates.ts';
import { type Coordinates, unrolled } from './coordinates.ts';
import { boxOnMap } from './ring-parts.ts';

/** What is left out has at most this share of the area. */
const AREA_SHARE_MAX = 0.25;
/**
 * It is worth leaving out if the factor by which the rest is smaller, and the gap between, as a share of the rest, come
 * to this: an island that is near stays, unless the rest can be shown twice as large.
 */
const WORTH_MIN = 2;
/**
 * Islets, with at most this share of the area, are left out for less, as those of Chile that are half an ocean away.
 */
const ISLETS_SHARE_MAX = 0.01;
const ISLETS_WORTH_MIN = 1.8;

const RADIANS = Math.PI / 180;
/** The latitude in degrees at which a map in Web Mercator ends. */
const LATITUDE_MAX = 85;

/** A polygon of a unit, on the map: scaled degrees of longitude in both directions. */
interface Part {
  /** In scaled degrees, longitudes from -180 to 180. */
  box: Box;
  /** From west to east, from a meridian that no part lies across if there is one. */
  x: Span;
  /** From south to north. */
  y: Span;
  /** Of equal measure everywhere. */
  area: number;
}

type Span = readonly [from: number, to: number];

/** Collects the exterior rings of one unit after the other. */
export class MainPart implements RingSink {
  readonly #scale: number;
  #parts: Part[] = [];

  /** @param precision decimals of the coordinates */
  constructor(precision: number) {
    this.#scale = 10 ** precision;
  }

  /** Adds a ring, closed, in scaled degrees. */
  ring(positions: Coordinates, isHole: boolean): void {
    if (isHole) return;
    const scale = this.#scale;
    const ring = positions.jumps(scale) ? unrolled(positions, 360 * scale) : positions;
    const box = boxOnMap(boxOf(ring), scale);
    const y: Span = [scale * mercator(box[1] / scale), scale * mercator(box[3] / scale)];
    this.#parts.push({ box, x: [0, 0], y, area: areaOf(ring, scale) });
  }

  /**
   * The view of the unit, in hundredths of a degree, rounded outward: without the polygons that lie far beyond a gap.
   * The next ring is of the next unit.
   * @param box of the unit, as the index has it: of one with a single polygon, or none, it is the view
   */
  finish(box: Readonly<Box>): Readonly<Box> {
    const parts = this.#parts;
    this.#parts = [];
    // One without positions keeps south > north.
    if (parts.length < 2) return box[1] > box[3] ? [0, 1, 0, 0] : outward(box, INDEX_SCALE, VIEW_SCALE);
    const full = 360 * this.#scale;
    const largest = parts.reduce((most, part) => (part.area > most.area ? part : most));
    // Once for all: sorting is what takes the time, of what is in order already none.
    parts.sort((a, b) => a.box[0] - b.box[0]);
    const [start] = around(parts, full);
    for (const part of parts) {
      const [west, , east] = part.box;
      const from = (west - start + full) % full;
      part.x = [from, from + east - west + (west > east ? full : 0)];
    }
    return outward(around(mainOf(parts, largest), full), this.#scale, VIEW_SCALE);
  }
}

/**
 * The parts without those on the far side of a gap, as long as this makes the rest much larger on the map. Each step
 * makes their box less than three quarters as large, so there are few, of however many islands.
 */
function mainOf(all: readonly Part[], largest: Part): readonly Part[] {
  const whole = new Side(largest, all);
  let kept = all;
  for (let fewer = rest(kept); fewer !== undefined; fewer = rest(kept)) kept = fewer;
  return kept;

  /** The parts on one side of the gap where it is most worth it; undefined if it is worth it nowhere. */
  function rest(parts: readonly Part[]): readonly Part[] | undefined {
    const { area, size } = new Side(largest, parts);
    let best: { worth: number; sorted: readonly Part[]; range: Span } | undefined;
    for (const axis of ['x', 'y'] as const) {
      const sorted = parts.toSorted((a, b) => a[axis][0] - b[axis][0]);
      const consider = (side: Side, gap: number, range: Span): void => {
        if (gap <= 0 || !side.hasLargest || whole.area - side.area > AREA_SHARE_MAX * whole.area) return;
        const wanted = area - side.area <= ISLETS_SHARE_MAX * area ? ISLETS_WORTH_MIN : WORTH_MIN;
        const worth = (size + gap) / side.size / wanted;
        if (worth >= 1 && worth > (best?.worth ?? 0)) best = { worth, sorted, range };
      };
      /** How far the parts before each reach. */
      const reach = new Float64Array(sorted.length);
      const before = new Side(largest, []);
      for (const [i, part] of sorted.entries()) {
        reach[i] = before[axis][1];
        if (i > 0) consider(before, part[axis][0] - before[axis][1], [0, i]);
        before.add(part);
      }
      const after = new Side(largest, []);
      for (let i = sorted.length - 1; i > 0; i--) {
        const part = elementAt(sorted, i);
        after.add(part);
        consider(after, part[axis][0] - elementAt(reach, i), [i, sorted.length]);
      }
    }
    return best?.sorted.slice(...best.range);
  }
}

/** What some of the parts are together. */
class Side {
  area = 0;
  hasLargest = false;
  readonly x: [from: number, to: number] = [Infinity, -Infinity];
  readonly y: [from: number, to: number] = [Infinity, -Infinity];
  readonly #largest: Part;

  constructor(largest: Part, parts: readonly Part[]) {
    this.#largest = largest;
    for (const part of parts) this.add(part);
  }

  /** Half the way around their box. */
  get size(): number {
    return this.x[1] - this.x[0] + this.y[1] - this.y[0];
  }

  add(part: Part): void {
    this.area += part.area;
    this.hasLargest ||= part === this.#largest;
    for (const axis of ['x', 'y'] as const) {
      const [own, span] = [this[axis], part[axis]];
      own[0] = Math.min(own[0], span[0]);
      own[1] = Math.max(own[1], span[1]);
    }
  }
}

/** The smallest box around parts: it leaves out the widest gap of longitudes between them. */
function around(parts: readonly Part[], full: number): Box {
  const boxes = parts.map(({ box }) => box).sort((a, b) => a[0] - b[0]);
  const [first] = elementAt(boxes, 0);
  let reach = first;
  let gap = { width: 0, from: full / 2, to: -full / 2 };
  for (const [west, , east] of boxes) {
    if (west - reach > gap.width) gap = { width: west - reach, from: reach, to: west };
    reach = Math.max(reach, west > east ? east + full : east);
  }
  if (first + full - reach >= gap.width && first + full > reach) gap = { width: 0, from: reach, to: first };
  const south = boxes.reduce((least, box) => Math.min(least, box[1]), Infinity);
  const north = boxes.reduce((most, box) => Math.max(most, box[3]), -Infinity);
  return [gap.to, south, gap.from > full / 2 ? gap.from - full : gap.from, north];
}

/** The area of a ring, in scaled degrees of longitude, by the sines of its latitudes. */
function areaOf(ring: Coordinates, scale: number): number {
  let area = 0;
  let [x1, sine1] = [ring.x(0), Math.sin((ring.y(0) / scale) * RADIANS)];
  for (let i = 1; i < ring.count; i++) {
    const [x2, sine2] = [ring.x(i), Math.sin((ring.y(i) / scale) * RADIANS)];
    area += (x2 - x1) * (sine1 + sine2);
    [x1, sine1] = [x2, sine2];
  }
  return Math.abs(area) / 2;
}

/** Degrees of longitude from the equator, on the map. */
function mercator(latitude: number): number {
  const radians = Math.min(Math.max(latitude, -LATITUDE_MAX), LATITUDE_MAX) * RADIANS;
  return Math.log(Math.tan(Math.PI / 4 + radians / 2)) / RADIANS;
}
