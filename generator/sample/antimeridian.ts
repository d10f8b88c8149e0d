// Cuts polygons that cross the antimeridian in two or more (RFC 7946, section 3.1.9), for datasets made here.
import type * as gdalTypes from 'gdal-async';
import type { Position } from 'geojson';
import { elementAt } from '../../format/element-at.ts';
import { gdal } from '../gdal/gdal.ts';

const HALF_TURN = 180;
const TURN = 360;
const POLE = 90;

/**
 * The parts of a polygon whose edges go the short way round (a step of more than 180 degrees of longitude crosses the
 * antimeridian), each between -180 and 180. A ring around a pole is extended along the antimeridian to the pole.
 * @param polygon rings, exterior first; longitudes may lie beyond 180
 * @returns polygons; the given one if it does not cross
 */
export function cutAtAntimeridian(polygon: readonly (readonly Position[])[]): readonly (readonly Position[])[][] {
  if (polygon.every((ring) => !crosses(ring))) return [[...polygon]];
  const [exterior = [], ...holes] = polygon.map((ring) => aroundPole(unwrap(ring)));
  const west = exterior.reduce((least, [x]) => Math.min(least, x), Number.POSITIVE_INFINITY);
  // Each hole by as many turns as bring it into the exterior ring.
  const aligned = holes.map((hole) => shift(hole, TURN * Math.ceil((west - elementAt(hole, 0)[0]) / TURN)));
  const whole = polygonOf([exterior, ...aligned]);
  const { minX, maxX } = whole.getEnvelope();
  const parts: Point[][][] = [];
  for (let turn = Math.floor((minX + HALF_TURN) / TURN); turn * TURN - HALF_TURN < maxX; turn++)
    parts.push(...partsOn(whole, turn).map((rings) => rings.map((ring) => shift(ring, -turn * TURN))));
  return parts;
}

function crosses(ring: readonly Position[]): boolean {
  return ring.some(([x = 0], i) => Math.abs(x) > HALF_TURN || Math.abs(x - (ring[i - 1]?.[0] ?? x)) > HALF_TURN);
}

/** Makes longitudes continuous. */
function unwrap(ring: readonly Position[]): Point[] {
  let last = ring[0]?.[0] ?? 0;
  return ring.map(([x = 0, y = 0]) => {
    last = x - TURN * Math.round((x - last) / TURN);
    return [last, y];
  });
}

/**
 * Closes a ring whose end is 360 degrees from its start: by way of the pole of its hemisphere, along the antimeridian.
 */
function aroundPole(ring: Point[]): Point[] {
  const [first, last] = [elementAt(ring, 0), elementAt(ring, ring.length - 1)];
  const turn = last[0] - first[0];
  if (Math.abs(turn) < HALF_TURN) return ring;
  const pole = Math.sign(ring.reduce((sum, [, y]) => sum + y, 0)) * POLE;
  // In two laps there is a whole one from antimeridian to antimeridian.
  const laps = [...ring, ...ring.slice(1).map(([x, y]): Point => [x + turn, y])];
  const strip = polygonOf([[...laps, [last[0] + turn, pole], [first[0], pole], first]]);
  return elementAt(elementAt(partsOn(strip, Math.ceil((strip.getEnvelope().minX + HALF_TURN) / TURN)), 0), 0);
}

function shift(ring: readonly Point[], degrees: number): Point[] {
  return ring.map(([x, y]) => [x + degrees, y]);
}

function polygonOf(rings: readonly (readonly Point[])[]): gdalTypes.Geometry {
  return gdal.Geometry.fromGeoJson({ type: 'Polygon', coordinates: rings });
}

/**
 * The parts of a geometry on the map that lies some turns to the east. A polygon of an atlas may touch or cross itself.
 */
function partsOn(geometry: gdalTypes.Geometry, turn: number): Point[][][] {
  const [minX, maxX] = [turn * TURN - HALF_TURN, turn * TURN + HALF_TURN];
  const map = new gdal.Envelope({ minX, minY: -POLE, maxX, maxY: POLE }).toPolygon();
  return polygonsIn(JSON.parse(geometry.makeValid().intersection(map).toJSON()));
}

/** GeoJSON of what an operation on polygons gives; what only touches is a line or a point. */
export type Common =
  | { type: 'Polygon'; coordinates: Point[][] }
  | { type: 'MultiPolygon'; coordinates: Point[][][] }
  | { type: 'GeometryCollection'; geometries: Common[] }
  | { type: 'Point' | 'MultiPoint' | 'LineString' | 'MultiLineString' };

/** The polygons of a geometry, without the lines and points beside them. @param common parsed GeoJSON of GDAL */
export function polygonsIn(common: Common): Point[][][] {
  if (common.type === 'GeometryCollection') return common.geometries.flatMap(polygonsIn);
  if (common.type === 'Polygon') return [common.coordinates];
  return common.type === 'MultiPolygon' ? common.coordinates : [];
}

/** Longitude and latitude in degrees. */
type Point = [number, number];
