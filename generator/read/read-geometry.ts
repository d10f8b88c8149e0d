// Reads the geometry of a feature through GDAL, for builds and for the oracle of the tests that compares a release with
// its source.
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../gdal/gdal.ts';
import { gdalResult } from '../gdal/open-dataset.ts';
import { eachMadeValid, isValidGeometry, multiPolygonOf } from '../gdal/valid-polygons.ts';
import { GeometryError, unsupportedType } from '../rings/wkb-reader.ts';
import type { OpenLayer } from '../source/open-layer.ts';

/**
 * The geometry of a feature in WGS 84, longitude first; null if it has none.
 * @throws GeometryError for a geometry that GDAL cannot read or transform, or of a type that has no GeoJSON form
 */
export function readGeometry(
  feature: gdalTypes.Feature,
  { transformation, isMadeValid }: Pick<OpenLayer, 'transformation' | 'isMadeValid'>,
): gdalTypes.Geometry | null {
  const geometry = geometryOf(feature);
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

function geometryOf(feature: gdalTypes.Feature): gdalTypes.Geometry | null {
  try {
    const geometry = feature.getGeometry();
    return CURVED_LINES.some((line) => geometry instanceof line) ? straightened(feature) : geometry;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!reason.includes(UNSUPPORTED)) throw new GeometryError(reason);
    return straightened(feature);
  }
}

const CURVED_LINES = [gdal.CircularString, gdal.CompoundCurve, gdal.MultiCurve];
/** In gdal-async's message about a geometry that it has no class for. */
const UNSUPPORTED = 'unsupported geometry type';
/** Types of curves, as WKT spells them. */
const CURVES: ReadonlySet<string> = new Set([
  'CIRCULARSTRING',
  'COMPOUNDCURVE',
  'CURVEPOLYGON',
  'MULTICURVE',
  'MULTISURFACE',
]);
/** GDAL's name of its format in memory; before GDAL 3.11 that of layers was another. */
const MEMORY = gdal.drivers.get('MEM').getMetadata()['DCAP_VECTOR'] === 'YES' ? 'MEM' : 'Memory';
const LAYER = 'feature';

/**
 * The geometry with its curves approximated by segments of 4 degrees, GDAL's default: gdal-async has no classes for
 * curved polygons, so GDAL copies the feature, which takes half a millisecond. GDAL 3.6 leaves those with heights as they
 * are.
 */
function straightened(feature: gdalTypes.Feature): gdalTypes.Geometry | null {
  const curved = gdal.drivers.get(MEMORY).create('');
  try {
    const layer = curved.layers.create(LAYER, null, gdal.wkbUnknown);
    const copy = new gdal.Feature(layer);
    copy.setFrom(feature);
    layer.features.add(copy);
    const type = geometryType(curved);
    if (!CURVES.has(type)) throw unsupportedType(type);
    const straight = gdal.vectorTranslate('', curved, ['-f', MEMORY, '-dim', 'XY', '-nlt', 'CONVERT_TO_LINEAR']);
    try {
      return straight.layers.get(0).features.first().getGeometry();
    } finally {
      straight.close();
    }
  } catch (error) {
    if (error instanceof GeometryError) throw error;
    throw new GeometryError(error instanceof Error ? error.message : String(error));
  } finally {
    curved.close();
  }
}

/** The type of a geometry that gdal-async has no class for. OGR SQL has it as a special field. */
function geometryType(dataset: gdalTypes.Dataset): string {
  const rows = dataset.executeSQL(`SELECT OGR_GEOMETRY FROM ${LAYER}`, undefined, 'OGRSQL');
  const type: unknown = rows.features.first()?.fields.get(0);
  return typeof type === 'string' ? type : 'unknown';
}
