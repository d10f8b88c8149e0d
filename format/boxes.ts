// Which features have a bounding box that touches a box: compared with the array `box` of a level's index, in units of
// 1e-7 degrees, by way of the extents of neighbours. Used by the proxy for `bbox`.
import { DECIMAL } from './cells.ts';
import { f64At, i32At } from './element-at.ts';
import { type Positions, positionsOf } from './positions.ts';

/** A box in units of 1e-7 degrees: from `west` eastward to `east`, which is more than 180 degrees across the antimeridian. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Units in 360 degrees. */
const FULL_TURN = 3_600_000_000;
/** Decimals of a degree that a text may have. */
const DECIMALS = 40;
/** Parts of a unit that are the last of these decimals. */
const PARTS = 10n ** BigInt(DECIMALS - 7);

/**
 * The box of four decimals in degrees, as RFC 7946 section 5 has it: west > east across the antimeridian. Rounded inward, so
 * that comparing it with boxes of whole units is exact.
 * @returns undefined if south > north
 */
export function boxFrom(decimals: readonly string[]): Box | undefined {
  const [west = 0n, south = 0n, east = 0n, north = 0n] = decimals.map(exactly);
  if (south > north) return undefined;
  const turn = west > east ? FULL_TURN : 0;
  return { west: -floor(-west), south: -floor(-south), east: floor(east) + turn, north: floor(north) };
}

function exactly(decimal: string): bigint {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  return BigInt(`${minus}${whole}${fraction.padEnd(DECIMALS, '0')}`);
}

/** Whole units of a number of parts. */
function floor(parts: bigint): number {
  const whole = parts / PARTS;
  return Number(whole * PARTS > parts ? whole - 1n : whole);
}

/** Neighbours in the order of fid, which are mostly neighbours on the map, too. */
const NEIGHBOURS = 64;

/** The boxes of a level. */
export class BoxIndex {
  readonly #boxes: Int32Array;
  /** West, south, east, north of each run of neighbours that have geometries, and 1 if all have one. */
  readonly #extents: Float64Array;

  /** @param boxes the array `box` of the level */
  constructor(boxes: Int32Array) {
    this.#boxes = boxes;
    const features = boxes.length / 4;
    this.#extents = new Float64Array(5 * Math.ceil(features / NEIGHBOURS));
    for (let first = 0, at = 0; first < features; first += NEIGHBOURS, at += 5) {
      let [west, south, east, north, all] = [Infinity, Infinity, -Infinity, -Infinity, 1];
      for (let p = first; p < Math.min(first + NEIGHBOURS, features); p++) {
        const [from, to] = [i32At(boxes, 4 * p + 1), i32At(boxes, 4 * p + 3)];
        if (from > to) all = 0;
        else {
          west = Math.min(west, i32At(boxes, 4 * p));
          south = Math.min(south, from);
          east = Math.max(east, this.#eastOf(p));
          north = Math.max(north, to);
        }
      }
      this.#extents.set([west, south, east, north, all], at);
    }
  }

  /** The features whose box touches a box. Those without geometry touch none. */
  touching(box: Box): Positions {
    const extents = this.#extents;
    const features = this.#boxes.length / 4;
    const ranges: number[] = [];
    for (let first = 0, at = 0; first < features; first += NEIGHBOURS, at += 5) {
      const south = f64At(extents, at + 1);
      const north = f64At(extents, at + 3);
      if (south > box.north || north < box.south) continue;
      const west = f64At(extents, at);
      const east = f64At(extents, at + 2);
      if (!meets(west, east, box)) continue;
      const end = Math.min(first + NEIGHBOURS, features);
      const isAll = f64At(extents, at + 4) === 1 && south >= box.south && north <= box.north;
      if (isAll && isWithin(west, east, box)) add(ranges, first, end);
      else for (let p = first; p < end; p++) if (this.#touches(p, box)) add(ranges, p, p + 1);
    }
    return positionsOf(ranges);
  }

  #touches(position: number, box: Box): boolean {
    const boxes = this.#boxes;
    const south = i32At(boxes, 4 * position + 1);
    const north = i32At(boxes, 4 * position + 3);
    if (south > north || south > box.north || north < box.south) return false;
    return meets(i32At(boxes, 4 * position), this.#eastOf(position), box);
  }

  /** More than 180 degrees across the antimeridian. */
  #eastOf(position: number): number {
    const east = i32At(this.#boxes, 4 * position + 2);
    return i32At(this.#boxes, 4 * position) > east ? east + FULL_TURN : east;
  }
}

/** Do longitudes meet those of a box, whatever turn they are written in? */
function meets(west: number, east: number, box: Box): boolean {
  if (west <= box.east && east >= box.west) return true;
  return east - FULL_TURN >= box.west || west + FULL_TURN <= box.east;
}

/** Do longitudes lie in those of a box, which may be a full turn? */
function isWithin(west: number, east: number, box: Box): boolean {
  if (box.east - box.west >= FULL_TURN || (west >= box.west && east <= box.east)) return true;
  return west + FULL_TURN >= box.west && east + FULL_TURN <= box.east;
}

/** Adds a range behind the last one, or to it. */
function add(ranges: number[], first: number, end: number): void {
  if (ranges.length > 0 && ranges[ranges.length - 1] === first) ranges[ranges.length - 1] = end;
  else ranges.push(first, end);
}
