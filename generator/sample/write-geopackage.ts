// Writes a GeoPackage: the last step of the sample and of the synthetic dataset. Attribution texts are stored in the
// file's metadata, where `build` reads them (source/open-dataset.ts).
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import type { Position } from 'geojson';
import { BuildError } from '../report/errors.ts';
import { gdal } from '../source/gdal.ts';
import { ATTRIBUTION_ITEM } from '../source/open-dataset.ts';

/** A MultiPolygon as GeoJSON has it: polygons, rings (exterior first), positions in degrees. */
export type Coordinates = readonly (readonly (readonly Position[])[])[];

/** One feature to write. */
export interface Unit {
  fid: number;
  /** One for each column of its layer. */
  values: readonly (string | null)[];
  /** Null for no geometry. */
  coordinates: Coordinates | null;
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
    return layers.map((layer) => {
      let written = 0;
      for (const _ of writeUnits(dataset, layer)) {
        written++;
        if (++done % PROGRESS_STEP_FEATURES === 0 || done === total) onProgress(done, total);
      }
      if (written !== layer.count) throw new Error(`${layer.name}: wrote ${written} features, expected ${layer.count}`);
      return written;
    });
  } finally {
    dataset.close();
    gdal.config.set('OGR_CURRENT_DATE', null);
  }
}

/** Writes a layer in one transaction, four times as fast as one a feature; yields after each feature. */
function* writeUnits(dataset: gdalTypes.Dataset, layer: UnitLayer): Generator<void> {
  const table = dataset.layers.create(layer.name, gdal.SpatialReference.fromEPSG(4326), gdal.wkbMultiPolygon, [
    'GEOMETRY_NAME=geom',
    'SPATIAL_INDEX=NO',
  ]);
  for (const column of layer.columns) table.fields.add(new gdal.FieldDefn(column, gdal.OFTString));
  execute(dataset, 'BEGIN');
  // `add` copies the feature, so it is reused.
  const feature = new gdal.Feature(table);
  for (const unit of layer.units) {
    feature.fid = unit.fid;
    feature.fields.set([...unit.values]);
    feature.setGeometry(unit.coordinates === null ? null : gdal.Geometry.fromWKB(coordinatesToWkb(unit.coordinates)));
    table.features.add(feature);
    yield;
  }
  execute(dataset, 'COMMIT');
}

/** Runs a statement without a result: gdal-async then throws an error with an empty message on success. */
function execute(dataset: gdalTypes.Dataset, statement: string): void {
  try {
    dataset.executeSQL(statement);
  } catch (error) {
    if (!(error instanceof Error) || error.message !== '') throw error;
  }
}

const WKB_POLYGON = 3;
const WKB_MULTIPOLYGON = 6;
const HEAD_BYTES = 9;
const COUNT_BYTES = 4;
const POSITION_BYTES = 16;

/** Little-endian WKB of a MultiPolygon. */
function coordinatesToWkb(coordinates: Coordinates): Buffer {
  let size = HEAD_BYTES;
  for (const polygon of coordinates) {
    size += HEAD_BYTES;
    for (const ring of polygon) size += COUNT_BYTES + ring.length * POSITION_BYTES;
  }
  const wkb = Buffer.allocUnsafe(size);
  let at = writeHead(wkb, 0, WKB_MULTIPOLYGON, coordinates.length);
  for (const polygon of coordinates) {
    at = writeHead(wkb, at, WKB_POLYGON, polygon.length);
    for (const ring of polygon) {
      at = wkb.writeUInt32LE(ring.length, at);
      for (const position of ring) {
        at = wkb.writeDoubleLE(position[0] ?? Number.NaN, at);
        at = wkb.writeDoubleLE(position[1] ?? Number.NaN, at);
      }
    }
  }
  return wkb;
}

/** Byte order, type and count of parts; returns the offset after them. */
function writeHead(wkb: Buffer, at: number, type: number, parts: number): number {
  wkb.writeUInt8(1, at);
  wkb.writeUInt32LE(type, at + 1);
  return wkb.writeUInt32LE(parts, at + 5);
}
