// Compares a published level with GDAL's own reading of the dataset (its GeoJSON and its fields), independently of the code
// that wrote the release. Runs in a child process: gdal-async is used from one thread of a process only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { featureFilePath, manifestPath, releasePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { manifestFromJson } from '../../format/manifest.ts';
import { valuesOf } from '../../format/runs.ts';
import { ValueError, valueToJson } from '../geojson/property-values.ts';
import { openFeatures, readFeatureIndex } from '../reader/feature-reader.ts';
import { featureFrom, type JsonFeature } from '../reader/parse-feature.ts';
import { type LevelLayer, lastGdalError, type OpenLayer, openLayer, openStraightened } from '../source/dataset.ts';
import { geometryDifference } from './compare-geometry.ts';
import { type Fault, type Faults, newFaults, problemOf } from './findings.ts';

/** What to compare. Plain data: it is sent to a child process. */
export interface CompareTask {
  out: string;
  release: string;
  level: Level;
  /** The source's layer of that level. */
  found: LevelLayer;
  /** Decimals of the published coordinates. */
  precision: number;
}

/** What was found. */
export interface CompareResult {
  /** Of the source. */
  features: number;
  faults: Fault[];
}

/** gdal-async has no classes for curves: the layer is read again, with its curves approximated by segments. */
class CurveMet extends Error {}

/** Compares every feature of the layer, and looks for published ones that the layer lacks. */
export function compareLevel(task: CompareTask): CompareResult {
  const opened = openLayer(task.found);
  try {
    return compareOpened(opened, task);
  } catch (error) {
    if (!(error instanceof CurveMet)) throw error;
  } finally {
    opened.close();
  }
  const scratch = mkdtempSync(join(tmpdir(), 'straightened-'));
  try {
    const straight = openStraightened(task.found, join(scratch, 'layer.gpkg'));
    try {
      return compareOpened(straight, task);
    } finally {
      straight.close();
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function compareOpened(opened: OpenLayer, task: CompareTask): CompareResult {
  const { found, level } = task;
  const folder = releasePath(task.release);
  const root = join(task.out, folder);
  const file = manifestPath(level);
  const manifest = manifestFromJson(readFileSync(join(root, file), 'utf8'), file);
  const index = readFeatureIndex(root, manifest);
  const published = openFeatures(root, level, index);
  const fileOf = (position: number): string => `${folder}/${featureFilePath(level, index.fileOf(position))}`;
  const faults = newFaults();
  // Features that remain at the end are published but not in the source.
  const positions = new Map([...valuesOf(manifest.fids)].map((fid, position) => [fid, position]));
  let features = 0;
  try {
    for (let feature = opened.layer.features.first(); feature; feature = opened.layer.features.next()) {
      features++;
      const { fid } = feature;
      const position = positions.get(fid);
      if (position === undefined) {
        faults.add(`${folder}/${file}`, `lacks fid ${fid}, which the source has`);
        continue;
      }
      positions.delete(fid);
      const read = readPublished(() => featureFrom(published.textAt(position)));
      const difference = read && differenceOf(read, feature, opened, task);
      if (difference !== undefined) faults.add(fileOf(position), `fid ${fid}: ${difference}`);
    }
  } finally {
    published.close();
  }
  for (const [fid, position] of positions) faults.add(fileOf(position), `fid ${fid}: the source has no such feature`);
  checkCount(features, found, faults);
  return { features, faults: faults.list() };
}

/** A published feature; undefined if its file is damaged, which the verification of the feature files reports. */
function readPublished(read: () => JsonFeature): JsonFeature | undefined {
  try {
    return read();
  } catch (error) {
    problemOf(error);
    return undefined;
  }
}

/** The iterator returns null at the end and after a read error: only the count distinguishes them. */
function checkCount(features: number, found: LevelLayer, faults: Faults): void {
  if (features === found.features) return;
  const reason = lastGdalError() ? `; GDAL says: ${lastGdalError()}` : '';
  faults.add(found.path, `layer ${found.layer}: GDAL reads ${features} features and counts ${found.features}${reason}`);
}

/** How a published feature differs from the source's; undefined if it does not. */
function differenceOf(
  { properties, geometry }: JsonFeature,
  feature: gdalTypes.Feature,
  opened: OpenLayer,
  { found, precision }: CompareTask,
): string | undefined {
  try {
    const expected = geometryOf(feature, opened);
    return (
      propertiesDifference(properties, feature, found) ??
      geometryDifference(geometry, expected === null ? null : JSON.parse(expected.toJSON()), precision)
    );
  } catch (error) {
    if (error instanceof ValueError) return `the source has a value that cannot be published: ${error.message}`;
    throw error;
  }
}

function propertiesDifference(
  properties: JsonFeature['properties'],
  feature: gdalTypes.Feature,
  { columns }: LevelLayer,
): string | undefined {
  const fields: Readonly<Record<string, unknown>> = feature.fields.toObject();
  const expected = new Map<string, unknown>([['fid', feature.fid]]);
  for (const { name, type } of columns) if (name !== 'fid') expected.set(name, valueToJson(fields[name], type));
  for (const [name, value] of expected) {
    if (!Object.hasOwn(properties, name)) return `has no property ${name}`;
    const [got, want] = [properties[name], value].map((side) => JSON.stringify(side));
    if (got !== want) return `${name} is ${got?.slice(0, 100)}, the source has ${want?.slice(0, 100)}`;
  }
  const more = Object.keys(properties).find((name) => !expected.has(name));
  return more === undefined ? undefined : `has a property ${more}; the source has no such column`;
}

/** The feature's geometry in WGS 84, or null. */
function geometryOf(feature: gdalTypes.Feature, { transformation }: OpenLayer): gdalTypes.Geometry | null {
  try {
    const geometry = feature.getGeometry();
    if (transformation) geometry?.transform(transformation);
    return geometry;
  } catch (error) {
    if (error instanceof Error && error.message.includes('unsupported geometry type')) throw new CurveMet();
    throw new ValueError(error instanceof Error ? error.message : String(error));
  }
}
