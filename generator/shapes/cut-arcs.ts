// The arcs of a zoom: those points that weigh enough, rounded to its grid, and those that come back so that borders do
// not cross. What is done to an arc is done to all units that have it. Used by prepare-tiles.ts.
import { f64At, i32At, u8At } from '../../format/element-at.ts';
import { LEVELS } from '../../format/levels.ts';
import { type Arcs, arcAt } from './arcs.ts';
import { type MeetingEdges, meetingEdges } from './crossing-edges.ts';
import { divideEdges } from './divide-edges.ts';
import { endBefore } from './level-rings.ts';
import { NearArcs } from './near-arcs.ts';

/** The arcs of a zoom, in units of its grid. An arc may have one place only. */
export type ZoomArcs = Arcs;

/** Some of them, with the place on the deepest grid that each is, the first of several that have become one. */
interface CutArcs extends ZoomArcs {
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

/**
 * Cuts the arcs of a zoom.
 * @param deepest the arcs on the grid of the deepest zoom
 * @param weights of all places, as `weighTileArcs` returns them
 * @param levels of each arc, a bit for each level that has it: only edges of one level are held apart
 * @param below how many zooms it is above the deepest one
 * @param most about how many edges are held apart: if more meet, those of the deepest levels are not
 */
export function cutArcs(
  deepest: Arcs,
  weights: Float64Array,
  levels: Uint8Array,
  below: number,
  most = MEETING_MAX,
): MendedArcs {
  const zoom = new Zoom(deepest, weights, levels, below, most);
  zoom.refine();
  zoom.divide();
  return zoom.mended();
}

/** A zoom that is being cut. */
class Zoom {
  /** The arcs on the grid of the deepest zoom. */
  readonly #deepest: Arcs;
  readonly #weights: Float64Array;
  /** How many zooms it is above that. */
  readonly #below: number;
  /** How many edges are held apart, and of which levels each arc. */
  readonly #most: number;
  #levels: Uint8Array;
  /** For each place of these 1 if the zoom has it. */
  readonly #kept: Uint8Array;
  /** Made when edges cross. */
  #near: NearArcs | undefined;
  #arcs: ZoomArcs = { x: new Int32Array(), y: new Int32Array(), arcEnds: new Int32Array() };
  /** What of the arcs meets. */
  #meeting: MeetingEdges = { crossing: new Int32Array(), overlapping: new Int32Array(), isCut: false };

  constructor(deepest: Arcs, weights: Float64Array, levels: Uint8Array, below: number, most: number) {
    this.#deepest = deepest;
    this.#weights = weights;
    this.#below = below;
    this.#most = most;
    this.#levels = levels;
    this.#kept = new Uint8Array(weights.length);
    const limit = WEIGHT_MIN * 4 ** below;
    for (let i = 0; i < weights.length; i++) if (below === 0 || f64At(weights, i) > limit) this.#kept[i] = 1;
  }

  /** Looks at all arcs, and brings points back to edges that cross, as long as there are some. */
  refine(): void {
    let changed = this.#begin();
    if (changed.length === 0) return;
    for (let round = 1; round < ROUNDS.refined && changed.length > 0; round++) {
      const numbers = this.#around(changed);
      const some = this.#rounded(numbers);
      changed = this.#refine(some, this.#meetingIn(numbers, some, changed)).map((arc) => i32At(numbers, arc));
    }
    this.#arcs = placesOf(this.#rounded());
    this.#meeting = this.#meetingOf(this.#arcs);
  }

  /** Looks at all arcs for the first time. @returns those that have changed; they are made when no more do */
  #begin(): Int32Array {
    const arcs = this.#rounded();
    this.#meeting = this.#meetingOf(arcs);
    for (let bit = 1 << (LEVELS.length - 1); this.#meeting.isCut && bit > 1; bit >>= 1) {
      if (this.#levels.every((bits) => (bits & bit) === 0)) continue;
      this.#levels = this.#levels.map((bits) => bits & (bit - 1));
      this.#meeting = this.#meetingOf(arcs);
    }
    const changed = this.#refine(arcs, this.#meeting);
    if (changed.length === 0) this.#arcs = placesOf(arcs);
    return changed;
  }

  /** Makes edges that cross still end where they do. */
  divide(): void {
    for (let round = 0; round < ROUNDS.divided && this.#meeting.crossing.length > 0; round++) {
      const changed = arcsOf(this.#arcs, this.#meeting);
      this.#arcs = divideEdges(this.#arcs, this.#meeting);
      const numbers = this.#around(changed);
      const some = someOf(this.#arcs, numbers);
      this.#meeting = placedIn(this.#arcs, numbers, some, this.#meetingIn(numbers, some, changed));
    }
  }

  mended(): MendedArcs {
    const { crossing, overlapping } = this.#meeting;
    // Edges lie where they lay: what did not cross does not now.
    const arcs = divideEdges(this.#arcs, { crossing: new Int32Array(), overlapping });
    return { arcs, crossings: crossing.length / 2 };
  }

  #rounded(numbers?: Int32Array): CutArcs {
    return roundedArcs(this.#deepest, this.#kept, this.#below, numbers);
  }

  #meetingOf(arcs: ZoomArcs): MeetingEdges {
    return meetingEdges(arcs, this.#levels, this.#most);
  }

  /** What has changed, and what is near it, by number, ascending: nothing else has to be looked at again. */
  #around(changed: Int32Array): Int32Array {
    this.#near ??= new NearArcs(this.#deepest, this.#below);
    return this.#near.to(changed, this.#kept);
  }

  /** What meets arcs that have changed. @param some the arcs of these numbers */
  #meetingIn(numbers: Int32Array, some: ZoomArcs, changed: Int32Array): MeetingEdges {
    const isChanged = new Uint8Array(this.#levels.length);
    for (const arc of changed) isChanged[arc] = 1;
    return meetingEdges(some, pick(this.#levels, numbers), this.#most, pick(isChanged, numbers));
  }

  /**
   * Brings a point back to each edge that crosses another one: the weightiest of those that it left out.
   * @returns the arcs that have changed, ascending
   */
  #refine({ from, arcEnds }: CutArcs, { crossing }: MeetingEdges): Int32Array {
    const [kept, weights] = [this.#kept, this.#weights];
    const isChanged = new Uint8Array(arcEnds.length);
    for (const edge of crossing) {
      let best = -1;
      for (let i = i32At(from, edge) + 1; i < i32At(from, edge + 1); i++)
        if (kept[i] === 0 && (best === -1 || f64At(weights, i) > f64At(weights, best))) best = i;
      if (best === -1) continue;
      kept[best] = 1;
      isChanged[arcAt(arcEnds, edge)] = 1;
    }
    return numbersOf(isChanged);
  }
}

/**
 * Rounds the points that are kept. A place that follows itself is one, and a way there and back is none.
 * @param numbers those of the arcs that are wanted, ascending; all if there are none
 */
function roundedArcs({ x, y, arcEnds }: Arcs, kept: Uint8Array, below: number, numbers?: Int32Array): CutArcs {
  const count = numbers?.length ?? arcEnds.length;
  const numberOf = (n: number): number => (numbers === undefined ? n : i32At(numbers, n));
  let most = 0;
  for (let n = 0; n < count; n++)
    for (let i = endBefore(arcEnds, numberOf(n)); i < i32At(arcEnds, numberOf(n)); i++) most += u8At(kept, i);
  const ends = new Int32Array(count);
  const xs = new Int32Array(most);
  const ys = new Int32Array(most);
  const from = new Int32Array(most);
  const half = below === 0 ? 0 : 1 << (below - 1);
  let length = 0;
  for (let n = 0; n < count; n++) {
    const begin = length;
    const end = i32At(arcEnds, numberOf(n));
    for (let i = endBefore(arcEnds, numberOf(n)); i < end; i++) {
      if (kept[i] === 0) continue;
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

/** Without what only refining needs. */
function placesOf({ x, y, arcEnds }: CutArcs): ZoomArcs {
  return { x, y, arcEnds };
}

/** The arcs whose edges cross others, or have others on them, ascending. */
function arcsOf({ arcEnds }: ZoomArcs, { crossing, overlapping }: MeetingEdges): Int32Array {
  const isOne = new Uint8Array(arcEnds.length);
  for (const edge of crossing) isOne[arcAt(arcEnds, edge)] = 1;
  for (let i = 0; i < overlapping.length; i += 2) isOne[arcAt(arcEnds, i32At(overlapping, i))] = 1;
  return numbersOf(isOne);
}

/** Where values are 1. */
function numbersOf(values: Uint8Array): Int32Array {
  const numbers = new Int32Array(values.length);
  let length = 0;
  for (const [number, value] of values.entries()) if (value === 1) numbers[length++] = number;
  return numbers.slice(0, length);
}

function pick(values: Uint8Array, numbers: Int32Array): Uint8Array {
  return Uint8Array.from(numbers, (number) => u8At(values, number));
}

/** Some of the arcs. */
function someOf({ x, y, arcEnds }: ZoomArcs, numbers: Int32Array): ZoomArcs {
  const ends = new Int32Array(numbers.length);
  let length = 0;
  for (const [n, arc] of numbers.entries()) ends[n] = length += i32At(arcEnds, arc) - endBefore(arcEnds, arc);
  const [xs, ys] = [new Int32Array(length), new Int32Array(length)];
  for (const [n, arc] of numbers.entries()) {
    xs.set(x.subarray(endBefore(arcEnds, arc), i32At(arcEnds, arc)), endBefore(ends, n));
    ys.set(y.subarray(endBefore(arcEnds, arc), i32At(arcEnds, arc)), endBefore(ends, n));
  }
  return { x: xs, y: ys, arcEnds: ends };
}

/** What was found in some of the arcs, by the places of all. */
function placedIn(all: ZoomArcs, numbers: Int32Array, some: ZoomArcs, found: MeetingEdges): MeetingEdges {
  const placeOf = (place: number): number => {
    const n = arcAt(some.arcEnds, place);
    return place - endBefore(some.arcEnds, n) + endBefore(all.arcEnds, i32At(numbers, n));
  };
  return { ...found, crossing: found.crossing.map(placeOf), overlapping: found.overlapping.map(placeOf) };
}
