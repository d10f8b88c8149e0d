// Runs with the rank of each run's first number, for look-ups by binary search. The proxy keeps them for large listings.
import { numberAt } from './element-at.ts';
import type { Runs } from './runs.ts';
import { pushRun } from './runs.ts';

/** A run-length coded set; its look-ups take logarithmic time. */
export class RankedRuns {
  readonly runs: Runs;
  /** How many numbers the set holds. */
  readonly count: number;
  /** For each run, the rank of its first number. */
  readonly #ranks: readonly number[];

  constructor(runs: Runs) {
    const ranks: number[] = [];
    let count = 0;
    for (let i = 1; i < runs.length; i += 2) {
      ranks.push(count);
      count += numberAt(runs, i);
    }
    this.runs = runs;
    this.count = count;
    this.#ranks = ranks;
  }

  /** How many of the numbers are smaller than `value`: its rank, whether or not it is one of them. */
  rankOf(value: number): number {
    const run = lastIndex(this.#ranks.length, (at) => numberAt(this.runs, 2 * at) <= value);
    if (run === -1) return 0;
    const offset = value - numberAt(this.runs, 2 * run);
    return numberAt(this.#ranks, run) + Math.min(offset, numberAt(this.runs, 2 * run + 1));
  }

  /** The number at `rank` (0 = smallest), or undefined past the end. */
  valueAt(rank: number): number | undefined {
    if (rank >= this.count) return undefined;
    const run = this.#runAt(rank);
    return numberAt(this.runs, 2 * run) + rank - numberAt(this.#ranks, run);
  }

  /** The numbers with ranks `from` <= rank < `from + limit`. */
  slice(from: number, limit: number): Runs {
    const out: number[] = [];
    const end = Math.min(from + limit, this.count);
    let rank = from;
    for (let run = rank < end ? this.#runAt(rank) : 0; rank < end; run++) {
      const skip = rank - numberAt(this.#ranks, run);
      const taken = Math.min(end - rank, numberAt(this.runs, 2 * run + 1) - skip);
      pushRun(out, numberAt(this.runs, 2 * run) + skip, taken);
      rank += taken;
    }
    return out;
  }

  #runAt(rank: number): number {
    return lastIndex(this.#ranks.length, (at) => numberAt(this.#ranks, at) <= rank);
  }
}

/** The last index below `length` for which `isBefore` is true, -1 if there is none; it is false for all after that. */
function lastIndex(length: number, isBefore: (index: number) => boolean): number {
  let low = -1;
  let high = length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}
