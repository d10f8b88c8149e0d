// The GID column of a level: which GIDs there are, in ascending order of their UTF-8 bytes, and which positions each
// covers. Part of the level's index.
import { u32At } from './element-at.ts';
import { Positions } from './positions.ts';

/** The arrays of a column, as README.md describes them; g GIDs with r runs. */
export interface ColumnArrays {
  /** Where each GID begins in `text`; one entry more for the end of the last: g + 1. */
  start: Uint32Array;
  /** The GIDs in UTF-8, joined. */
  text: Uint8Array;
  /** Number of each GID's first run; one entry more: g + 1. */
  run: Uint32Array;
  /** First position of each run, GID by GID: r. */
  first: Uint32Array;
  /** How many of the GID's positions come before each run: r. */
  rank: Uint32Array;
  /** Number of positions of each GID: g. */
  count: Uint32Array;
}

/** A GID column. Columns above the level are parents; the last is the level's own. */
export class GidColumn {
  /** Its name in the source, e.g. `GID_1`; empty if the source lacks the level. */
  readonly name: string;
  /** Number of GIDs. */
  readonly size: number;
  readonly arrays: ColumnArrays;

  constructor(name: string, arrays: ColumnArrays) {
    this.name = name;
    this.arrays = arrays;
    this.size = arrays.count.length;
  }

  /** The number of a GID in ascending order; -1 if it is not in the column. */
  find(gid: string): number {
    const wanted = Buffer.from(gid);
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted, 0, wanted.length);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  /** A GID by its number. */
  gidAt(number: number): string {
    const { start, text } = this.arrays;
    const begin = u32At(start, number);
    return Buffer.from(text.buffer, text.byteOffset + begin, u32At(start, number + 1) - begin).toString();
  }

  /** Number of positions of a GID. */
  countAt(number: number): number {
    return u32At(this.arrays.count, number);
  }

  /** The first position of a GID. */
  firstAt(number: number): number {
    const { run, first } = this.arrays;
    return u32At(first, u32At(run, number));
  }

  /** The positions that a GID covers. */
  positionsAt(number: number): Positions {
    const { run, first, rank, count } = this.arrays;
    return new Positions(first, rank, u32At(run, number), u32At(run, number + 1), u32At(count, number));
  }

  /** Negative if a GID comes before one of another column, 0 if it is the same. */
  compare(number: number, other: GidColumn, otherNumber: number): number {
    const { start, text } = other.arrays;
    return this.#compare(number, text, u32At(start, otherNumber), u32At(start, otherNumber + 1));
  }

  /** The same with the text from `from` to `to - 1`. */
  #compare(number: number, wanted: Uint8Array, from: number, to: number): number {
    const { start, text } = this.arrays;
    const begin = u32At(start, number);
    const length = u32At(start, number + 1) - begin;
    const common = Math.min(length, to - from);
    for (let i = 0; i < common; i++) {
      // Both are in range: the GIDs of a column lie in its text.
      const difference = (text[begin + i] ?? 0) - (wanted[from + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - (to - from);
  }
}

/**
 * For each position the number of its GID; -1 for no GID. The inverse of `gidColumn`.
 * @param features number of positions
 * @throws RangeError if the arrays of the column contradict each other
 */
export function ownersOf(column: GidColumn, features: number): Int32Array {
  const owners = new Int32Array(features).fill(-1);
  for (let number = 0; number < column.size; number++) {
    const positions = column.positionsAt(number);
    for (let run = 0; run < positions.runs; run++) owners.fill(number, positions.firstOf(run), positions.endOf(run));
  }
  return owners;
}
