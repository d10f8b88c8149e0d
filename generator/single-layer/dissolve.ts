// Dissolves the borders between the members of a unit: their union, made by GEOS through GDAL.
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../source/gdal.ts';
import { takeGdalMessage } from '../source/open-dataset.ts';
import type { Polygonal } from './source-units.ts';

/** Members cannot be united. The message is that of GEOS; the caller adds the place. */
export class UnionError extends Error {}

/** Wraps a polygon; the positions stay as they are. */
export function multiPolygonFrom(geometry: Polygonal): gdalTypes.MultiPolygon {
  if (geometry instanceof gdal.MultiPolygon) return geometry;
  const multi = new gdal.MultiPolygon();
  multi.children.add(geometry);
  return multi;
}

/**
 * The same area in valid polygons, which GEOS needs: its union of invalid ones may be wrong without an error. Each
 * polygon is repaired by itself, so that polygons which overlap keep their whole area.
 * @returns `geometry` itself if all its polygons are valid
 */
export function validPolygons(geometry: gdalTypes.MultiPolygon): gdalTypes.MultiPolygon {
  const polygons = [...geometry.children];
  const isValid = polygons.map((polygon) => polygon.isValid());
  // GDAL describes each invalid polygon in a warning.
  takeGdalMessage();
  if (!isValid.includes(false)) return geometry;
  const valid = new gdal.MultiPolygon();
  for (const [i, polygon] of polygons.entries())
    addPolygons(valid, isValid[i] === true ? polygon : gdalResult(() => polygon.makeValid()));
  return valid;
}

/**
 * The union.
 * @param members valid polygons; they may overlap
 * @throws UnionError if GEOS fails
 */
export function union(members: readonly gdalTypes.MultiPolygon[]): gdalTypes.MultiPolygon {
  const all = new gdal.MultiPolygon();
  for (const member of members) addPolygons(all, member);
  const united = new gdal.MultiPolygon();
  addPolygons(
    united,
    gdalResult(() => all.unionCascaded()),
  );
  return united;
}

/** Adds the polygons of a geometry; its lines and points, which have no area, are left out. */
function addPolygons(to: gdalTypes.MultiPolygon, geometry: gdalTypes.Geometry): void {
  if (geometry instanceof gdal.Polygon) to.children.add(geometry);
  else if (geometry instanceof gdal.GeometryCollection) for (const child of geometry.children) addPolygons(to, child);
}

function gdalResult(operation: () => gdalTypes.Geometry): gdalTypes.Geometry {
  let result: gdalTypes.Geometry;
  try {
    result = operation();
  } catch (error) {
    takeGdalMessage();
    throw new UnionError(error instanceof Error ? error.message : String(error));
  }
  const gdalMessage = takeGdalMessage();
  if (gdalMessage?.isFailure) throw new UnionError(gdalMessage.message);
  return result;
}
