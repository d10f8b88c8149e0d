// Takes edges there and back out of the polygons of a unit: along the lines at which it was cut, where pieces of it
// hang together, and inside, where the grid has closed a strait or a neck of land. What it has there is no area, and
// its neighbours have the edge in common. Used by quarter-tiles.ts and antimeridian-tiles.ts.
import { numberAt } from '../../format/element-at.ts';
import { keyOf, nest, type OpenPolygon, type OpenRing } from './assemble-polygons.ts';

/** A column (axis 0) or a row (axis 1). */
export interface CutLine {
  axis: 0 | 1;
  at: number;
}

/** Polygons whose pieces are polygons of their own; those that have no edge there and back stay as they are. */
export function withoutDoubledEdges(
  polygons: readonly OpenPolygon[],
  lines: readonly CutLine[],
): readonly OpenPolygon[] {
  const rings = polygons.flat();
  const divided = lines.some((line) => isDoubled(rings, line)) ? withCommonPlaces(rings, lines) : rings;
  const left = relinked(divided);
  return left === undefined ? polygons : nest(left);
}

/** The polygons of rings, of which edges there and back are none: along some lines wherever they begin and end. */
export function joinedAlong(rings: readonly OpenRing[], lines: readonly CutLine[]): OpenPolygon[] {
  const divided = withCommonPlaces(rings, lines);
  return nest(relinked(divided) ?? divided);
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

/**
 * Takes edges there and back out of rings, and goes on from where they ended. All other edges stay, also where rings
 * touch themselves.
 * @returns undefined if there are none
 */
function relinked(rings: readonly OpenRing[]): OpenRing[] | undefined {
  const repeated = repeatedPlaces(rings);
  if (repeated.size === 0) return undefined;
  const places = rings.flat();
  // The edge i begins at place i.
  const next: number[] = [];
  for (const ring of rings) {
    const first = next.length;
    for (let i = 0; i < ring.length / 2; i++) next.push(first + ((i + 1) % (ring.length / 2)));
  }
  const x = (place: number): number => numberAt(places, 2 * place);
  const y = (place: number): number => numberAt(places, 2 * place + 1);
  const isRepeated = (place: number): boolean => repeated.has(keyOf(x(place), y(place)));
  const isGone = new Uint8Array(next.length);
  const waiting = new Map<string, number[]>();
  for (const [edge, to] of next.entries()) {
    // The tip of a spike is there once.
    if (!isRepeated(edge) && !isRepeated(to)) continue;
    const [here, there] = [`${x(edge)},${y(edge)}`, `${x(to)},${y(to)}`];
    const opposite = waiting.get(`${there} ${here}`)?.pop();
    if (opposite === undefined) waiting.set(`${here} ${there}`, [...(waiting.get(`${here} ${there}`) ?? []), edge]);
    else isGone[opposite] = isGone[edge] = 1;
  }
  if (!isGone.includes(1)) return undefined;
  // Where edges are gone as many others end as begin.
  const beginning = new Map<string, number[]>();
  for (const [edge, to] of next.entries())
    if (isGone[edge] === 1 && isGone[to] === 0) {
      const place = `${x(to)},${y(to)}`;
      beginning.set(place, [...(beginning.get(place) ?? []), to]);
    }
  const following = next.slice();
  for (const [edge, to] of next.entries()) {
    if (isGone[edge] === 1 || isGone[to] === 0) continue;
    const others = beginning.get(`${x(to)},${y(to)}`) ?? [];
    const best = others.toSorted((a, b) => turnAt(edge, to, a) - turnAt(edge, to, b))[0] ?? -1;
    following[edge] = best;
    others.splice(others.indexOf(best), 1);
  }
  const traced: OpenRing[] = [];
  for (const start of next.keys()) {
    const ring: number[] = [];
    for (let edge = start; edge !== -1 && isGone[edge] === 0; edge = following[edge] ?? -1) {
      isGone[edge] = 1;
      ring.push(x(edge), y(edge));
    }
    if (ring.length > 4) traced.push(ring);
  }
  return traced;

  /** The angle from the way back to an edge: the land is on the side of the least. */
  function turnAt(edge: number, to: number, other: number): number {
    const end = numberAt(next, other);
    const [ax, ay] = [x(edge) - x(to), y(edge) - y(to)];
    const [bx, by] = [x(end) - x(other), y(end) - y(other)];
    const angle = Math.atan2(ay * bx - ax * by, ax * bx + ay * by);
    return angle > 0 ? angle : angle + 2 * Math.PI;
  }
}

/** Do edges along a line overlap? */
function isDoubled(rings: readonly OpenRing[], { axis, at }: CutLine): boolean {
  const runs: [from: number, to: number][] = [];
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      if (ring[i + axis] !== at || ring[next + axis] !== at) continue;
      const [a, b] = [numberAt(ring, i + 1 - axis), numberAt(ring, next + 1 - axis)];
      runs.push(a < b ? [a, b] : [b, a]);
    }
  runs.sort(([a], [b]) => a - b);
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of runs) {
    if (from < end) return true;
    end = Math.max(end, to);
  }
  return false;
}

/** All edges along a line get the places of the others, so that what overlaps is the same edge. */
function withCommonPlaces(rings: readonly OpenRing[], lines: readonly CutLine[]): OpenRing[] {
  const places = lines.map(({ axis, at }) => {
    const own = new Set<number>();
    for (const ring of rings)
      for (let i = 0; i < ring.length; i += 2) if (ring[i + axis] === at) own.add(numberAt(ring, i + 1 - axis));
    return [...own].sort((a, b) => a - b);
  });
  return rings.map((ring) => {
    const divided: number[] = [];
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      divided.push(numberAt(ring, i), numberAt(ring, i + 1));
      for (const [k, { axis, at }] of lines.entries()) {
        if (ring[i + axis] !== at || ring[next + axis] !== at) continue;
        const [a, b] = [numberAt(ring, i + 1 - axis), numberAt(ring, next + 1 - axis)];
        const between = (places[k] ?? []).filter((place) => place > Math.min(a, b) && place < Math.max(a, b));
        if (b < a) between.reverse();
        for (const place of between) divided.push(...(axis === 0 ? [at, place] : [place, at]));
      }
    }
    return divided;
  });
}
