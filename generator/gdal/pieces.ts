// Divides large polygons into pieces, so that what is asked of a place costs what lies around it, not the whole polygon.
import type * as gdalTypes from 'gdal-async';
import { gdal } from './gdal.ts';
import { multiPolygonOf, polygonParts } from './valid-polygons.ts';

/** Positions of a piece that is not divided. */
const PIECE_POSITIONS = 2000;
/** Halves of halves are not divided further than this: where so much lies in one place, it does not help. */
const HALVINGS_MAX = 24;

/** A part of a geometry. */
export interface Piece {
  geometry: gdalTypes.Geometry;
  envelope: gdalTypes.Envelope;
}

/** The pieces of valid polygons, which have no area in common and together the same. */
export function inPieces(geometry: gdalTypes.Geometry, halvings = 0): Piece[] {
  const envelope = geometry.getEnvelope();
  const polygons = polygonParts(geometry);
  const rings = polygons.flatMap(({ rings: own }) => own.toArray());
  const positions = rings.reduce((sum, { points }) => sum + points.count(), 0);
  if (positions <= PIECE_POSITIONS || halvings === HALVINGS_MAX) return [{ geometry, envelope }];
  return halvesOf(envelope).flatMap((half) => {
    const parts = polygonParts(geometry.intersection(half));
    return parts.length === 0 ? [] : inPieces(multiPolygonOf(parts), halvings + 1);
  });
}

/** What two geometries have in common, in the polygons that their pieces have. */
export function commonOf(one: readonly Piece[], other: readonly Piece[]): gdalTypes.Polygon[] {
  return one.flatMap((a) =>
    other
      .filter((b) => a.envelope.intersects(b.envelope))
      .flatMap((b) => polygonParts(a.geometry.intersection(b.geometry))),
  );
}

/** A box in two, across its longer side. */
function halvesOf({ minX, minY, maxX, maxY }: gdalTypes.Envelope): gdalTypes.Polygon[] {
  const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2];
  const halves =
    maxX - minX > maxY - minY
      ? [new gdal.Envelope({ minX, minY, maxX: x, maxY }), new gdal.Envelope({ minX: x, minY, maxX, maxY })]
      : [new gdal.Envelope({ minX, minY, maxX, maxY: y }), new gdal.Envelope({ minX, minY: y, maxX, maxY })];
  return halves.map((half) => half.toPolygon());
}
