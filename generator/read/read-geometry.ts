// Reads the geometry of a feature through GDAL, for builds and for the oracle of the tests that compares a release with
// its source.
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../gdal/gdal.ts';
import { gdalResult } from '../gdal/open-dataset.ts';
import { eachMadeValid, isValidGeometry, multiPolygonOf } from '../gdal/valid-polygons.ts';
import { GeometryError, unsupportedType } from '../rings/wkb-reader.ts';
import type { OpenLayer } from '../source/open-layer.ts';

/**
 * A curve, for which gdal-async has no class: the layer has to be read again with its curves approximated by segments.
 */
export class CurveMet extends Error {}

/** Types of curves, as WKT spells them. */
const CURVES: ReadonlySet<string> = new Set([
  'CIRCULARSTRING',
  'COMPOUNDCURVE',
  'CURVEPOLYGON',
  'MULTICURVE',
  'MULTISURFACE',
]);

/**
 * The geometry of a feature in WGS 84, longitude first; null if it has none.
 * @throws CurveMet
 * @throws GeometryError for a geometry that GDAL cannot read or transform, or of a type that has no GeoJSON form
 */
export function readGeometry(
  feature: gdalTypes.Feature,
  { layer, transformation, isMadeValid }: Pick<OpenLayer, 'layer' | 'transformation' | 'isMadeValid'>,
): gdalTypes.Geometry | null {
  const geometry = geometryOf(feature, layer);
  if (geometry === null || geometry.isEmpty()) return geometry;
  if (transformation !== undefined)
    try {
      geometry.transform(transformation);
    } catch (error) {
      throw new GeometryError(`cannot be transformed to WGS 84: ${error instanceof Error ? error.message : error}`);
    }
  return isMadeValid ? madeValid(geometry) : geometry;
}

/** Valid polygons that cover the same area; the geometry itself if it is valid, has no area, or is none of polygons. */
function madeValid(geometry: gdalTypes.Geometry): gdalTypes.Geometry {
  if (!(geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon) || isValidGeometry(geometry))
    return geometry;
  return gdalResult(
    () => {
      const { polygons } = eachMadeValid(geometry);
      const [first, ...others] = polygons;
      if (first === undefined) return geometry;
      if (others.length === 0 && geometry instanceof gdal.Polygon) return first;
      const together = multiPolygonOf(polygons);
      return isValidGeometry(together)
        ? together
        : others.reduce<gdalTypes.Geometry>((sum, one) => sum.union(one), first);
    },
    (reason) => new GeometryError(`cannot be made valid: ${reason}`),
  );
}

function geometryOf(feature: gdalTypes.Feature, layer: gdalTypes.Layer): gdalTypes.Geometry | null {
  try {
    return feature.getGeometry();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!reason.includes('unsupported geometry type')) throw new GeometryError(reason);
    const type = geometryType(layer, feature.fid);
    if (CURVES.has(type)) throw new CurveMet();
    throw unsupportedType(type);
  }
}

/** The type of a feature's geometry, also one that gdal-async has no class for. OGR SQL has it as a special field. */
function geometryType(layer: gdalTypes.Layer, fid: number): string {
  const name = layer.name.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const rows = layer.ds.executeSQL(`SELECT OGR_GEOMETRY FROM "${name}" WHERE FID = ${fid}`, undefined, 'OGRSQL');
  const type: unknown = rows.features.first()?.fields.get(0);
  return typeof type === 'string' ? type : 'unknown';
}
