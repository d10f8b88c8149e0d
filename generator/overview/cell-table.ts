// The cells of all rings of both levels, each once, for thin-out.ts. Flat arrays: there may be a million points.
import { numberAt } from '../../format/element-at.ts';
import type { CoarseLevel } from './coarse-rings.ts';

/** Cells by number, in the order in which rings have them. */
export interface CellTable {
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
export function cellTable(levels: readonly CoarseLevel[]): CellTable {
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
