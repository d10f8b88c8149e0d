// Finds the edges of a unit that cross or overlap others of it: the borders at which simplification has to try again.
// Exact for whole numbers below 2^25.
import { i32At } from '../../format/element-at.ts';
import { doCross, isOnEdge } from '../rings/predicates.ts';
import type { Arcs } from '../topology/arcs.ts';
import { squaresOf } from '../topology/edge-squares.ts';

/** Two edges that cross or overlap. An edge is the index of its first place. */
export interface Crossing {
  edges: readonly [number, number];
  /** Their ends beside the other edge, the nearest first: of which edge, and whether it is its second one. */
  ends: readonly (readonly [edge: number, isSecond: boolean])[];
}

/** Pairs of edges that are compared for each edge, at most: a border has few neighbours, a scribble has all of it. */
const PAIRS_MAX = 256;

/** The pairs of edges that meet elsewhere than at a common end; undefined if they are tangled. */
export function crossingsOf(arcs: Arcs): Crossing[] | undefined {
  const places = arcs.x.length;
  const pairs = new Set<number>();
  const areAll = eachSquare(arcs, (edges) => {
    for (const [i, a] of edges.entries())
      for (const b of edges.subarray(i + 1)) if (a !== b && isCrossing(arcs, a, b)) pairs.add(a * places + b);
  });
  if (!areAll) return undefined;
  return Array.from(Float64Array.from(pairs).sort(), (pair) => {
    const [a, b] = [Math.floor(pair / places), pair % places];
    return { edges: [a, b], ends: nearestEnds(arcs, a, b) };
  });
}

/** Do so many edges lie near each other that it would take minutes to tell them apart? */
export function areTangled(arcs: Arcs): boolean {
  return !eachSquare(arcs, () => {});
}

/**
 * Takes the edges of squares that lie in one, ascending; two edges may be in several.
 * @returns false if there are too many pairs, of which some are taken
 */
function eachSquare(arcs: Arcs, take: (edges: Int32Array) => void): boolean {
  let pairs = PAIRS_MAX * arcs.x.length;
  for (const { edges, newCounts } of squaresOf(arcs, new Uint8Array(arcs.arcEnds.length).fill(1), undefined))
    for (const [square, count] of newCounts.entries()) {
      pairs -= (count * (count - 1)) / 2;
      if (pairs < 0) return false;
      if (count > 1) take(edges.of(square));
    }
  return true;
}

type Place = readonly [x: number, y: number];

function placeAt({ x, y }: Arcs, index: number): Place {
  return [i32At(x, index), i32At(y, index)];
}

function isCrossing(arcs: Arcs, i: number, k: number): boolean {
  const [[ax, ay], [bx, by]] = [placeAt(arcs, i), placeAt(arcs, i + 1)];
  const [[cx, cy], [dx, dy]] = [placeAt(arcs, k), placeAt(arcs, k + 1)];
  // An edge there and back is none.
  if (ax === cx && ay === cy && bx === dx && by === dy) return true;
  if (doCross(ax, ay, bx, by, cx, cy, dx, dy)) return true;
  if (isOnEdge(ax, ay, bx, by, cx, cy) || isOnEdge(ax, ay, bx, by, dx, dy)) return true;
  return isOnEdge(cx, cy, dx, dy, ax, ay) || isOnEdge(cx, cy, dx, dy, bx, by);
}

function nearestEnds(arcs: Arcs, i: number, k: number): Crossing['ends'] {
  const ends = [
    [i, false, k],
    [i, true, k],
    [k, false, i],
    [k, true, i],
  ] as const;
  return ends
    .map(([edge, isSecond, other]) => {
      const place = placeAt(arcs, isSecond ? edge + 1 : edge);
      return {
        end: [edge, isSecond] as const,
        distance: distanceTo(placeAt(arcs, other), placeAt(arcs, other + 1), place),
      };
    })
    .filter(({ distance }) => distance <= 1)
    .sort((a, b) => a.distance - b.distance)
    .map(({ end }) => end);
}

/** How far a place is from an edge, squared. */
function distanceTo([x1, y1]: Place, [x2, y2]: Place, [x, y]: Place): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy);
  const share = Math.max(0, Math.min(along, 1));
  return (x1 + share * dx - x) ** 2 + (y1 + share * dy - y) ** 2;
}
