// The arcs of a zoom: those points that weigh enough, rounded to its grid, and those that come back so that borders do
// not cross. What is done to an arc is done to all units that have it.
import { f64At, i32At, u8At } from '../../format/element-at.ts';
import { LEVELS } from '../../format/levels.ts';
import { type Arcs, arcAt } from '../topology/arcs.ts';
import { type MeetingEdges, meetingEdges } from '../topology/crossing-edges.ts';
import { type DividedArcs, divideEdges, ROOM } from '../topology/divide-edges.ts';
import { endBefore } from '../topology/level-rings.ts';
import { NearArcs } from '../topology/near-arcs.ts';

/** The arcs of a zoom, in units of its grid. An arc may have one place only. */
export type ZoomArcs = Arcs;

/** Some of them, with the place on the deepest grid that each is, the first of several that have become one. */
interface RoundedArcs extends ZoomArcs {
  from: Int32Array;
}

/** Points with an effective area above half a pixel stay: square units, of 4,096 along 512 pixels. */
const WEIGHT_MIN = 32;

/**
 * How often points come back, and how often crossings become places of both edges, and what overlaps the same edges.
 */
const ROUNDS = { refined: 30, divided: 10 } as const;

/**
 * About so many edges of a zoom are held apart. They are more where units are smaller than the grid, as villages are
 * where a tile is the world: edges of that level lie on one another by the dozen, and hardly any of it is drawn.
 */
const MEETING_MAX = 4_000_000;

/** The arcs of a zoom, and how many pairs of edges of a level still cross, of those that are held apart. */
export interface MendedArcs {
  arcs: ZoomArcs;
  crossings: number;
}

/** What of the arcs of a zoom meets, as they are before points come back. Plain data. */
export interface FoundMeeting {
  meeting: MeetingEdges;
  /** Of each arc, a bit for each level that was searched: where too much meets, the deepest levels were not. */
  levels: Uint8Array;
}

/**
 * Makes the arcs of a zoom.
 * @param deepest the arcs on the grid of the deepest zoom
 * @param weights of all places, as `weighTileArcs` returns them; none for the deepest zoom, which has all places
 * @param levels of each arc, a bit for each level that has it: only edges of one level are held apart
 * @param below how many zooms it is above the deepest one
 * @param most about how many edges are held apart: if more meet, those of the deepest levels are not
 * @param known what `meetingAtDeepest` found, for the deepest zoom
 */
export function makeZoomArcs(
  deepest: Arcs,
  weights: Float64Array,
  levels: Uint8Array,
  below: number,
  { most = MEETING_MAX, known }: { most?: number; known?: FoundMeeting | undefined } = {},
): MendedArcs {
  const zoom = new Zoom(deepest, weights, levels, below, most);
  zoom.refine(known);
  zoom.divide();
  return zoom.mended();
}

/**
 * Searches the arcs of the deepest zoom.
 * @param levels of each arc, a bit for each level that has it
 * @param most about how many edges may meet: if more do, the deepest levels are not searched
 * @returns with the ends of the arcs whose edges these are
 */
export function meetingAtDeepest(
  deepest: Arcs,
  levels: Uint8Array,
  most = MEETING_MAX,
): FoundMeeting & Pick<Arcs, 'arcEnds'> {
  const arcs = roundedArcs(deepest, new Uint8Array(deepest.x.length).fill(1), 0, 1);
  return { ...searched(arcs, levels, most), arcEnds: arcs.arcEnds };
}

/** What of arcs meets. If more edges do than are held apart, the deepest levels are left out. */
function searched(arcs: ZoomArcs, all: Uint8Array, most: number): FoundMeeting {
  let levels = all;
  let meeting = meetingEdges(arcs, levels, most);
  for (let bit = 1 << (LEVELS.length - 1); meeting.hasMore && bit > 1; bit >>= 1) {
    if (levels.every((bits) => (bits & bit) === 0)) continue;
    levels = levels.map((bits) => bits & (bit - 1));
    meeting = meetingEdges(arcs, levels, most);
  }
  return { meeting, levels };
}

/** A zoom whose arcs are being made. */
class Zoom {
  /** The arcs on the grid of the deepest zoom. */
  readonly #deepest: Arcs;
  readonly #weights: Float64Array;
  /** How many zooms it is above that. */
  readonly #below: number;
  /** How many edges are held apart, and of which levels each arc. */
  readonly #most: number;
  #levels: Uint8Array;
  /** For each place of these the round, from 1, in which the zoom got it; 0 if it has not got it. */
  readonly #kept: Uint8Array;
  /** Made when edges cross. */
  #near: NearArcs | undefined;
  #arcs: ZoomArcs = { x: new Int32Array(), y: new Int32Array(), arcEnds: new Int32Array() };
  /** What of the arcs meets. */
  #meeting: MeetingEdges = { crossing: new Int32Array(), overlapping: new Int32Array(), hasMore: false };

  constructor(deepest: Arcs, weights: Float64Array, levels: Uint8Array, below: number, most: number) {
    this.#deepest = deepest;
    this.#weights = weights;
    this.#below = below;
    this.#most = most;
    this.#levels = levels;
    this.#kept = new Uint8Array(deepest.x.length).fill(below === 0 ? 1 : 0);
    const limit = WEIGHT_MIN * 4 ** below;
    for (let i = 0; i < weights.length; i++) if (f64At(weights, i) > limit) this.#kept[i] = 1;
  }

  /** Looks at all arcs, and brings points back to edges that cross, as long as there are some. */
  refine(known?: FoundMeeting): void {
    let changed = this.#begin(known);
    if (changed.length === 0) return;
    for (let round = 2; round <= ROUNDS.refined && changed.length > 0; round++) {
      const own = this.#rounded(changed);
      const isNew = newEdges(own, this.#rounded(changed, round - 1), this.#kept, round);
      const numbers = this.#nearTo(own, pick(isNew, own.from));
      const some = this.#rounded(numbers);
      const meeting = this.#meetingIn(numbers, some, pick(isNew, some.from));
      changed = this.#refine(some, meeting, round).map((arc) => i32At(numbers, arc));
    }
    this.#arcs = placesOf(this.#rounded());
    this.#meeting = meetingEdges(this.#arcs, this.#levels, this.#most);
  }

  /** Looks at all arcs for the first time. @returns those that have changed; they are made when no more do */
  #begin(known?: FoundMeeting): Int32Array {
    const arcs = this.#rounded();
    const { meeting, levels } = known ?? searched(arcs, this.#levels, this.#most);
    [this.#meeting, this.#levels] = [meeting, levels];
    const changed = this.#refine(arcs, this.#meeting, 1);
    if (changed.length === 0) this.#arcs = placesOf(arcs);
    return changed;
  }

  /** Makes edges that cross still end where they do. */
  divide(): void {
    let before: ZoomArcs | undefined;
    for (let round = 0; round < ROUNDS.divided && this.#meeting.crossing.length > 0; round++) {
      const divided = divideEdges(this.#arcs, this.#meeting, before);
      before = this.#arcs;
      this.#arcs = placesOf(divided);
      const numbers = this.#nearTo(divided, divided.isNew);
      const some = someOf(divided, numbers);
      this.#meeting = placedIn(divided, numbers, some, this.#meetingIn(numbers, some, some.isNew));
    }
  }

  mended(): MendedArcs {
    const { crossing, overlapping } = this.#meeting;
    // Edges lie where they lay: what did not cross does not now.
    const arcs = divideEdges(this.#arcs, { crossing: new Int32Array(), overlapping });
    return { arcs: placesOf(arcs), crossings: crossing.length / 2 };
  }

  /** @param round the last one whose points are wanted */
  #rounded(numbers?: Int32Array, round = ROUNDS.refined + 1): RoundedArcs {
    return roundedArcs(this.#deepest, this.#kept, this.#below, round, numbers);
  }

  /** The arcs that may meet new edges, by number, ascending: nothing else has to be looked at again. */
  #nearTo(arcs: ZoomArcs, isNew: Uint8Array): Int32Array {
    this.#near ??= new NearArcs(this.#deepest, this.#below);
    return this.#near.to(arcs, isNew);
  }

  /** What meets new edges. @param some the arcs of these numbers */
  #meetingIn(numbers: Int32Array, some: ZoomArcs, isNew: Uint8Array): MeetingEdges {
    return meetingEdges(some, pick(this.#levels, numbers), this.#most, isNew);
  }

  /**
   * Brings a point back to each edge that crosses another one: the weightiest of those that it left out.
   * @param round after which it comes
   * @returns the arcs that have changed, ascending
   */
  #refine({ from, arcEnds }: RoundedArcs, { crossing }: MeetingEdges, round: number): Int32Array {
    const [kept, weights] = [this.#kept, this.#weights];
    const isChanged = new Uint8Array(arcEnds.length);
    for (const edge of crossing) {
      let best = -1;
      for (let i = i32At(from, edge) + 1; i < i32At(from, edge + 1); i++)
        if (kept[i] === 0 && (best === -1 || f64At(weights, i) > f64At(weights, best))) best = i;
      if (best === -1) continue;
      kept[best] = round + 1;
      isChanged[arcAt(arcEnds, edge)] = 1;
    }
    return numbersOf(isChanged);
  }
}

/**
 * Rounds the points that are kept. A place that follows itself is one, and a way there and back is none.
 * @param round the last one whose points are wanted
 * @param numbers those of the arcs that are wanted, ascending; all if there are none
 */
function roundedArcs(
  { x, y, arcEnds }: Arcs,
  kept: Uint8Array,
  below: number,
  round: number,
  numbers?: Int32Array,
): RoundedArcs {
  const isKept = (place: number): boolean => kept[place] !== 0 && u8At(kept, place) <= round;
  const count = numbers?.length ?? arcEnds.length;
  const numberOf = (n: number): number => (numbers === undefined ? n : i32At(numbers, n));
  let most = 0;
  for (let n = 0; n < count; n++)
    for (let i = endBefore(arcEnds, numberOf(n)); i < i32At(arcEnds, numberOf(n)); i++) if (isKept(i)) most++;
  const ends = new Int32Array(count);
  const xs = new Int32Array(Math.ceil(most * ROOM));
  const ys = new Int32Array(xs.length);
  const from = new Int32Array(most);
  const half = below === 0 ? 0 : 1 << (below - 1);
  let length = 0;
  for (let n = 0; n < count; n++) {
    const begin = length;
    const end = i32At(arcEnds, numberOf(n));
    for (let i = endBefore(arcEnds, numberOf(n)); i < end; i++) {
      if (!isKept(i)) continue;
      const [column, row] = [(i32At(x, i) + half) >> below, (i32At(y, i) + half) >> below];
      if (length > begin && xs[length - 1] === column && ys[length - 1] === row) continue;
      if (length > begin + 1 && xs[length - 2] === column && ys[length - 2] === row) {
        length--;
        continue;
      }
      xs[length] = column;
      ys[length] = row;
      from[length++] = i;
    }
    ends[n] = length;
  }
  return { x: xs.subarray(0, length), y: ys.subarray(0, length), from: from.subarray(0, length), arcEnds: ends };
}

/** Without what is only needed meanwhile. */
function placesOf({ x, y, arcEnds }: ZoomArcs): ZoomArcs {
  return { x, y, arcEnds };
}

/**
 * The edges that a round has made, and those that have got a point in it, which may have become none.
 * @param before the same arcs without the points of this round
 * @returns for each place of the deepest grid 1 if such an edge begins there
 */
function newEdges({ from, arcEnds }: RoundedArcs, before: RoundedArcs, kept: Uint8Array, round: number): Uint8Array {
  const isNew = new Uint8Array(kept.length);
  for (let arc = 0; arc < arcEnds.length; arc++) {
    let old = endBefore(before.arcEnds, arc);
    for (let edge = endBefore(arcEnds, arc); edge < i32At(arcEnds, arc) - 1; edge++) {
      const [begin, end] = [i32At(from, edge), i32At(from, edge + 1)];
      while (old < before.from.length && i32At(before.from, old) < begin) old++;
      let isOld = before.from[old] === begin && before.from[old + 1] === end;
      for (let i = begin + 1; isOld && i < end; i++) isOld = kept[i] !== round;
      if (!isOld) isNew[begin] = 1;
    }
  }
  return isNew;
}

/** Where values are 1. */
function numbersOf(values: Uint8Array): Int32Array {
  const numbers = new Int32Array(values.length);
  let length = 0;
  for (const [number, value] of values.entries()) if (value === 1) numbers[length++] = number;
  return numbers.slice(0, length);
}

function pick(values: Uint8Array, numbers: Int32Array): Uint8Array {
  const picked = new Uint8Array(numbers.length);
  for (let i = 0; i < picked.length; i++) picked[i] = u8At(values, i32At(numbers, i));
  return picked;
}

/** Some of the arcs: these themselves, not a copy of hundreds of megabytes, if all are wanted. */
function someOf(arcs: DividedArcs, numbers: Int32Array): DividedArcs {
  const { x, y, arcEnds, isNew } = arcs;
  if (numbers.length === arcEnds.length) return arcs;
  const ends = new Int32Array(numbers.length);
  let length = 0;
  for (const [n, arc] of numbers.entries()) ends[n] = length += i32At(arcEnds, arc) - endBefore(arcEnds, arc);
  const some = { x: new Int32Array(length), y: new Int32Array(length), isNew: new Uint8Array(length), arcEnds: ends };
  for (const [n, arc] of numbers.entries()) {
    const [begin, end, at] = [endBefore(arcEnds, arc), i32At(arcEnds, arc), endBefore(ends, n)];
    some.x.set(x.subarray(begin, end), at);
    some.y.set(y.subarray(begin, end), at);
    some.isNew.set(isNew.subarray(begin, end), at);
  }
  return some;
}

/** What was found in some of the arcs, by the places of all. */
function placedIn(all: ZoomArcs, numbers: Int32Array, some: ZoomArcs, found: MeetingEdges): MeetingEdges {
  if (some === all) return found;
  const placeOf = (place: number): number => {
    const n = arcAt(some.arcEnds, place);
    return place - endBefore(some.arcEnds, n) + endBefore(all.arcEnds, i32At(numbers, n));
  };
  return { ...found, crossing: found.crossing.map(placeOf), overlapping: found.overlapping.map(placeOf) };
}
