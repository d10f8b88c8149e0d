// Joins units that meet themselves at the antimeridian: what lies beyond it is drawn in the buffers of the tiles at the
// edge of the map, without the edge between. Used by cut-tiles.ts.
import { numberAt } from '../../format/element-at.ts';
import { nest, type OpenPolygon, type OpenRing, retrace } from './assemble-polygons.ts';
import { clipRing } from './clip.ts';
import { TILE_BUFFER } from './quarter-tiles.ts';

/** The polygons of a unit with the buffers beyond the edge of the map. @param side of the map, in units of the zoom */
export function joinAtAntimeridian(polygons: readonly OpenPolygon[], side: number): readonly OpenPolygon[] {
  const rings = polygons.flat();
  const meets = (x: number): boolean => rings.some((ring) => ring.some((at, i) => i % 2 === 0 && at === x));
  if (!meets(0) || !meets(side)) return polygons;
  const beyond = [-side, side].flatMap((shift) => {
    const half = shift < 0 ? { at: -TILE_BUFFER, isBelow: false } : { at: side + TILE_BUFFER, isBelow: true };
    return rings
      .map((ring) => ring.map((at, i) => (i % 2 === 0 ? at + shift : at)))
      .map((ring) => clipRing(ring, { axis: 0, ...half }))
      .filter((ring) => ring.length > 0);
  });
  // What is not at the edge stays as it is.
  const isAtEdge = (ring: OpenRing): boolean => ring.some((at, i) => i % 2 === 0 && (at <= 0 || at >= side));
  const apart = polygons.filter((polygon) => !polygon.some(isAtEdge));
  const joined = polygons.filter((polygon) => polygon.some(isAtEdge)).flat();
  return [...apart, ...nest(retrace(withCommonPlaces([...joined, ...beyond], [0, side])))];
}

/** Both sides of an edge of the map get the places of the other one, so that they are the same edges. */
function withCommonPlaces(rings: readonly OpenRing[], columns: readonly number[]): OpenRing[] {
  const rows = columns.map((column) => {
    const own = rings.flatMap((ring) => ring.filter((_, i) => i % 2 === 1 && ring[i - 1] === column));
    return [...new Set(own)].sort((a, b) => a - b);
  });
  return rings.map((ring) =>
    ring.flatMap((x, i) => {
      if (i % 2 === 1) return [];
      const [y, nextX, nextY] = [1, 2, 3].map((k) => numberAt(ring, (i + k) % ring.length)) as [number, number, number];
      const at = nextX === x ? columns.indexOf(x) : -1;
      const between = (rows[at] ?? []).filter((row) => row > Math.min(y, nextY) && row < Math.max(y, nextY));
      if (nextY < y) between.reverse();
      return [x, y, ...between.flatMap((row) => [x, row])];
    }),
  );
}
