// Tidies polygons along the lines at which they were cut: what is cut into several pieces has edges there and back along
// the cut, which are none. Used by quarter-tiles.ts and antimeridian-tiles.ts.
import { numberAt } from '../../format/element-at.ts';
import { nest, type OpenPolygon, type OpenRing, retrace } from './assemble-polygons.ts';

/** A column (axis 0) or a row (axis 1). */
export interface CutLine {
  axis: 0 | 1;
  at: number;
}

/** Polygons whose pieces are polygons of their own; those that have no edge twice along a cut stay as they are. */
export function withoutDoubledEdges(
  polygons: readonly OpenPolygon[],
  lines: readonly CutLine[],
): readonly OpenPolygon[] {
  const rings = polygons.flat();
  return lines.some((line) => isDoubled(rings, line)) ? joinedAlong(rings, lines) : polygons;
}

/** The polygons of rings, of which edges there and back along some lines are none, wherever they begin and end. */
export function joinedAlong(rings: readonly OpenRing[], lines: readonly CutLine[]): OpenPolygon[] {
  return nest(retrace(withCommonPlaces(rings, lines)));
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
