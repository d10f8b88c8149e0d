// Asks GDAL (GEOS) whether polygons are valid (OGC 06-103r4), makes them valid, and measures how much of some lies in
// others.
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import { CHECKED_MAX_POSITIONS } from '../../format/level-json.ts';
import { gdal } from './gdal.ts';

const POLYGON = 3;
const MULTI_POLYGON = 6;
const HEAD_BYTES = 9;
const POSITION_BYTES = 16;
/** Rings of x and y, not closed: of each polygon the exterior one and its holes. */
type Polygons = readonly (readonly (readonly number[])[])[];

/**
 * Are polygons valid together as a MultiPolygon (OGC 06-103r4)? Those with more than CHECKED_MAX_POSITIONS are not asked
 * about, and count as valid: with long edges side by side the answer takes minutes.
 */
export function isValid(polygons: Polygons): boolean {
  const positions = polygons.flat().reduce((sum, ring) => sum + ring.length / 2, 0);
  const isAsked = positions > 0 && positions <= CHECKED_MAX_POSITIONS;
  return !isAsked || isValidGeometry(gdal.Geometry.fromWKB(wkbOf(polygons)));
}

/** The same of a geometry of GDAL, of any number of positions. */
export function isValidGeometry(geometry: gdalTypes.Geometry): boolean {
  const answer = geometry.isValid();
  // Where they are not, GDAL notes why as a warning, which is no warning about a dataset.
  if (!answer) gdal.lastError = null;
  return answer;
}

/** The same area as a valid geometry of GDAL. */
export function toValid(polygons: Polygons): gdalTypes.Geometry {
  return madeValid(polygons).geometry;
}

/** The same, and whether it had to be made valid; of any number of positions. */
export function madeValid(polygons: Polygons): { geometry: gdalTypes.Geometry; wasInvalid: boolean } {
  const geometry = gdal.Geometry.fromWKB(wkbOf(polygons));
  const wasInvalid = !isValidGeometry(geometry);
  return { geometry: wasInvalid ? geometry.makeValid() : geometry, wasInvalid };
}

/** The area that two valid geometries share, in their units squared. */
export function sharedArea(one: gdalTypes.Geometry, other: gdalTypes.Geometry): number {
  return areaOf(one.intersection(other));
}

/** The area of the polygons of a geometry, in its units squared. */
export function areaOf(geometry: gdalTypes.Geometry): number {
  return polygonParts(geometry).reduce((sum, polygon) => sum + polygon.getArea(), 0);
}

/** The polygons of a geometry, without the lines and points beside them, which have no area. */
export function polygonParts(geometry: gdalTypes.Geometry): gdalTypes.Polygon[] {
  if (geometry instanceof gdal.Polygon) return [geometry];
  return geometry instanceof gdal.GeometryCollection ? [...geometry.children].flatMap(polygonParts) : [];
}

/** The polygons of a geometry, each made valid by itself: two that overlap keep their whole area. */
export function eachMadeValid(geometry: gdalTypes.Geometry): { polygons: gdalTypes.Polygon[]; wereInvalid: boolean } {
  const polygons = polygonParts(geometry);
  const made = polygons.map((one) => (isValidGeometry(one) ? [one] : polygonParts(one.makeValid())));
  return { polygons: made.flat(), wereInvalid: made.some(([one], i) => one !== polygons[i]) };
}

/** Polygons as one geometry. */
export function multiPolygonOf(polygons: Iterable<gdalTypes.Polygon>): gdalTypes.MultiPolygon {
  const multi = new gdal.MultiPolygon();
  for (const polygon of polygons) multi.children.add(polygon);
  return multi;
}

function wkbOf(polygons: Polygons): Buffer {
  let bytes = HEAD_BYTES;
  for (const polygon of polygons) {
    bytes += HEAD_BYTES;
    for (const ring of polygon) bytes += 4 + POSITION_BYTES * (ring.length / 2 + 1);
  }
  // A view writes doubles several times as fast as a Buffer does.
  const wkb = new DataView(new ArrayBuffer(bytes));
  let at = 0;
  const count = (number: number): void => {
    wkb.setUint32(at, number, true);
    at += 4;
  };
  const head = (type: number, members: number): void => {
    wkb.setUint8(at++, 1);
    count(type);
    count(members);
  };
  head(MULTI_POLYGON, polygons.length);
  for (const polygon of polygons) {
    head(POLYGON, polygon.length);
    for (const ring of polygon) {
      count(ring.length / 2 + 1);
      // The first position is also the last one.
      for (let i = 0; i < ring.length + 2; i++, at += 8) wkb.setFloat64(at, elementAt(ring, i % ring.length), true);
    }
  }
  return Buffer.from(wkb.buffer);
}
