// Reads the units of a single layer, and GDAL's errors about them.
import type * as gdalTypes from 'gdal-async';
import { gdal } from '../gdal/gdal.ts';
import { gdalResult, takeGdalMessage } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';
import type { DissolvedLayer } from '../source/level-source.ts';

/** A polygonal geometry. */
export type Polygonal = gdalTypes.Polygon | gdalTypes.MultiPolygon;

/** Where the layer is, for messages. */
export function atLayer({ path, layer }: DissolvedLayer): string {
  return `${path}: layer ${layer}`;
}

/** Where a unit is, for messages. */
export function atUnit(source: DissolvedLayer, fid: number): string {
  return `${atLayer(source)}, fid ${fid}`;
}

const DAMAGED = 'the file is damaged or incomplete: download or copy it again';

/** Reads all units, in the order of the file. @throws BuildError if GDAL reports an error or the file ends early */
export function* unitsIn(layer: gdalTypes.Layer, source: DissolvedLayer): Generator<gdalTypes.Feature> {
  const expected = layer.features.count(true);
  let where = atLayer(source);
  let read = 0;
  for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
    where = `${atLayer(source)}, after fid ${feature.fid}`;
    read++;
    yield feature;
    refuseGdalFailure(atUnit(source, feature.fid));
  }
  // At the end and after an error, the iterator returns null.
  refuseGdalFailure(where);
  if (read !== expected) throw new BuildError(`${where}: read ${read} features, expected ${expected}`, DAMAGED);
}

/** Reads the unit with a fid. @throws BuildError if GDAL cannot */
export function unitAt(layer: gdalTypes.Layer, fid: number, source: DissolvedLayer): gdalTypes.Feature {
  return gdalResult(
    () => layer.features.get(fid),
    (reason) => new BuildError(`${atUnit(source, fid)}: GDAL reports: ${reason}`, DAMAGED),
  );
}

/**
 * The geometry of a unit; null if it has none.
 * @throws BuildError if it is not polygonal
 */
export function featurePolygons(feature: gdalTypes.Feature, source: DissolvedLayer): Polygonal | null {
  let geometry: gdalTypes.Geometry | null;
  try {
    geometry = feature.getGeometry();
  } catch (error) {
    // gdal-async has no classes for curves.
    throw new BuildError(
      `${atUnit(source, feature.fid)}: its geometry cannot be read: ${error instanceof Error ? error.message : error}`,
      'convert curves and surfaces first: ogr2ogr -nlt PROMOTE_TO_MULTI -nlt CONVERT_TO_LINEAR OUTPUT.gpkg SOURCE',
    );
  }
  if (geometry === null || geometry.isEmpty()) return null;
  if (geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon) return geometry;
  throw new BuildError(
    `${atUnit(source, feature.fid)}: its geometry is a ${geometry.name}, not a polygon`,
    'fix the feature in the source, or remove it',
  );
}

function refuseGdalFailure(where: string): void {
  const gdalMessage = takeGdalMessage();
  if (gdalMessage?.isFailure) throw new BuildError(`${where}: GDAL reports: ${gdalMessage.message}`, DAMAGED);
}
