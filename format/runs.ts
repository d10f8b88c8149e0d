// Run-length coded sets of whole numbers: ascending, disjoint [start, count] pairs laid out flat.
// Listings are runs of positions; a level's fids are runs of fids. Contiguous is the normal case, so most have one pair.

import { elementAt, numberAt } from './element-at.ts';

/** Flat `[start, count, start, count, ...]`, starts ascending, runs disjoint and not adjacent, counts >= 1. */
export type Runs = readonly number[];

/** Appends `value`, which must be larger than every number already in `runs`. */
export function pushValue(runs: number[], value: number): void {
  pushRun(runs, value, 1);
}

/** Appends the `count` numbers from `start` on, all larger than every number already in `runs`. */
export function pushRun(runs: number[], start: number, count: number): void {
  const last = runs.length - 2;
  const lastStart = runs[last];
  const lastCount = runs[last + 1];
  if (lastStart !== undefined && lastCount !== undefined && lastStart + lastCount === start) {
    runs[last + 1] = lastCount + count;
  } else {
    runs.push(start, count);
  }
}

/** How many numbers the runs hold. */
export function countOf(runs: Runs): number {
  let total = 0;
  for (let i = 1; i < runs.length; i += 2) total += numberAt(runs, i);
  return total;
}

/** How many of the numbers are smaller than `value`: its rank, whether or not it is one of them. */
export function rankOf(runs: Runs, value: number): number {
  let rank = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const start = numberAt(runs, i);
    const count = numberAt(runs, i + 1);
    if (value <= start) break;
    rank += Math.min(count, value - start);
  }
  return rank;
}

/** The number at `rank` (0 = smallest), or undefined past the end. */
export function valueAt(runs: Runs, rank: number): number | undefined {
  let left = rank;
  for (let i = 0; i < runs.length; i += 2) {
    const count = numberAt(runs, i + 1);
    if (left < count) return numberAt(runs, i) + left;
    left -= count;
  }
  return undefined;
}

/** The numbers with ranks `from` <= rank < `from + limit`. */
export function sliceRuns(runs: Runs, from: number, limit: number): Runs {
  const out: number[] = [];
  let skip = from;
  let left = limit;
  for (let i = 0; i < runs.length && left > 0; i += 2) {
    const start = numberAt(runs, i);
    const count = numberAt(runs, i + 1);
    if (skip >= count) {
      skip -= count;
      continue;
    }
    const taken = Math.min(left, count - skip);
    pushRun(out, start + skip, taken);
    skip = 0;
    left -= taken;
  }
  return out;
}

/**
 * The intersection of both sets. Runs between two matches are skipped by a galloping search: the cost follows the smaller
 * set and the result, not the larger set.
 */
export function intersectRuns(a: Runs, b: Runs): Runs {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const aStart = numberAt(a, i);
    const aEnd = aStart + numberAt(a, i + 1);
    const bStart = numberAt(b, j);
    const bEnd = bStart + numberAt(b, j + 1);
    const start = Math.max(aStart, bStart);
    const end = Math.min(aEnd, bEnd);
    if (start < end) pushRun(out, start, end - start);
    if (aEnd <= bEnd) i = firstEndingAfter(a, i + 2, bStart);
    if (bEnd <= aEnd) j = firstEndingAfter(b, j + 2, aStart);
  }
  return out;
}

/** The index of the first run from `from` on that ends after `value`: doubling steps, then a binary search. */
function firstEndingAfter(runs: Runs, from: number, value: number): number {
  const endsAfter = (at: number): boolean => numberAt(runs, at) + numberAt(runs, at + 1) > value;
  if (from >= runs.length || endsAfter(from)) return from;
  let low = from;
  let step = 2;
  for (; low + step < runs.length && !endsAfter(low + step); step *= 2) low += step;
  let high = Math.min(low + step, runs.length);
  // The run at `low` does not end after the value; the one at `high` does, or is past the last.
  while (high - low > 2) {
    const middle = low + 2 * Math.floor((high - low) / 4);
    if (endsAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Every number, ascending. */
export function* valuesOf(runs: Runs): Generator<number> {
  for (let i = 0; i < runs.length; i += 2) {
    const start = numberAt(runs, i);
    const end = start + numberAt(runs, i + 1);
    for (let value = start; value < end; value++) yield value;
  }
}

/**
 * Many disjoint sets of runs, numbered from 0, in two flat arrays: an array per set would take ten times the memory.
 * Numbers are below 2^31.
 */
export interface RunTable {
  /** Number of sets. */
  count: number;
  /** Where the runs of each set begin, counted in runs; one entry more for the end of the last set. */
  begins: Int32Array<ArrayBuffer>;
  /** `[start, count, ...]`, set by set. */
  runs: Int32Array<ArrayBuffer>;
  /** A set; empty past the last. */
  at(number: number): Runs;
  /** How many numbers a set holds. */
  sizeOf(number: number): number;
}

/** A run and the set that it belongs to, flat: `[set, start, count, ...]`, starts ascending, no two adjacent of one set. */
export type OwnedRuns = readonly number[];

/** Sorts runs into `count` sets. @throws RangeError if a run belongs to none of them */
export function runTable(owned: OwnedRuns, count: number): RunTable {
  // Where each set's runs begin, counted in runs; one entry more for the end of the last.
  // The loops over all runs index directly, for speed. Every set is below `count`, so that no element is missing.
  const begins = new Int32Array(count + 1);
  for (let i = 0; i < owned.length; i += 3) {
    const after = numberAt(owned, i) + 1;
    if (after > count) throw new RangeError(`set ${after - 1} of ${count}`);
    begins[after] = (begins[after] ?? 0) + 1;
  }
  for (let set = 0; set < count; set++) begins[set + 1] = (begins[set + 1] ?? 0) + (begins[set] ?? 0);
  const runs = new Int32Array(2 * elementAt(begins, count));
  const filled = begins.slice(0, count);
  for (let i = 0; i < owned.length; i += 3) {
    const set = owned[i] ?? 0;
    const at = filled[set] ?? 0;
    filled[set] = at + 1;
    runs[2 * at] = owned[i + 1] ?? 0;
    runs[2 * at + 1] = owned[i + 2] ?? 0;
  }
  return runTableFrom(begins, runs);
}

/** The table with these arrays, as those of another table. */
export function runTableFrom(begins: Int32Array<ArrayBuffer>, runs: Int32Array<ArrayBuffer>): RunTable {
  const count = begins.length - 1;
  const flat = (set: number): Int32Array =>
    set < count ? runs.subarray(2 * elementAt(begins, set), 2 * elementAt(begins, set + 1)) : new Int32Array();
  return {
    count,
    begins,
    runs,
    at: (set) => Array.from(flat(set)),
    sizeOf(set) {
      let size = 0;
      for (let run = begins[set] ?? 0; run < (begins[set + 1] ?? 0); run++) size += runs[2 * run + 1] ?? 0;
      return size;
    },
  };
}
