// Writes a GeoPackage: the last step of the sample and of the synthetic dataset. Attribution texts are stored in the
// file's metadata, where `build` reads them (gdal/open-dataset.ts).
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Position } from 'geojson';
import { execute, gdal } from '../gdal/gdal.ts';
import { ATTRIBUTION_ITEM } from '../gdal/open-dataset.ts';
import { BuildError } from '../report/errors.ts';

/** A MultiPolygon as GeoJSON has it: polygons, rings (exterior first), positions in degrees. */
export type PolygonPositions = readonly (readonly (readonly Position[])[])[];

/** One feature to write. */
export interface Unit {
  fid: number;
  /** One for each column of its layer. */
  values: readonly (string | null)[];
  /** Null for no geometry. */
  coordinates: PolygonPositions | null;
}

/** One layer to write; its columns hold text, its geometries are WGS 84 MultiPolygons. */
export interface UnitLayer {
  name: string;
  columns: readonly string[];
  /** How many `units` there are. */
  count: number;
  units: Iterable<Unit>;
}

/** How to write. */
export interface WriteOptions {
  /** Replace `file` if it exists. */
  overwrite?: boolean | undefined;
  /** Called after every thousand features and at the end, with features written and features in all. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The date of last change in GeoPackages, fixed so that the same content gives the same bytes. */
const LAST_CHANGE = '2000-01-01T00:00:00.000Z';

const PROGRESS_STEP_FEATURES = 1000;

/**
 * Writes a GeoPackage under a temporary name and renames it, so that `file` is never incomplete.
 * @returns the number of features of each layer
 * @throws BuildError if `file` exists and `overwrite` is not set, Error if GDAL cannot write
 */
export function writeGeopackage(
  file: string,
  layers: readonly UnitLayer[],
  attribution: readonly string[],
  options: WriteOptions = {},
): number[] {
  if (existsSync(file) && options.overwrite !== true)
    throw new BuildError(`${file} exists already`, 'remove it, or choose another name');
  mkdirSync(dirname(file), { recursive: true });
  const part = join(dirname(file), `.${basename(file, '.gpkg')}.${process.pid}.part.gpkg`);
  try {
    const counts = writeLayers(part, layers, attribution, options.onProgress ?? (() => {}));
    renameSync(part, file);
    return counts;
  } finally {
    for (const ending of ['', '-journal']) rmSync(part + ending, { force: true });
  }
}

function writeLayers(
  file: string,
  layers: readonly UnitLayer[],
  attribution: readonly string[],
  onProgress: (done: number, total: number) => void,
): number[] {
  const total = layers.reduce((sum, layer) => sum + layer.count, 0);
  let done = 0;
  gdal.config.set('OGR_CURRENT_DATE', LAST_CHANGE);
  const dataset = gdal.open(file, 'w', 'GPKG');
  try {
    dataset.setMetadata({ [ATTRIBUTION_ITEM]: attribution.join('\n') });
    return layers.map(({ name, columns, count, units }) => {
      const layerOptions = ['GEOMETRY_NAME=geom', 'SPATIAL_INDEX=NO'];
      const table = dataset.layers.create(
        name,
        gdal.SpatialReference.fromEPSG(4326),
        gdal.wkbMultiPolygon,
        layerOptions,
      );
      for (const column of columns) table.fields.add(new gdal.FieldDefn(column, gdal.OFTString));
      const begun = done;
      // Four times as fast as a transaction for each feature.
      execute(dataset, 'BEGIN');
      // `add` copies the feature, so it is reused.
      const feature = new gdal.Feature(table);
      for (const { fid, values, coordinates } of units) {
        feature.fid = fid;
        feature.fields.set([...values]);
        feature.setGeometry(coordinates && gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates }));
        table.features.add(feature);
        if (++done % PROGRESS_STEP_FEATURES === 0 || done === total) onProgress(done, total);
      }
      execute(dataset, 'COMMIT');
      if (done - begun !== count) throw new Error(`${name}: wrote ${done - begun} features, expected ${count}`);
      return count;
    });
  } finally {
    dataset.close();
    gdal.config.set('OGR_CURRENT_DATE', null);
  }
}
