// Simplifies the shapes of the overview: leaves out the points of least weight, and small islands. Arcs are simplified
// once for all units that share them, so no gaps arise between neighbours.
import type { ArcIndexes } from 'topojson-specification';
import { elementAt } from '../../format/element-at.ts';
import { type Shape, type SharedArcs, signedArea, type WeightedPoint } from './topology.ts';

/** Points that the largest ring of each unit keeps besides the ends of its arcs, so that no unit becomes a splinter. */
const POINTS_KEPT = 5;

/** An island is left out if its area is below this many times the least weight of a point. */
const ISLAND_WEIGHTS = 2;

/** Fewest positions of a closed ring. */
const RING_POSITIONS_MIN = 4;

/** Shapes with their arcs; arcs have at least two points. */
export interface Simplified {
  arcs: (readonly [x: number, y: number])[][];
  /** For each level the shapes by fid. */
  shapes: readonly ReadonlyMap<number, Shape>[];
}

/** The least weights to choose from, ascending: those of all points that may be left out. */
export function weightsOf({ arcs }: SharedArcs): Float64Array {
  const weights: number[] = [];
  for (const arc of arcs) for (const [, , weight] of arc) if (weight > 0 && weight < Infinity) weights.push(weight);
  return Float64Array.from(weights).sort();
}

/** Gives points of the largest ring of each unit an infinite weight. @returns the arcs that are such a ring alone */
export function keepLargestRings({ arcs, shapes }: SharedArcs): ReadonlySet<number> {
  const islands = new Set<number>();
  for (const shape of shapes.flatMap((level) => [...level.values()])) {
    const ring = largestRing(shape, arcs);
    keepPoints(ring, arcs);
    if (ring.length === 1) islands.add(arcNumber(elementAt(ring, 0)));
  }
  return islands;
}

/** The shapes with the points of at least this weight. @param islands arcs of rings that stay */
export function simplify({ arcs, shapes }: SharedArcs, least: number, islands: ReadonlySet<number>): Simplified {
  const kept = arcs.map((arc) => arc.filter(([, , weight]) => weight >= least));
  const isSmallIsland = (ring: ArcIndexes): boolean => {
    const arc = arcNumber(elementAt(ring, 0));
    if (ring.length > 1 || islands.has(arc)) return false;
    return Math.abs(signedArea(elementAt(arcs, arc))) < 2 * ISLAND_WEIGHTS * least;
  };
  const isKept = (ring: ArcIndexes): boolean => {
    if (isSmallIsland(ring)) return false;
    const points = pointsOf(ring, kept);
    return points.length >= RING_POSITIONS_MIN && signedArea(points) !== 0;
  };
  const simpler = (shape: Shape): Shape => {
    const polygons = shape.flatMap((polygon) => {
      const [exterior, ...holes] = polygon;
      return exterior !== undefined && isKept(exterior) ? [[exterior, ...holes.filter(isKept)]] : [];
    });
    return polygons.length > 0 ? polygons : [[largestRing(shape, arcs)]];
  };
  return renumbered(
    kept,
    shapes.map((level) => new Map([...level].map(([fid, shape]) => [fid, simpler(shape)]))),
  );
}

function largestRing(shape: Shape, arcs: readonly WeightedPoint[][]): ArcIndexes {
  let largest = elementAt(elementAt(shape, 0), 0);
  if (shape.length === 1) return largest;
  let area = -1;
  for (const [ring] of shape) {
    if (ring === undefined) continue;
    const own = Math.abs(signedArea(pointsOf(ring, arcs)));
    if (own > area) [largest, area] = [ring, own];
  }
  return largest;
}

/** Keeps the heaviest points of a ring, as many as it needs to have an area. */
function keepPoints(ring: ArcIndexes, arcs: readonly WeightedPoint[][]): void {
  const own = ring.map((index) => elementAt(arcs, arcNumber(index)));
  const free = own.flatMap((arc) => arc.slice(1, -1)).filter(([, , weight]) => weight < Infinity);
  free.sort((a, b) => b[2] - a[2]);
  for (const [i, point] of free.entries()) {
    if (i >= POINTS_KEPT && hasArea(ring, arcs)) return;
    point[2] = Infinity;
  }
}

/** Has a ring an area with the points alone that stay? */
function hasArea(ring: ArcIndexes, arcs: readonly WeightedPoint[][]): boolean {
  return signedArea(pointsOf(ring, arcs).filter(([, , weight]) => weight === Infinity)) !== 0;
}

/** The points of a ring, closed. */
function pointsOf(ring: ArcIndexes, arcs: readonly WeightedPoint[][]): WeightedPoint[] {
  return ring.flatMap((index, i) => {
    const arc = elementAt(arcs, arcNumber(index));
    const forward = index < 0 ? arc.toReversed() : arc;
    // An arc begins with the last point of the one before.
    return i === 0 ? forward : forward.slice(1);
  });
}

function arcNumber(index: number): number {
  return index < 0 ? ~index : index;
}

/** Leaves out the arcs that no shape has, and numbers the others in the order of the shapes. */
function renumbered(arcs: readonly WeightedPoint[][], shapes: readonly Map<number, Shape>[]): Simplified {
  const numbers = new Map<number, number>();
  const used: Simplified['arcs'] = [];
  const numberOf = (index: number): number => {
    const arc = arcNumber(index);
    const known = numbers.get(arc);
    const number = known ?? numbers.size;
    if (known === undefined) {
      numbers.set(arc, number);
      used.push(elementAt(arcs, arc).map(([x, y]) => [x, y]));
    }
    return index < 0 ? ~number : number;
  };
  return {
    shapes: shapes.map(
      (level) =>
        new Map(
          [...level].map(([fid, shape]) => [
            fid,
            shape.map((polygon) => polygon.map((ring) => ring.map((index) => numberOf(index)))),
          ]),
        ),
    ),
    arcs: used,
  };
}
