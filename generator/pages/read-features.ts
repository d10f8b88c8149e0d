// Reads one level's layer through GDAL, serialises each feature once and appends it to the level's store.
// Runs in a child process: gdal-async is used from one thread of a process only.
import { rmSync } from 'node:fs';
import type * as gdalTypes from 'gdal-async';
import { elementAt } from '../../format/element-at.ts';
import type { StoredPages } from '../../format/levels.ts';
import { type FeatureWriter, newFeatureWriter, type WrittenFeature } from '../geojson/feature.ts';
import { GeometryError } from '../geojson/geometry.ts';
import { gidFrom, ValueError } from '../geojson/property-values.ts';
import { BuildError } from '../report/errors.ts';
import {
  gidColumnNames,
  type LevelLayer,
  lastGdalError,
  type OpenLayer,
  openLayer,
  openStraightened,
} from '../source/dataset.ts';
import { createStore, type StoreWriter } from './feature-store.ts';
import { type Acceptable, type Accepted, checkIdentifiers, planLevel } from './plan.ts';

/** What to read, and the store to write. Plain data: it is sent to a child process. */
export interface ReadTask {
  found: LevelLayer;
  /** Decimals of the coordinates. */
  precision: number;
  /** Path of the store. */
  store: string;
  accept: readonly Acceptable[];
  storedPages: StoredPages;
}

/** The result of reading a level. */
export interface ReadResult {
  features: number;
  /** Number of rings without area at this precision. */
  collapsedRings: number;
  /** Number of units that have only such rings. */
  collapsedGeometries: number;
  accepted: Accepted;
  /** Number of pages that the level will store. */
  pages: number;
}

/** gdal-async has no classes for curves: the layer is read again, with its curves approximated by segments. */
class CurveMet extends Error {}

/**
 * Reads the layer into the store.
 * @throws BuildError with layer, level and fid if a feature cannot be published or GDAL stops early
 */
export function readLevel(task: ReadTask): ReadResult {
  const opened = openLayer(task.found);
  try {
    return readOpened(opened, task);
  } catch (error) {
    if (!(error instanceof CurveMet)) throw error;
  } finally {
    opened.close();
  }
  const scratch = `${task.store}.straight.gpkg`;
  const straight = openStraightened(task.found, scratch);
  try {
    return readOpened(straight, task);
  } finally {
    straight.close();
    rmSync(scratch, { force: true });
  }
}

function readOpened(opened: OpenLayer, task: ReadTask): ReadResult {
  const { found } = task;
  const store = createStore(task.store, gidColumnNames(found));
  const read = readFeatures(opened, task, store);
  const index = store.close();
  if (read.features !== found.features) {
    throw new BuildError(
      `${found.path}: layer ${found.layer} (level ${found.level}): read ${read.features} features, expected ${found.features}` +
        `${lastGdalError() ? `; GDAL says: ${lastGdalError()}` : ''}`,
      'the file is damaged or incomplete: download or copy it again',
    );
  }
  const accepted = checkIdentifiers(found.level, index, task.accept);
  const { pages } = planLevel(found.level, index, task.storedPages);
  return { ...read, accepted, pages: pages.geojsonl + pages.fc };
}

function readFeatures(opened: OpenLayer, task: ReadTask, store: StoreWriter): Omit<ReadResult, 'accepted' | 'pages'> {
  const { found } = task;
  const writer = newFeatureWriter(found.columns, task.precision);
  const result = { features: 0, collapsedRings: 0, collapsedGeometries: 0 };
  // The iterator returns null at the end and after a read error: only the count distinguishes them.
  for (let feature = opened.layer.features.first(); feature; feature = opened.layer.features.next()) {
    const { fid } = feature;
    const values = feature.fields.toArray();
    const gids = found.gidColumns.map((at) => gidFrom(values[at]));
    const written = write(writer, feature, values, opened, found);
    if (written.isCollapsed && !task.accept.includes('collapsed-geometries')) throw collapsedError(fid, task);
    result.collapsedRings += written.collapsed;
    if (written.isCollapsed) result.collapsedGeometries++;
    store.append(fid, gids, written.text);
    result.features++;
  }
  return result;
}

function collapsedError(fid: number, { found, precision }: ReadTask): BuildError {
  return new BuildError(
    `${found.path}: layer ${found.layer} (level ${found.level}), fid ${fid}: its geometry has no area left at ${precision} decimals`,
    'raise --precision, or publish the unit unchanged with --accept collapsed-geometries',
  );
}

function write(
  writer: FeatureWriter,
  feature: gdalTypes.Feature,
  values: readonly unknown[],
  opened: OpenLayer,
  found: LevelLayer,
): WrittenFeature {
  try {
    return writer(feature.fid, values, wkbOf(feature, opened));
  } catch (error) {
    if (!(error instanceof GeometryError || error instanceof ValueError)) throw error;
    const gid = gidFrom(values[elementAt(found.gidColumns, found.level)]) ?? 'none';
    throw new BuildError(
      `${found.path}: layer ${found.layer} (level ${found.level}), fid ${feature.fid}, GID ${gid}: ${error.message}`,
      'fix the feature in the source',
    );
  }
}

/** The feature's geometry as little-endian ISO WKB in WGS 84, or null. */
function wkbOf(feature: gdalTypes.Feature, opened: OpenLayer): Buffer | null {
  const geometry = geometryOf(feature);
  if (geometry === null || geometry.isEmpty()) return null;
  if (opened.transformation) {
    try {
      geometry.transform(opened.transformation);
    } catch (error) {
      throw new GeometryError(`cannot be transformed to WGS 84: ${error instanceof Error ? error.message : error}`);
    }
  }
  return geometry.toWKB('LSB', 'ISO');
}

function geometryOf(feature: gdalTypes.Feature): gdalTypes.Geometry | null {
  try {
    return feature.getGeometry();
  } catch (error) {
    if (error instanceof Error && error.message.includes('unsupported geometry type')) throw new CurveMet();
    throw new GeometryError(error instanceof Error ? error.message : String(error));
  }
}
