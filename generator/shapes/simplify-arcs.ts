// Simplifies arcs by Visvalingam's criterion: a point goes if its triangle with its neighbours is smaller than a limit
// and than those of both neighbours. The ends of an arc, at which borders meet, stay; so do points at the edge of the
// map.
import { elementAt, f64At, i32At } from '../../format/element-at.ts';
import { endBefore } from './level-rings.ts';
import type { Grid, SharedArcs } from './shared-arcs.ts';

/** A limit becomes a quarter, which is half the tolerance, at most so many times: then only points without area go. */
const HALVINGS_MAX = 12;

/** Arcs with the points that are left of them. */
export interface SimplifiedArcs {
  arcs: SharedArcs;
  /** The next point that stays after one that stays in the same arc, as indexes of `arcs.points`. */
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
 * Simplifies arcs.
 * @param limit the area, in cells of the grid at the equator, below which a triangle goes
 */
export function simplifyArcs(arcs: SharedArcs, grid: Grid, limit: number): SimplifiedArcs {
  const { points, arcEnds, x, y } = arcs;
  const radiansPerCell = (grid.cell / grid.scale / 180) * Math.PI;
  const [turn, pole] = [180, 90].map((degrees) => Math.round((degrees * grid.scale) / grid.cell));
  const isAtEdge = (column: number, row: number): boolean =>
    Math.abs(column + grid.left) === turn || Math.abs(row + grid.bottom) === pole;
  /** For each point 0 if it is left out, or 1 and how often the tolerance of the piece after it was halved. */
  const halvings = new Uint8Array(points.length);
  const leftOut = new Set<number>();
  let before = new Int32Array(0);
  let after = new Int32Array(0);
  let weights = new Float64Array(0);

  /** Twice the area of a triangle; that of a point at the edge of the map counts as infinite, unless it has none. */
  const weightOf = (a: number, b: number, c: number): number => {
    const [left, bottom] = [i32At(x, b), i32At(y, b)];
    const area = Math.abs(
      (i32At(x, a) - left) * (i32At(y, c) - bottom) - (i32At(x, c) - left) * (i32At(y, a) - bottom),
    );
    if (area === 0) return 0;
    return isAtEdge(left, bottom) ? Infinity : area * Math.cos((bottom + grid.bottom) * radiansPerCell);
  };

  /** Simplifies the points between two of an arc. @returns whether any is left */
  const sweep = (from: number, to: number, halving: number): boolean => {
    const last = to - from;
    if (weights.length <= last) {
      const length = Math.ceil(GROWTH * last) + 1;
      before = new Int32Array(length);
      after = new Int32Array(length);
      weights = new Float64Array(length);
    }
    const most = (2 * limit) / 4 ** halving;
    const weigh = (i: number): void => {
      const [a, c] = [i32At(before, i), i32At(after, i)];
      weights[i] = weightOf(i32At(points, from + a), i32At(points, from + i), i32At(points, from + c));
    };
    weights[0] = Infinity;
    weights[last] = Infinity;
    halvings[from] = 1 + halving;
    let left = 0;
    let end = 0;
    for (let i = 1; i <= last; i++) {
      if (i < last && leftOut.has(from + i)) continue;
      before[i] = end;
      after[end] = i;
      end = i;
    }
    for (let i = i32At(after, 0); i < last; i = i32At(after, i)) {
      weigh(i);
      halvings[from + i] = 1 + halving;
      left++;
    }
    for (let i = i32At(after, 0); i < last; ) {
      const [a, c] = [i32At(before, i), i32At(after, i)];
      const weight = f64At(weights, i);
      if (!(weight < most && weight < f64At(weights, a) && weight <= f64At(weights, c))) {
        i = c;
        continue;
      }
      halvings[from + i] = 0;
      left--;
      after[a] = c;
      before[c] = a;
      if (a > 0) weigh(a);
      if (c < last) weigh(c);
      // The point before, and the one before that, may now be lighter than their neighbours.
      i = a === 0 ? c : i32At(before, a) === 0 ? a : i32At(before, a);
    }
    return left > 0;
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
      if (sweep(from, to, halving)) return true;
    return false;
  };

  for (let arc = 0; arc < arcEnds.length; arc++) {
    const [begin, last] = [endBefore(arcEnds, arc), i32At(arcEnds, arc) - 1];
    halvings[last] = 1;
    sweep(begin, last, 0);
  }
  return {
    arcs,
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
