// Finds edges of arcs that cross or lie on one another, of all levels at once, by the squares that they meet. Exact for
// whole numbers below 2^25.
import { f64At, i32At, u8At } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';
import { doCross, isWithin, turn } from '../rings/predicates.ts';
import { type Arcs, arcAt } from './arcs.ts';
import { squaresOf } from './edge-squares.ts';

/** Edges that meet others of the same level. An edge is the index of its first place. */
export interface MeetingEdges {
  /** Those that cross another one elsewhere than at an end of either, each beside the one that it crosses. */
  crossing: Int32Array;
  /** Those in which another one that lies on them begins or ends, each beside the index of that place. */
  overlapping: Int32Array;
  /** Are these not all, as there are more than were asked for, or too many to be compared? */
  hasMore: boolean;
}

/** A place on the grid. */
export interface Place {
  x: number;
  y: number;
}

/** So many pairs of edges are compared, in some ten seconds: where thousands lie in one square, all would take hours. */
const PAIRS_MAX = 1_000_000_000;
/** So many edges of a square are sorted: of fewer comparing all takes less. */
const CROWDED = 64;

/**
 * The edges that cross others, or have a part in common with one that is another.
 * @param levels of each arc, a bit for each level: edges of one level are compared, those of none are not
 * @param most about how many are kept
 * @param isNew for each edge 1 if it is compared, with all others; all are if there is none
 */
export function meetingEdges(arcs: Arcs, levels: Uint8Array, most: number, isNew?: Uint8Array): MeetingEdges {
  const found = new FoundPairs(arcs, levels, most);
  const groups = new Groups(arcs);
  let pairs = 0;
  const isFull = (): boolean => pairs > PAIRS_MAX || found.isFull;
  /** Compares a group with others, up to one that begins farther east than it ends if they are sorted. */
  const compare = (slots: Int32Array, one: number, first: number, end: number, areSorted: boolean): void => {
    for (let other = first; other < end; other++, pairs++) {
      if (areSorted && groups.westOf(other) > groups.eastOf(one)) break;
      if (!groups.doMeet(one, other)) continue;
      for (let a = groups.beginOf(one); a < groups.beginOf(one + 1) && !isFull(); a++)
        for (let b = groups.beginOf(other); b < groups.beginOf(other + 1); b++)
          found.add(i32At(slots, a), i32At(slots, b));
    }
  };
  for (const { edges: squares, newCounts } of squaresOf(arcs, levels, isNew)) {
    const { begins, numbers: slots } = squares;
    for (let square = 0; square < newCounts.length; square++) {
      const [from, to] = [i32At(begins, square), i32At(begins, square + 1)];
      const middle = from + i32At(newCounts, square);
      if (middle === from || to - from < 2) continue;
      groups.clear();
      const areNewSorted = groups.add(slots, from, middle);
      const compared = groups.length;
      const areOthersSorted = groups.add(slots, middle, to);
      for (let one = 0; one < compared && !isFull(); one++) {
        compare(slots, one, one + 1, compared, areNewSorted);
        compare(slots, one, compared, groups.length, areOthersSorted);
      }
    }
  }
  return { ...found.all(), hasMore: isFull() };
}

/** Pairs of edges that meet, each perhaps found in several squares: as one number, of 8 bytes. */
class FoundPairs {
  /** Are there as many as are kept? */
  isFull = false;
  readonly #arcs: Arcs;
  readonly #levels: Uint8Array;
  readonly #most: number;
  readonly #crossing = new NumberList(Float64Array);
  readonly #overlapping = new NumberList(Float64Array);

  constructor(arcs: Arcs, levels: Uint8Array, most: number) {
    this.#arcs = arcs;
    this.#levels = levels;
    this.#most = most;
  }

  /** Takes two edges that meet, if they are of one level. */
  add(one: number, other: number): void {
    const [a, b] = one < other ? [one, other] : [other, one];
    if ((this.#levelsOf(a) & this.#levelsOf(b)) === 0) return;
    const { x, y } = this.#arcs;
    const isInLine = turn(i32At(x, a), i32At(y, a), i32At(x, a + 1), i32At(y, a + 1), i32At(x, b), i32At(y, b)) === 0;
    if (isInLine) {
      for (const place of [b, b + 1]) this.#addPlace(a, place);
      for (const place of [a, a + 1]) this.#addPlace(b, place);
    } else this.#crossing.push(a * x.length + b);
    if (this.#crossing.length + this.#overlapping.length >= 2 * this.#most) this.#sort();
  }

  all(): { crossing: Int32Array; overlapping: Int32Array } {
    this.#sort();
    return { crossing: this.#numbersOf(this.#crossing), overlapping: this.#numbersOf(this.#overlapping) };
  }

  #levelsOf(edge: number): number {
    return u8At(this.#levels, arcAt(this.#arcs.arcEnds, edge));
  }

  #addPlace(edge: number, place: number): void {
    const { x, y } = this.#arcs;
    const [ax, ay, bx, by] = [i32At(x, edge), i32At(y, edge), i32At(x, edge + 1), i32At(y, edge + 1)];
    if (isWithin(ax, ay, bx, by, i32At(x, place), i32At(y, place))) this.#overlapping.push(edge * x.length + place);
  }

  #sort(): void {
    for (const list of [this.#crossing, this.#overlapping]) {
      const sorted = list.values().sort();
      list.length = 0;
      for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) list.push(f64At(sorted, i));
    }
    this.isFull ||= this.#crossing.length + this.#overlapping.length >= this.#most;
  }

  #numbersOf(pairs: NumberList<Float64Array>): Int32Array {
    const numbers = new Int32Array(2 * pairs.length);
    for (let i = 0; i < pairs.length; i++) {
      const first = Math.floor(pairs.at(i) / this.#arcs.x.length);
      numbers[2 * i] = first;
      numbers[2 * i + 1] = pairs.at(i) - first * this.#arcs.x.length;
    }
    return numbers;
  }
}

/** The edges of a square, those with the same two ends, which do not meet, as one if there are many. */
class Groups {
  length = 0;
  readonly #arcs: Arcs;
  /** Where in the slots each group begins, and the last one ends. */
  readonly #begins = new NumberList(Int32Array);
  /** Both ends of each group, beside one another in memory: x and y of the one farther west, then of the other. */
  #ends = new Int32Array(4 * CROWDED);

  constructor(arcs: Arcs) {
    this.#arcs = arcs;
  }

  clear(): void {
    this.length = 0;
  }

  /**
   * Adds edges.
   * @param slots the edges of all squares; added are those from `from` to before `to`, which are sorted if they are many
   * @returns are they in order of their western ends?
   */
  add(slots: Int32Array, from: number, to: number): boolean {
    const { x, y } = this.#arcs;
    const isCrowded = to - from >= CROWDED;
    if (isCrowded) slots.subarray(from, to).sort((a, b) => compareEnds(this.#arcs, a, b));
    if (4 * (this.length + to - from) > this.#ends.length) {
      const grown = new Int32Array(8 * (this.length + to - from));
      grown.set(this.#ends);
      this.#ends = grown;
    }
    this.#begins.length = this.length;
    for (let i = from; i < to; i++) {
      const edge = i32At(slots, i);
      if (i > from && isCrowded && compareEnds(this.#arcs, i32At(slots, i - 1), edge) === 0) continue;
      const west = firstEnd(this.#arcs, edge);
      const east = 2 * edge + 1 - west;
      const at = 4 * this.length++;
      this.#ends[at] = i32At(x, west);
      this.#ends[at + 1] = i32At(y, west);
      this.#ends[at + 2] = i32At(x, east);
      this.#ends[at + 3] = i32At(y, east);
      this.#begins.push(i);
    }
    this.#begins.push(to);
    return isCrowded;
  }

  beginOf(group: number): number {
    return this.#begins.at(group);
  }

  westOf(group: number): number {
    return i32At(this.#ends, 4 * group);
  }

  eastOf(group: number): number {
    return i32At(this.#ends, 4 * group + 2);
  }

  /** Do edges of two groups cross elsewhere than at an end, or does one that lies on the other begin or end in it? */
  doMeet(one: number, other: number): boolean {
    const ends = this.#ends;
    const [a, c] = [4 * one, 4 * other];
    const [ax, bx, cx, dx] = [i32At(ends, a), i32At(ends, a + 2), i32At(ends, c), i32At(ends, c + 2)];
    if (bx < cx || dx < ax) return false;
    const [ay, by, cy, dy] = [i32At(ends, a + 1), i32At(ends, a + 3), i32At(ends, c + 1), i32At(ends, c + 3)];
    if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return false;
    if (doCross(ax, ay, bx, by, cx, cy, dx, dy)) return true;
    if (turn(ax, ay, bx, by, cx, cy) !== 0 || turn(ax, ay, bx, by, dx, dy) !== 0) return false;
    const isOn = isWithin(ax, ay, bx, by, cx, cy) || isWithin(ax, ay, bx, by, dx, dy);
    return isOn || isWithin(cx, cy, dx, dy, ax, ay) || isWithin(cx, cy, dx, dy, bx, by);
  }
}

/** An order of edges, by their ends: 0 for those with the same two, in either direction. */
function compareEnds(arcs: Arcs, a: number, b: number): number {
  const { x, y } = arcs;
  const [c, d] = [firstEnd(arcs, a), firstEnd(arcs, b)];
  const [e, f] = [2 * a + 1 - c, 2 * b + 1 - d];
  return (
    i32At(x, c) - i32At(x, d) || i32At(y, c) - i32At(y, d) || i32At(x, e) - i32At(x, f) || i32At(y, e) - i32At(y, f)
  );
}

/** The place of the end of an edge that is farther west, or else north. */
function firstEnd({ x, y }: Arcs, edge: number): number {
  const [from, to] = [i32At(x, edge), i32At(x, edge + 1)];
  return from < to || (from === to && i32At(y, edge) < i32At(y, edge + 1)) ? edge : edge + 1;
}

/** Where two edges cross, rounded. */
export function crossingOf({ x, y }: Arcs, a: number, b: number): Place {
  const [ax, ay, bx, by] = [i32At(x, a), i32At(y, a), i32At(x, a + 1), i32At(y, a + 1)];
  const [cx, cy, dx, dy] = [i32At(x, b), i32At(y, b), i32At(x, b + 1), i32At(y, b + 1)];
  const from = turn(cx, cy, dx, dy, ax, ay);
  const share = from / (from - turn(cx, cy, dx, dy, bx, by));
  return { x: Math.round(ax + share * (bx - ax)), y: Math.round(ay + share * (by - ay)) };
}
