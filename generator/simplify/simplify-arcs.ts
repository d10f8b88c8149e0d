// Simplifies arcs by Visvalingam's criterion: points go in the order of the area of their triangles with their
// neighbours. Every point is weighed once, by the area at which it goes, which only grows; every detail has
// those above a weight. The ends of an arc, at which borders meet, stay; so do points at the edge of the map.
import { elementAt, f64At, i32At } from '../../format/element-at.ts';
import { turn } from '../rings/predicates.ts';
import { endBefore } from '../topology/level-rings.ts';
import type { Grid, SharedArcs } from '../topology/shared-arcs.ts';

/** A limit becomes a quarter, which is half the tolerance, at most so many times: then only points without area go. */
const HALVINGS_MAX = 12;

/** Arcs with the points that are left of them. */
export interface SimplifiedArcs {
  /** The next point that stays after one that stays in the same arc, as indexes of `points`. */
  next(index: number): number;
  /** The one before. */
  previous(index: number): number;
  /**
   * Takes the piece of an arc from a point that stays to the next one at half its tolerance, and again, until at least
   * a point of it comes back. @returns false if none can
   */
  refine(index: number): boolean;
  /** Leaves out a point for good, unless it is an end of an arc. @returns false if it is */
  leaveOut(index: number, arc: number): boolean;
  /** Refines every piece of an arc. */
  refineArc(arc: number): boolean;
}

/** Scratch arrays grow by this factor. */
const GROWTH = 1.25;

/**
 * Weighs the points of all arcs.
 * @param grid on which the arcs are shared
 * @returns for each of `points` twice the area, in cells of the grid at the equator, of the triangle with which it
 *   goes, or of one that went before it if that was larger (Visvalingam and Whyatt 1993); infinite for one that never
 *   goes
 */
export function weighArcs(arcs: SharedArcs, grid: Grid): Float32Array {
  const radiansPerCell = (grid.cell / grid.scale / 180) * Math.PI;
  const [turn, pole] = [180, 90].map((degrees) => Math.round((degrees * grid.scale) / grid.cell));
  return weighPoints(arcs, grid.cell, new Float32Array(arcs.points.length), (area, column, row) =>
    Math.abs(column) === turn || Math.abs(row) === pole ? Infinity : area * Math.cos(row * radiansPerCell),
  );
}

/** The area that counts for a point, from twice that of its triangle, in cells, which is not 0, and from its cell. */
type AreaOf = (area: number, column: number, row: number) => number;

/**
 * Weighs the points of all arcs: by the area with which each goes, or that of one that went before it if that was
 * larger; infinite for the ends of arcs.
 * @param cell size of a cell
 * @param weights of each of `points`, which are set
 */
export function weighPoints<Weights extends Float32Array | Float64Array>(
  arcs: SharedArcs,
  cell: number,
  weights: Weights,
  areaOf: AreaOf,
): Weights {
  const { arcEnds } = arcs;
  weights.fill(Infinity);
  const weigh = newArcWeigher(arcs, cell, areaOf);
  for (let arc = 0; arc < arcEnds.length; arc++) weigh(endBefore(arcEnds, arc), i32At(arcEnds, arc), weights);
  return weights;
}

/** Makes a function that weighs the points between the ends of an arc. Its points are taken from a heap. */
function newArcWeigher({ points, x, y }: SharedArcs, cell: number, areaOf: AreaOf) {
  let columns = new Int32Array(0);
  let rows = new Int32Array(0);
  let before = new Int32Array(0);
  let after = new Int32Array(0);
  let areas = new Float64Array(0);
  const heap = new AreaHeap();

  const areaAt = (b: number): number => {
    const [a, c] = [i32At(before, b), i32At(after, b)];
    const [column, row] = [i32At(columns, b), i32At(rows, b)];
    const area = Math.abs(turn(column, row, i32At(columns, a), i32At(rows, a), i32At(columns, c), i32At(rows, c)));
    return area === 0 ? 0 : areaOf(area, column, row);
  };
  return (begin: number, end: number, weights: Float32Array | Float64Array): void => {
    const last = end - begin - 1;
    if (last < 2) return;
    if (columns.length <= last) {
      const length = Math.ceil(GROWTH * last) + 1;
      columns = new Int32Array(length);
      rows = new Int32Array(length);
      before = new Int32Array(length);
      after = new Int32Array(length);
      areas = new Float64Array(length);
    }
    for (let i = 0; i <= last; i++) {
      const point = i32At(points, begin + i);
      columns[i] = Math.round(i32At(x, point) / cell);
      rows[i] = Math.round(i32At(y, point) / cell);
      before[i] = i - 1;
      after[i] = i + 1;
    }
    for (let i = 1; i < last; i++) areas[i] = areaAt(i);
    heap.fill(areas, last);
    const weighAgain = (i: number): void => {
      if (i === 0 || i === last) return;
      areas[i] = areaAt(i);
      heap.move(i);
    };
    let most = 0;
    for (let i = heap.take(); i !== undefined; i = heap.take()) {
      most = Math.max(most, f64At(areas, i));
      weights[begin + i] = most;
      const [a, c] = [i32At(before, i), i32At(after, i)];
      after[a] = c;
      before[c] = a;
      weighAgain(a);
      weighAgain(c);
    }
  };
}

/** Points by their areas, the least first; of equal ones the first of the arc. */
class AreaHeap {
  #areas: Float64Array = new Float64Array(0);
  /** The points as a binary heap, and the index of each in it. */
  #heap = new Int32Array(0);
  #indexOf = new Int32Array(0);
  #size = 0;

  /** Takes the points from 1 to before `last`. @param areas by point; they change only with `move` */
  fill(areas: Float64Array, last: number): void {
    this.#areas = areas;
    if (this.#heap.length < areas.length) {
      this.#heap = new Int32Array(areas.length);
      this.#indexOf = new Int32Array(areas.length);
    }
    this.#size = last - 1;
    for (let i = 0; i < this.#size; i++) this.#put(i, i + 1);
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Takes the least; undefined if none is left. */
  take(): number | undefined {
    if (this.#size === 0) return undefined;
    const least = i32At(this.#heap, 0);
    const last = i32At(this.#heap, --this.#size);
    if (this.#size > 0) {
      this.#put(0, last);
      this.#sink(0);
    }
    return least;
  }

  /** Moves a point whose area has changed. */
  move(point: number): void {
    const at = i32At(this.#indexOf, point);
    this.#rise(at);
    this.#sink(i32At(this.#indexOf, point));
  }

  #put(at: number, point: number): void {
    this.#heap[at] = point;
    this.#indexOf[point] = at;
  }

  #isLess(a: number, b: number): boolean {
    const [areaOfA, areaOfB] = [f64At(this.#areas, a), f64At(this.#areas, b)];
    return areaOfA < areaOfB || (areaOfA === areaOfB && a < b);
  }

  #rise(from: number): void {
    const point = i32At(this.#heap, from);
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = i32At(this.#heap, above);
      if (!this.#isLess(point, other)) break;
      this.#put(at, other);
      at = above;
    }
    this.#put(at, point);
  }

  #sink(from: number): void {
    const point = i32At(this.#heap, from);
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && this.#isLess(i32At(this.#heap, below + 1), i32At(this.#heap, below))) below++;
      const other = i32At(this.#heap, below);
      if (!this.#isLess(other, point)) break;
      this.#put(at, other);
      at = below;
    }
    this.#put(at, point);
  }
}

/**
 * Simplifies arcs.
 * @param weights of their points
 * @param limit the area, in cells of their grid at the equator, below which a triangle goes
 */
export function simplifyArcs({ points, arcEnds }: SharedArcs, weights: Float32Array, limit: number): SimplifiedArcs {
  /** For each point 0 if it is left out, or 1 and how often the tolerance of the piece after it was halved. */
  const halvings = new Uint8Array(points.length);
  const leftOut = new Set<number>();

  /** Leaves out points between two of an arc. @returns whether any is left */
  const thin = (from: number, to: number, halving: number): boolean => {
    const least = (2 * limit) / 4 ** halving;
    let isAnyLeft = false;
    halvings[from] = 1 + halving;
    for (let i = from + 1; i < to; i++) {
      if (elementAt(weights, i) < least || leftOut.has(i)) continue;
      halvings[i] = 1 + halving;
      isAnyLeft = true;
    }
    return isAnyLeft;
  };
  const next = (index: number): number => {
    let at = index + 1;
    while (halvings[at] === 0) at++;
    return at;
  };
  const previous = (index: number): number => {
    let at = index - 1;
    while (halvings[at] === 0) at--;
    return at;
  };
  const refine = (from: number): boolean => {
    const to = next(from);
    if (to === from + 1) return false;
    for (let halving = elementAt(halvings, from); halving <= HALVINGS_MAX; halving++)
      if (thin(from, to, halving)) return true;
    return false;
  };

  for (let arc = 0; arc < arcEnds.length; arc++) {
    const [begin, last] = [endBefore(arcEnds, arc), i32At(arcEnds, arc) - 1];
    halvings[last] = 1;
    thin(begin, last, 0);
  }
  return {
    next,
    previous,
    refine,
    leaveOut(index, arc) {
      if (index === endBefore(arcEnds, arc) || index === i32At(arcEnds, arc) - 1) return false;
      leftOut.add(index);
      halvings[index] = 0;
      return true;
    },
    refineArc(arc) {
      const last = i32At(arcEnds, arc) - 1;
      let isRefined = false;
      for (let at = endBefore(arcEnds, arc); at < last; ) {
        const to = next(at);
        isRefined = refine(at) || isRefined;
        at = to;
      }
      return isRefined;
    },
  };
}
