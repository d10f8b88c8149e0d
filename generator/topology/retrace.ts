// Takes edges there and back out of the rings of single units, and goes on from where they ended around the same piece of
// land: a coarse grid makes such edges, and so does a cut. They have no area. No edge is added.
import { i32At, numberAt } from '../../format/element-at.ts';
import { EdgeTable } from '../rings/edge-table.ts';
import { keyOf, type OpenRing } from '../rings/open-rings.ts';

/** Rings, of which edges may be known to go there and back. */
export interface Divided {
  rings: readonly OpenRing[];
  /** 1 for those, ring by ring; what is not there is 0. */
  isGone: readonly number[];
}

/**
 * Follows the edges of rings anew, also where rings touch themselves or one another: no position is twice in a ring. Of
 * edges that lead the same way one counts.
 */
export function retrace(rings: readonly OpenRing[]): OpenRing[] {
  const edges = new RingEdges(rings);
  const isGone = new Uint8Array(edges.next.length);
  const leaving = new Map<number, number[]>();
  for (const edge of edges.cancel(isGone, () => true, true)) {
    const known = listAt(leaving, edges.keyOf(edge));
    if (isGone[edge] === 0) known.push(edge);
  }
  const traced: OpenRing[] = [];
  for (const own of leaving.values())
    for (let [start] = own; start !== undefined; [start] = own) {
      const walk: number[] = [];
      let edge: number | undefined = start;
      do {
        walk.push(edges.x(edge), edges.y(edge));
        edge = edges.takeNext(edge, leaving);
      } while (edge !== undefined && edge !== start);
      if (edge === undefined) own.shift();
      for (const loop of loopsOf(walk)) traced.push(loop);
    }
  return traced;
}

/**
 * Takes edges there and back out of rings. All other edges stay, also where rings touch themselves.
 * @returns undefined if there are none
 */
export function relink({ rings, isGone: known }: Divided): OpenRing[] | undefined {
  const repeated = repeatedPlaces(rings);
  if (repeated.size === 0 && !known.includes(1)) return undefined;
  const edges = new RingEdges(rings);
  const { next } = edges;
  const isGone = new Uint8Array(next.length);
  isGone.set(known);
  // The tip of a spike is there once.
  const isAsked = (edge: number, to: number): boolean =>
    repeated.has(edges.keyOf(edge)) || repeated.has(edges.keyOf(to));
  edges.cancel(isGone, isAsked, false);
  if (!isGone.includes(1)) return undefined;
  // Where edges are gone as many others end as begin.
  const beginning = new Map<number, number[]>();
  for (const [edge, to] of next.entries())
    if (isGone[edge] === 1 && isGone[to] === 0) listAt(beginning, edges.keyOf(to)).push(to);
  const following = next.map((to, edge) =>
    isGone[edge] === 1 || isGone[to] === 0 ? to : edges.takeNext(edge, beginning),
  );
  const traced: OpenRing[] = [];
  for (const start of next.keys()) {
    const ring: number[] = [];
    for (let edge: number | undefined = start; edge !== undefined && isGone[edge] === 0; edge = following[edge]) {
      isGone[edge] = 1;
      ring.push(edges.x(edge), edges.y(edge));
    }
    if (ring.length > 4) traced.push(ring);
  }
  return traced;
}

/** The places that rings have more than once, as `keyOf` numbers them. */
function repeatedPlaces(rings: readonly OpenRing[]): Set<number> {
  const known = new Set<number>();
  const repeated = new Set<number>();
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const key = keyOf(numberAt(ring, i), numberAt(ring, i + 1));
      if (known.has(key)) repeated.add(key);
      else known.add(key);
    }
  return repeated;
}

function listAt(lists: Map<number, number[]>, key: number): number[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: number[] = [];
  lists.set(key, list);
  return list;
}

const NONE = -1;

/** The edges of rings by number: the edge i begins at place i, and ends where the edge `next[i]` begins. */
class RingEdges {
  readonly next: number[] = [];
  readonly #places: readonly number[];

  constructor(rings: readonly OpenRing[]) {
    this.#places = rings.flat();
    for (const ring of rings) {
      const first = this.next.length;
      for (let i = 0; i < ring.length / 2; i++) this.next.push(first + ((i + 1) % (ring.length / 2)));
    }
  }

  x(edge: number): number {
    return numberAt(this.#places, 2 * edge);
  }

  y(edge: number): number {
    return numberAt(this.#places, 2 * edge + 1);
  }

  /** The place at which an edge begins, as one number. */
  keyOf(edge: number): number {
    return keyOf(this.x(edge), this.y(edge));
  }

  /**
   * Marks edges there and back as gone.
   * @param isAsked may an edge be one of them?
   * @param areTwinsOne is an edge gone, too, if one that stays leads the same way?
   * @returns those that stayed when they were met, in their order
   */
  cancel(isGone: Uint8Array, isAsked: (edge: number, to: number) => boolean, areTwinsOne: boolean): number[] {
    const table = new EdgeTable(this.next.length);
    /** The last edge that waits for one back, by its number in the table; and which one waited before each. */
    const last = new Int32Array(2 * this.next.length).fill(NONE);
    const before = new Int32Array(this.next.length).fill(NONE);
    const waited: number[] = [];
    for (const [edge, to] of this.next.entries()) {
      if (isGone[edge] === 1 || !isAsked(edge, to)) continue;
      const [x, y] = [this.x(edge), this.y(edge)];
      const number = table.add(x, y, this.x(to), this.y(to));
      const other = i32At(last, number);
      if (other !== NONE && (this.x(other) !== x || this.y(other) !== y)) {
        isGone[other] = isGone[edge] = 1;
        last[number] = i32At(before, other);
      } else if (other !== NONE && areTwinsOne) isGone[edge] = 1;
      else {
        before[edge] = other;
        last[number] = edge;
        waited.push(edge);
      }
    }
    return waited;
  }

  /** Takes the edge that follows another one: the first to the right of the way back, as the land is on the left. */
  takeNext(edge: number, leaving: ReadonlyMap<number, number[]>): number | undefined {
    const to = numberAt(this.next, edge);
    const others = leaving.get(this.keyOf(to)) ?? [];
    if (others.length <= 1) return others.pop();
    let [best, least] = [0, Infinity];
    for (const [i, other] of others.entries()) {
      const end = numberAt(this.next, other);
      const [ax, ay] = [this.x(edge) - this.x(to), this.y(edge) - this.y(to)];
      const [bx, by] = [this.x(end) - this.x(to), this.y(end) - this.y(to)];
      const angle = Math.atan2(ay * bx - ax * by, ax * bx + ay * by);
      const turn = angle > 0 ? angle : angle + 2 * Math.PI;
      if (turn < least) [best, least] = [i, turn];
    }
    return others.splice(best, 1)[0];
  }
}

/** Divides a closed way where it comes to a position again. */
function* loopsOf(walk: readonly number[]): Generator<OpenRing> {
  const open: number[] = [];
  const places = new Map<number, number>();
  for (let i = 0; i < walk.length; i += 2) {
    const [x, y] = [numberAt(walk, i), numberAt(walk, i + 1)];
    const key = keyOf(x, y);
    const place = places.get(key);
    if (place !== undefined) {
      const loop = open.splice(place);
      for (let k = 0; k < loop.length; k += 2) places.delete(keyOf(numberAt(loop, k), numberAt(loop, k + 1)));
      yield loop;
    }
    places.set(key, open.length);
    open.push(x, y);
  }
  yield open;
}
