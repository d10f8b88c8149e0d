// Sets of positions of a level: ascending runs, with the rank of each run's first position. A listing is a view of the
// tables of its column (level-index.ts); nothing is built to look something up in it.
import { elementAt, i32At, numberAt, u32At } from './element-at.ts';
import { lastU32UpTo } from './last-up-to.ts';

/** Positions as flat pairs `[first, end, first, end, ...]`: ascending, `end` exclusive, no pair empty. */
export type Ranges = readonly number[];

/** A set of positions. */
export class Positions {
  /** Number of positions. */
  readonly count: number;
  /** Number of runs. */
  readonly runs: number;
  readonly #first: Uint32Array;
  readonly #rank: Uint32Array;
  /** Of the first run in the tables. */
  readonly #from: number;

  /**
   * @param first first position of each run, in a table of many sets
   * @param rank how many positions of the set come before each run
   * @param from,to which runs of the tables are the set's
   * @param count number of positions
   */
  constructor(first: Uint32Array, rank: Uint32Array, from: number, to: number, count: number) {
    this.#first = first;
    this.#rank = rank;
    this.#from = from;
    this.runs = to - from;
    this.count = count;
  }

  /** The first position of a run. */
  firstOf(run: number): number {
    return u32At(this.#first, this.#from + run);
  }

  /** The position after the last one of a run. */
  endOf(run: number): number {
    const at = this.#from + run;
    const next = run + 1 < this.runs ? u32At(this.#rank, at + 1) : this.count;
    return u32At(this.#first, at) + next - u32At(this.#rank, at);
  }

  /** How many of the positions are smaller than `position`, whether or not it is one of them. */
  rankOf(position: number): number {
    const run = this.#last(this.#first, position);
    if (run === -1) return 0;
    const rank = u32At(this.#rank, this.#from + run);
    return rank + Math.min(position, this.endOf(run)) - this.firstOf(run);
  }

  /** The position with this rank (0 = smallest). @throws RangeError if there is none */
  at(rank: number): number {
    // Not `rank < 0 || rank >= count`: NaN has no rank either. The tables go on with the runs of other sets.
    if (!(rank >= 0 && rank < this.count)) throw new RangeError(`rank ${rank} of ${this.count}`);
    const run = this.#last(this.#rank, rank);
    return this.firstOf(run) + rank - u32At(this.#rank, this.#from + run);
  }

  /** The positions with ranks `from` to `from + count - 1`. @throws RangeError if there are none */
  slice(from: number, count: number): number[] {
    if (!(from >= 0 && from + count <= this.count))
      throw new RangeError(`ranks ${from} to ${from + count - 1} of ${this.count}`);
    const ranges: number[] = [];
    if (count === 0) return ranges;
    let run = this.#last(this.#rank, from);
    let first = this.firstOf(run) + from - u32At(this.#rank, this.#from + run);
    for (let left = count; ; first = this.firstOf(run)) {
      const end = Math.min(this.endOf(run), first + left);
      ranges.push(first, end);
      left -= end - first;
      if (left === 0) return ranges;
      run++;
    }
  }

  /** The first run from `from` on that ends after `position`: doubling steps, then a binary search. */
  runEndingAfter(position: number, from: number): number {
    let step = 1;
    let low = from;
    for (; low + step < this.runs && this.firstOf(low + step) <= position; step *= 2) low += step;
    let high = Math.min(low + step, this.runs);
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.firstOf(middle) <= position) low = middle;
      else high = middle;
    }
    return low < this.runs && this.endOf(low) <= position ? low + 1 : low;
  }

  /** The last run whose value in `table` is at most `value`; -1 if there is none. */
  #last(table: Uint32Array, value: number): number {
    return lastU32UpTo(table, value, this.#from - 1, this.#from + this.runs) - this.#from;
  }
}

const ZERO = new Uint32Array(1);

/** The positions 0 to `count - 1`. */
export function allPositions(count: number): Positions {
  return new Positions(ZERO, ZERO, 0, count === 0 ? 0 : 1, count);
}

/** No positions. */
export const NO_POSITIONS: Positions = allPositions(0);

/** The positions of ranges, which may touch. */
export function positionsOf(ranges: Ranges): Positions {
  const firsts: number[] = [];
  const ranks: number[] = [];
  let count = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const [first, end] = [numberAt(ranges, i), numberAt(ranges, i + 1)];
    if (i === 0 || ranges[i - 1] !== first) {
      firsts.push(first);
      ranks.push(count);
    }
    count += end - first;
  }
  return new Positions(new Uint32Array(firsts), new Uint32Array(ranks), 0, firsts.length, count);
}

/** Positions that are given one by one, ascending. */
export function positionsOfEach(positions: ArrayLike<number>): Positions {
  const count = positions.length;
  const firsts = new Uint32Array(count);
  const ranks = new Uint32Array(count);
  let runs = 0;
  for (let rank = 0, end = -1; rank < count; rank++) {
    const position = elementAt(positions, rank);
    if (position !== end) {
      firsts[runs] = position;
      ranks[runs++] = rank;
    }
    end = position + 1;
  }
  return new Positions(firsts, ranks, 0, runs, count);
}

/**
 * Positions that are given as bits.
 * @param words of 32 bits each, the lowest bit first; the highest bit of the last word is not set
 */
export function positionsOfBits(words: Int32Array): Positions {
  let runs = 0;
  for (let i = 0, last = 0; i < words.length; last = i32At(words, i++) >>> 31) {
    const word = i32At(words, i);
    runs += bitsIn(word & ~((word << 1) | last));
  }
  const firsts = new Uint32Array(runs);
  const ranks = new Uint32Array(runs);
  let [run, count] = [0, 0];
  for (let i = 0, last = 0; i < words.length; last = i32At(words, i++) >>> 31) {
    const word = i32At(words, i);
    if (word === 0 && last === 0) continue;
    // The bits that differ from the one before: first and end of each run in turn.
    for (let left = word ^ ((word << 1) | last); left !== 0; left &= left - 1) {
      const bit = left & -left;
      const position = 32 * i + 31 - Math.clz32(bit);
      if ((word & bit) !== 0) {
        firsts[run] = position;
        ranks[run++] = count;
      } else count += position - u32At(firsts, run - 1);
    }
  }
  return new Positions(firsts, ranks, 0, runs, count);
}

/** How many bits of a word are set. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The positions of both sets. The cost follows the set with fewer runs and the result. */
export function intersect(a: Positions, b: Positions): Positions {
  const [few, many] = a.runs <= b.runs ? [a, b] : [b, a];
  const firsts: number[] = [];
  const ranks: number[] = [];
  let count = 0;
  let run = 0;
  for (let i = 0; i < few.runs && run < many.runs; i++) {
    const begin = few.firstOf(i);
    const end = few.endOf(i);
    run = many.runEndingAfter(begin, run);
    while (run < many.runs && many.firstOf(run) < end) {
      const first = Math.max(begin, many.firstOf(run));
      firsts.push(first);
      ranks.push(count);
      count += Math.min(end, many.endOf(run)) - first;
      // A run that ends later may have positions of the next run of `few`, too.
      if (many.endOf(run) > end) break;
      run++;
    }
  }
  return new Positions(new Uint32Array(firsts), new Uint32Array(ranks), 0, firsts.length, count);
}

/** Every position, ascending. */
export function* positionsIn(ranges: Ranges): Generator<number> {
  for (let i = 0; i < ranges.length; i += 2)
    for (let position = numberAt(ranges, i); position < numberAt(ranges, i + 1); position++) yield position;
}
