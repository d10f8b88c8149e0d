// Joins units that meet themselves at the antimeridian: what lies beyond it is drawn in the buffers of the tiles at the
// edge of the map, without the edge between.
import type { OpenPolygon, OpenRing } from '../rings/open-rings.ts';
import { joinedAlong } from '../topology/cut-edges.ts';
import { boxed, clipRing } from './clip.ts';
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
      .map((ring) => clipRing(boxed(ring), { axis: 0, ...half })?.places)
      .filter((ring) => ring !== undefined);
  });
  // What is not at the edge stays as it is.
  const isAtEdge = (ring: OpenRing): boolean => ring.some((at, i) => i % 2 === 0 && (at <= 0 || at >= side));
  const apart = polygons.filter((polygon) => !polygon.some(isAtEdge));
  const joined = polygons.filter((polygon) => polygon.some(isAtEdge)).flat();
  return [
    ...apart,
    ...joinedAlong(
      [...joined, ...beyond],
      [0, side].map((at) => ({ axis: 0, at })),
    ),
  ];
}
