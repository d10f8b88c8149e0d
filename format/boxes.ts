// Which features have a bounding box that touches a box: compared with the array `box` of a level's index, in units of
// 1e-7 degrees, by way of the extents of neighbours on the map.

import type { Cells } from './cells.ts';
import { f64At, i32At, u32At } from './element-at.ts';
import { DECIMAL, keyAt } from './grid.ts';
import { type LevelIndex, PART_NUMBERS } from './level-index.ts';
import type { CellRange } from './plane-box.ts';
import { type Positions, positionsOfBits } from './positions.ts';
import type { Steps } from './steps.ts';

/**
 * A box in units of 1e-7 degrees: from `west` eastward to `east`, which is more than 180 degrees across the
 * antimeridian.
 */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Units of the boxes of an index in a degree. */
export const INDEX_SCALE = 1e7;
/** Units in 360 degrees. */
export const FULL_TURN: number = 360 * INDEX_SCALE;
/** Decimals of a degree that a text may have. */
const DECIMALS = 40;
/** Parts of a unit that are the last of these decimals. */
const PARTS = 10n ** BigInt(DECIMALS - 7);

/**
 * The box of four decimals in degrees, as RFC 7946 section 5 has it: west > east across the antimeridian. Rounded
 * inward, so that comparing it with boxes of whole units is exact.
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

/** The features of a level that may be in a box: those that are found, and those that are left to be decided. */
export class Candidates {
  /** Words of a bit for each position. */
  readonly #words: number;
  /** Those that are found, then those that are left. */
  readonly #bits: Int32Array;
  /** Those that were left at first. */
  readonly #all: number[] = [];
  /** How many are left. */
  size = 0;

  /** @param features of the level */
  constructor(features: number) {
    this.#words = Math.floor(features / 32) + 1;
    this.#bits = new Int32Array(2 * this.#words);
  }

  /** Those that are found. */
  get found(): Positions {
    return positionsOfBits(this.#bits.subarray(0, this.#words));
  }

  /** Those that are left, in any order. */
  get left(): number[] {
    return this.#all.filter((position) => this.isLeft(position));
  }

  isLeft(position: number): boolean {
    return (i32At(this.#bits, this.#words + (position >>> 5)) & (1 << position)) !== 0;
  }

  /** Finds one that is not left. */
  find(position: number): void {
    this.#bits[position >>> 5] = i32At(this.#bits, position >>> 5) | (1 << position);
  }

  /** Leaves one that is neither left nor found. */
  leave(position: number): void {
    this.#turn(position);
    this.#all.push(position);
    this.size++;
  }

  /** Finds one if it is left. */
  decide(position: number): void {
    if (!this.isLeft(position)) return;
    this.#turn(position);
    this.size--;
    this.find(position);
  }

  /** Leaves one, or does no more. */
  #turn(position: number): void {
    const word = this.#words + (position >>> 5);
    this.#bits[word] = i32At(this.#bits, word) ^ (1 << position);
  }
}

/** Features that have one extent. */
const NEIGHBOURS = 64;
/** Units along a side of the cells that neighbours are found by: 0.84 degrees. */
const CELL = 2 ** 23;
/** More than the cells have keys: of 9 bits in each direction. */
const KEYS = 2 ** 18 + 1;
/** Of features without geometry. */
const NO_CELL = KEYS - 1;

/** Features and keys that are gone through in a step: some 100 microseconds. */
const STEP_FEATURES = 2 * 1024;
const STEP_KEYS = 64 * 1024;

/**
 * The boxes of a level, in steps: there may be hundreds of thousands.
 * @param boxes the array `box` of the level
 */
export function* indexingBoxes(boxes: Int32Array): Steps<BoxIndex> {
  const order = yield* neighboursOf(boxes);
  const extents = new Float64Array(4 * Math.ceil(order.length / NEIGHBOURS));
  for (let first = 0, at = 0; at < extents.length; first += NEIGHBOURS, at += 4) {
    if (first % STEP_FEATURES === 0) yield;
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = first; i < Math.min(first + NEIGHBOURS, order.length); i++) {
      const p = u32At(order, i);
      west = Math.min(west, i32At(boxes, 4 * p));
      south = Math.min(south, i32At(boxes, 4 * p + 1));
      east = Math.max(east, eastOf(boxes, p));
      north = Math.max(north, i32At(boxes, 4 * p + 3));
    }
    extents[at] = west;
    extents[at + 1] = south;
    extents[at + 2] = east;
    extents[at + 3] = north;
  }
  return new BoxIndex(boxes, order, extents);
}

/**
 * The positions that have a geometry, along a curve through the cells that their centres are in: neighbours are near.
 */
function* neighboursOf(boxes: Int32Array): Steps<Uint32Array> {
  const keys = new Uint32Array(boxes.length / 4);
  const starts = new Uint32Array(KEYS + 1);
  for (let p = 0; p < keys.length; p++) {
    if (p % STEP_FEATURES === 0) yield;
    const key = cellOf(boxes, p);
    keys[p] = key;
    starts[key + 1] = u32At(starts, key + 1) + 1;
  }
  for (let key = 0; key < KEYS; key++) {
    if (key % STEP_KEYS === 0) yield;
    starts[key + 1] = u32At(starts, key + 1) + u32At(starts, key);
  }
  const order = new Uint32Array(u32At(starts, NO_CELL));
  for (let p = 0; p < keys.length; p++) {
    if (p % STEP_FEATURES === 0) yield;
    const key = u32At(keys, p);
    if (key === NO_CELL) continue;
    const at = u32At(starts, key);
    order[at] = p;
    starts[key] = at + 1;
  }
  return order;
}

/** The key of the cell that the centre of a box is in. */
function cellOf(boxes: Int32Array, position: number): number {
  const south = i32At(boxes, 4 * position + 1);
  const north = i32At(boxes, 4 * position + 3);
  if (south > north) return NO_CELL;
  // Cells only say what is near: a box may lie beyond the map.
  const onMap = (value: number): number => Math.min(Math.max(value, 0), FULL_TURN);
  const x = (i32At(boxes, 4 * position) + eastOf(boxes, position) + FULL_TURN) / 2;
  return keyAt(onMap(x), onMap((south + north + FULL_TURN / 2) / 2), CELL);
}

/** The east of a box, more than 180 degrees across the antimeridian. */
function eastOf(boxes: Int32Array, position: number): number {
  const east = i32At(boxes, 4 * position + 2);
  return i32At(boxes, 4 * position) > east ? east + FULL_TURN : east;
}

/** The boxes of a level. */
export class BoxIndex {
  readonly #boxes: Int32Array;
  /** The positions that have a geometry, neighbours near each other. */
  readonly #order: Uint32Array;
  /** West, south, east, north of each run of neighbours. */
  readonly #extents: Float64Array;

  constructor(boxes: Int32Array, order: Uint32Array, extents: Float64Array) {
    this.#boxes = boxes;
    this.#order = order;
    this.#extents = extents;
  }

  /** Bytes in memory besides the boxes. */
  get bytes(): number {
    return this.#order.byteLength + this.#extents.byteLength;
  }

  /** The features whose box touches a box. Those without geometry touch none. */
  touching(box: Box): Positions {
    return this.#search(box).found;
  }

  /**
   * The same: those are found that have certainly a point in the box, as their box says; the others are left.
   * @param isValid are the polygons of a feature valid?
   */
  candidates(box: Box, isValid: (position: number) => boolean): Candidates {
    return this.#search(box, isValid);
  }

  /** @param isValid undefined where all are found */
  #search(box: Box, isValid?: (position: number) => boolean): Candidates {
    const candidates = new Candidates(this.#boxes.length / 4);
    const extents = this.#extents;
    const order = this.#order;
    for (let first = 0, at = 0; at < extents.length; first += NEIGHBOURS, at += 4) {
      const south = f64At(extents, at + 1);
      const north = f64At(extents, at + 3);
      if (south > box.north || north < box.south) continue;
      const west = f64At(extents, at);
      const east = f64At(extents, at + 2);
      if (!meets(west, east, box)) continue;
      const isAll = south >= box.south && north <= box.north && isWithin(west, east, box);
      const end = Math.min(first + NEIGHBOURS, order.length);
      for (let i = first; i < end; i++) {
        const p = u32At(order, i);
        if (isAll) candidates.find(p);
        else this.#compare(p, box, candidates, isValid);
      }
    }
    return candidates;
  }

  /** Finds or leaves a feature whose box touches the box. */
  #compare(position: number, box: Box, candidates: Candidates, isValid?: (position: number) => boolean): void {
    const boxes = this.#boxes;
    const south = i32At(boxes, 4 * position + 1);
    const north = i32At(boxes, 4 * position + 3);
    if (south > north || south > box.north || north < box.south) return;
    const west = i32At(boxes, 4 * position);
    const east = eastOf(boxes, position);
    if (!meets(west, east, box)) return;
    const own = { west, south, east, north };
    if (isValid === undefined || liesWithin(own, box) || (reachesInto(own, box) && isValid(position)))
      candidates.find(position);
    else candidates.leave(position);
  }
}

/** A box of the index: west > east across the antimeridian. */
export function boxAt(boxes: Int32Array, at: number): Box {
  const [west, east] = [i32At(boxes, at), i32At(boxes, at + 2)];
  return {
    west,
    south: i32At(boxes, at + 1),
    east: west > east ? east + FULL_TURN : east,
    north: i32At(boxes, at + 3),
  };
}

/** The boxes of a unit's parts, or its own. */
export function boxesOf(index: LevelIndex, position: number): Box[] {
  const { part, box } = index.arrays;
  const boxes: Box[] = [];
  for (let at = index.partOf(position); at < part.length && part[at] === position; at += PART_NUMBERS)
    boxes.push(boxAt(part, at + 1));
  return boxes.length > 0 ? boxes : [boxAt(box, 4 * position)];
}

/** Has a unit certainly a point in a box, as the boxes of its parts say? @param isValid are its polygons? */
export function isPartSurelyIn(index: LevelIndex, position: number, box: Box, isValid: boolean): boolean {
  const { part } = index.arrays;
  for (let at = index.partOf(position); at < part.length && part[at] === position; at += PART_NUMBERS) {
    const own = boxAt(part, at + 1);
    if (liesWithin(own, box) || (isValid && reachesInto(own, box))) return true;
  }
  return false;
}

/**
 * Does the box of valid polygons have a whole side in another one? A position of theirs is on each side. Those that
 * touch the antimeridian or a pole are left out: edges there may be none of the unit's border.
 */
function reachesInto({ west, south, east, north }: Box, box: Box): boolean {
  if (west <= -FULL_TURN / 2 || east >= FULL_TURN / 2 || Math.max(-south, north) >= FULL_TURN / 4) return false;
  // Boxes of the index are rounded outward: a position on a side is less than a unit further in.
  const isHigh = (value: number): boolean => value >= box.south && value < box.north;
  if (isWithin(west, east, box)) return isHigh(south) || isHigh(north - 1);
  const isWide = (value: number): boolean => isWithin(value, value + 1, box);
  return south >= box.south && north <= box.north && (isWide(west) || isWide(east - 1));
}

/** Does one box lie in another one? */
export function liesWithin({ west, south, east, north }: Box, box: Box): boolean {
  return south >= box.south && north <= box.north && isWithin(west, east, box);
}

/**
 * The ranges of smallest cells that a box of the index meets, a cell more on each side: two across the antimeridian.
 */
export function rangesOfBox({ west, south, east, north }: Box, { precision, finest, side }: Cells): CellRange[] {
  const units = 10 ** precision / INDEX_SCALE;
  const cellOf = (value: number, origin: number): number => Math.floor(((value + origin) * units) / finest);
  const [low, high] = [cellOf(south, FULL_TURN / 4) - 1, cellOf(north, FULL_TURN / 4) + 1];
  const rangeOf = (from: number, to: number): CellRange => {
    return { west: cellOf(from, FULL_TURN / 2) - 1, south: low, east: cellOf(to, FULL_TURN / 2) + 1, north: high };
  };
  if (east <= FULL_TURN / 2) return [rangeOf(west, east)];
  return [{ ...rangeOf(west, east), east: side }, rangeOf(-FULL_TURN / 2, east - FULL_TURN)];
}

/** Has one box a point in another one? */
export function touches({ west, south, east, north }: Box, box: Box): boolean {
  return south <= box.north && north >= box.south && meets(west, east, box);
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
