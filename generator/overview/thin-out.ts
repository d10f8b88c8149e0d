// Thins out the rings of both levels before they are joined: the packages that join and simplify them hold every point as
// an object. Each pass removes the points whose triangle with their neighbours is smaller than those of both neighbours,
// as Visvalingam's method does. Whether a point goes depends on its neighbours alone, and points where borders meet stay,
// so rings that share a border still share it.
import { numberAt } from '../../format/element-at.ts';
import type { CoarseLevel } from './coarse-rings.ts';

/** Rings of fewer points keep all of them. */
const RING_POINTS_MIN = 8;

/** Weights that are looked at to choose those of a pass. */
const SAMPLE = 4096;

/** Maximum share of the points with least weight of which a pass removes some, about half. */
const SHARE_MAX = 0.7;

const NONE = -1;
const JUNCTION = -2;

/** What surrounds each cell, by its number. */
interface Surroundings {
  /** The cells before and after it in all rings; JUNCTION in `first` for a cell that stays. */
  first: Int32Array;
  second: Int32Array;
  /** Twice the area of its triangle; infinite for a cell that stays. */
  weights: Float64Array;
}

/** Removes points until they are in at most `cellsMax` cells, or none can be removed. @returns cells or points left */
export function thinOut(levels: readonly CoarseLevel[], cellsMax: number): number {
  const cells = levels.reduce((sum, level) => sum + level.cells.length / 2, 0);
  if (cells <= cellsMax) return cells;
  const table = cellTable(levels);
  for (let removed = -1; ; ) {
    const { used, ...around } = surroundingsOf(table);
    if (used <= cellsMax || removed === 0) {
      table.writeTo(levels);
      return used;
    }
    removed = removeLightest(table, around, limitOf(table, around, 1 - cellsMax / used));
  }
}

function surroundingsOf(table: CellTable): Surroundings & { used: number } {
  const { points, ends, count } = table;
  const around: Surroundings = {
    first: new Int32Array(count).fill(NONE),
    second: new Int32Array(count).fill(NONE),
    weights: new Float64Array(count).fill(Infinity),
  };
  let begin = 0;
  for (const end of ends) {
    linkRing(points, begin, end, around);
    begin = end;
  }
  let used = 0;
  for (let cell = 0; cell < count; cell++) {
    const first = intAt(around.first, cell);
    if (first !== NONE) used++;
    if (first >= 0) around.weights[cell] = triangleOf(table, first, cell, intAt(around.second, cell));
  }
  return { ...around, used };
}

function linkRing(points: Int32Array, begin: number, end: number, { first, second }: Surroundings): void {
  if (end === begin) return;
  const isSmall = end - begin < RING_POINTS_MIN;
  let before = intAt(points, end - 1);
  for (let i = begin; i < end; i++) {
    const cell = intAt(points, i);
    const after = intAt(points, i + 1 === end ? begin : i + 1);
    const a = intAt(first, cell);
    const b = intAt(second, cell);
    if (isSmall) first[cell] = JUNCTION;
    else if (a === NONE) {
      first[cell] = before;
      second[cell] = after;
    } else if (!((a === before && b === after) || (a === after && b === before))) first[cell] = JUNCTION;
    before = cell;
  }
}

function triangleOf({ x, y }: CellTable, a: number, b: number, c: number): number {
  const [left, bottom] = [intAt(x, b), intAt(y, b)];
  return Math.abs((intAt(x, a) - left) * (intAt(y, c) - bottom) - (intAt(x, c) - left) * (intAt(y, a) - bottom));
}

/** The greatest weight of a pass that is to remove a share of the points. */
function limitOf({ points, ends }: CellTable, { weights }: Surroundings, share: number): number {
  const total = numberAt(ends, ends.length - 1);
  const sample: number[] = [];
  for (let i = 0; i < total; i += Math.ceil(total / SAMPLE)) sample.push(doubleAt(weights, intAt(points, i)));
  sample.sort((a, b) => a - b);
  return numberAt(sample, Math.floor(Math.min(share, SHARE_MAX) * (sample.length - 1)));
}

/** @returns number of points that were removed */
function removeLightest({ points, ends }: CellTable, { first, second, weights }: Surroundings, limit: number): number {
  const isLighter = (cell: number, other: number): boolean => {
    const difference = doubleAt(weights, cell) - doubleAt(weights, other);
    return difference < 0 || (difference === 0 && cell < other);
  };
  const isRemoved = (cell: number): boolean =>
    intAt(first, cell) >= 0 &&
    doubleAt(weights, cell) <= limit &&
    isLighter(cell, intAt(first, cell)) &&
    isLighter(cell, intAt(second, cell));
  let read = 0;
  let written = 0;
  for (const [ring, end] of ends.entries()) {
    let last = NONE;
    for (; read < end; read++) {
      const cell = intAt(points, read);
      // After the tip of a spike is removed, its two sides meet.
      if (cell === last || isRemoved(cell)) continue;
      last = cell;
      points[written++] = cell;
    }
    ends[ring] = written;
  }
  return read - written;
}

/** Functions for one kind of array each, which V8 inlines into the loops. */
function intAt(values: Int32Array, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`index ${index} of ${values.length}`);
  return value;
}

function doubleAt(values: Float64Array, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`index ${index} of ${values.length}`);
  return value;
}

/** Cells by number, in the order in which rings have them. */
interface CellTable {
  /** Number of cells. */
  count: number;
  /** Their places from the western and southern edge. */
  x: Int32Array;
  y: Int32Array;
  /** The cells of all rings. */
  points: Int32Array;
  /** For each ring the index of its end in `points`. */
  ends: number[];
  /** Gives the levels the points of the table. */
  writeTo(levels: readonly CoarseLevel[]): void;
}

const EMPTY = -1;

/** Makes the table. The extent of the levels must fit in 2^31 cells. */
function cellTable(levels: readonly CoarseLevel[]): CellTable {
  const total = levels.reduce((sum, { cells }) => sum + cells.length / 2, 0);
  const [left, bottom] = originOf(levels);
  const x = new Int32Array(total);
  const y = new Int32Array(total);
  const points = new Int32Array(total);
  const ends: number[] = [];
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * total))).fill(EMPTY);
  let count = 0;
  let point = 0;
  for (const { cells, rings } of levels) {
    let begin = 0;
    for (const { end } of rings) {
      for (; begin < end; begin += 2) {
        const column = numberAt(cells, begin) - left;
        const row = numberAt(cells, begin + 1) - bottom;
        let slot = hashOf(column, row) & (slots.length - 1);
        let cell = slots[slot] ?? EMPTY;
        while (cell !== EMPTY && (x[cell] !== column || y[cell] !== row)) {
          slot = (slot + 1) & (slots.length - 1);
          cell = slots[slot] ?? EMPTY;
        }
        if (cell === EMPTY) {
          cell = count++;
          slots[slot] = cell;
          x[cell] = column;
          y[cell] = row;
        }
        points[point++] = cell;
      }
      ends.push(point);
    }
  }
  return {
    count,
    x,
    y,
    points,
    ends,
    writeTo(target) {
      let read = 0;
      let ring = 0;
      for (const level of target) {
        const cells: number[] = [];
        for (const own of level.rings) {
          for (const end = numberAt(ends, ring++); read < end; read++) {
            const cell = points[read] ?? EMPTY;
            cells.push((x[cell] ?? NaN) + left, (y[cell] ?? NaN) + bottom);
          }
          own.end = cells.length;
        }
        level.cells = cells;
      }
    },
  };
}

function originOf(levels: readonly CoarseLevel[]): [number, number] {
  let [left, bottom] = [Infinity, Infinity];
  for (const { cells } of levels)
    for (let i = 0; i < cells.length; i += 2) {
      left = Math.min(left, numberAt(cells, i));
      bottom = Math.min(bottom, numberAt(cells, i + 1));
    }
  return [left, bottom];
}

/** Multiplicative hashing with odd constants, the golden ratio of 2^32 among them. */
function hashOf(column: number, row: number): number {
  const mixed = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
