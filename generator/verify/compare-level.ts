// Compares a published level with GDAL's own reading of the dataset (its GeoJSON and its fields), independently of the code
// that wrote the release. Runs in a child process: gdal-async is used from one thread of a process only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { featureFilePath, indexPath, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { columnValue, jsonOf, type PropertyValue, ValueError, valueToJson } from '../geojson/property-values.ts';
import { CurveMet, readGeometry } from '../geojson/read-geometry.ts';
import { GeometryError } from '../geojson/wkb-reader.ts';
import { problemOf } from '../reader/file-error.ts';
import { featureFrom, type JsonFeature, parsedToJson } from '../reader/parse-feature.ts';
import { type FeatureReader, openFeatures, readLevel } from '../reader/read-level.ts';
import type { LayerSource, LevelSource } from '../source/level-source.ts';
import { takeGdalMessage } from '../source/open-dataset.ts';
import { type OpenLayer, openLayer, type ReadingMode } from '../source/open-layer.ts';
import { geometryDifference } from './compare-geometry.ts';
import { type Finding, Findings } from './findings.ts';

/** What to compare. Plain data: it is sent to a child process. */
export interface CompareTask {
  out: string;
  release: string;
  /** The source of the level. */
  source: LevelSource;
  /** Do the units have other fids than in the source (see `isRenumbered` in release.json)? */
  isRenumbered: boolean;
  /** Decimals of the published coordinates. */
  precision: number;
}

/** What was found. */
export interface CompareResult {
  /** Of the source. */
  features: number;
  findings: Finding[];
}

/** Compares every feature of a level, and looks for published ones that the source lacks. */
export function compareLevel(task: CompareTask): CompareResult {
  const scratch = mkdtempSync(join(tmpdir(), 'compare-'));
  const published = new PublishedLevel(task);
  const findings = new Findings();
  let features = 0;
  try {
    for (const layer of task.source.layers) {
      features += compareLayer(layer, { first: features, scratch, published, findings, task });
    }
    for (const [fid, file] of published.rest()) findings.add(file, `fid ${fid}: the source has no such feature`);
    return { features, findings: findings.list() };
  } finally {
    published.close();
    rmSync(scratch, { recursive: true });
  }
}

/** What the comparison of a layer needs. */
interface Comparison {
  /** Number of features of the layers before. */
  first: number;
  scratch: string;
  published: PublishedLevel;
  findings: Findings;
  task: CompareTask;
}

/** Compares the features of a layer; returns their number. */
function compareLayer(layer: LayerSource, comparison: Comparison): number {
  const mode = readingModeOf(layer, comparison.scratch);
  const copy = join(comparison.scratch, 'copy.gpkg');
  const opened = openLayer(layer, mode, copy);
  try {
    return compareFeatures(opened, layer, comparison);
  } finally {
    opened.close();
    rmSync(copy, { force: true });
  }
}

/** How GDAL can read all features of a layer. */
function readingModeOf(layer: LayerSource, scratch: string): ReadingMode {
  const hasIntegers = layer.columns.some(({ type }) => type === 'integer64');
  const opened = openLayer(layer, { isStraightened: false, hasTextIntegers: false }, scratch);
  try {
    for (let feature = opened.layer.features.first(); feature; feature = opened.layer.features.next())
      readGeometry(feature, opened);
  } catch (error) {
    if (error instanceof CurveMet) return { isStraightened: true, hasTextIntegers: hasIntegers };
    if (!(error instanceof GeometryError)) throw error;
  } finally {
    opened.close();
    takeGdalMessage();
  }
  return { isStraightened: false, hasTextIntegers: hasIntegers };
}

function compareFeatures(
  opened: OpenLayer,
  layer: LayerSource,
  { first, published, findings, task }: Comparison,
): number {
  let features = 0;
  const reportMessage = (where: string): void => {
    const gdalMessage = takeGdalMessage();
    if (gdalMessage?.isFailure)
      findings.add(layer.path, `layer ${layer.layer}${where}: GDAL reports: ${gdalMessage.message}`);
  };
  for (let feature = opened.layer.features.first(); feature; feature = opened.layer.features.next()) {
    features++;
    const fid = task.isRenumbered ? first + features : feature.fid;
    const found = published.take(fid);
    if (found === undefined) {
      findings.add(published.indexFile, `lacks fid ${fid}, which the source has`);
      continue;
    }
    const read = readPublished(() => featureFrom(found.text()));
    const difference = read && differenceOf(read, feature, { opened, layer, fid, precision: task.precision });
    if (difference !== undefined) findings.add(found.file, `fid ${fid}: ${difference}`);
    reportMessage(`, fid ${feature.fid}`);
  }
  reportMessage('');
  // The iterator returns null at the end and after a read error: only the count distinguishes them.
  if (features !== layer.features)
    findings.add(layer.path, `layer ${layer.layer}: GDAL reads ${features} features and counts ${layer.features}`);
  return features;
}

/** The published features of a level by fid, each of which is taken once. */
class PublishedLevel {
  /** Relative to the output folder. */
  readonly indexFile: string;
  readonly #folder: string;
  readonly #index: LevelIndex;
  readonly #features: FeatureReader;
  /** 1 for a position that was taken. */
  readonly #taken: Uint8Array;

  constructor({ out, release, source: { level } }: CompareTask) {
    this.#folder = releasePath(release);
    const root = join(out, this.#folder);
    this.indexFile = `${this.#folder}/${indexPath(level)}`;
    this.#index = readLevel(root, release, level);
    this.#features = openFeatures(root, this.#index);
    this.#taken = new Uint8Array(this.#index.features);
  }

  /** A published feature and its file; undefined if there is none with this fid, or it was taken before. */
  take(fid: number): { text: () => Buffer; file: string } | undefined {
    const position = this.#index.positionOf(fid);
    if (this.#taken[position] !== 0 || this.#index.fidAt(position) !== fid) return undefined;
    this.#taken[position] = 1;
    return { text: () => this.#features.textAt(position), file: this.#fileOf(position) };
  }

  /** The fids and files of the features that were not taken. */
  rest(): [fid: number, file: string][] {
    const positions = [...this.#taken.keys()].filter((position) => this.#taken[position] === 0);
    return positions.map((position) => [this.#index.fidAt(position), this.#fileOf(position)]);
  }

  close(): void {
    this.#features.close();
  }

  #fileOf(position: number): string {
    return `${this.#folder}/${featureFilePath(this.#index.level, this.#index.fileOf(position))}`;
  }
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

/** How a published feature differs from the source's; undefined if it does not. */
function differenceOf(
  { properties, geometry }: JsonFeature,
  feature: gdalTypes.Feature,
  { opened, layer, fid, precision }: { opened: OpenLayer; layer: LayerSource; fid: number; precision: number },
): string | undefined {
  try {
    const expected = readGeometry(feature, opened);
    return (
      propertiesDifference(properties, feature, { layer, fid }) ??
      geometryDifference(geometry, expected === null ? null : JSON.parse(expected.toJSON()), precision)
    );
  } catch (error) {
    if (error instanceof ValueError) return `the source has a value that cannot be published: ${error.message}`;
    if (error instanceof GeometryError) return `the source has a geometry that cannot be published: ${error.message}`;
    throw error;
  }
}

function propertiesDifference(
  properties: JsonFeature['properties'],
  feature: gdalTypes.Feature,
  { layer, fid }: { layer: LayerSource; fid: number },
): string | undefined {
  const values = feature.fields.toArray();
  const expected = new Map<string, PropertyValue>([['fid', fid]]);
  for (const column of layer.columns)
    if (column.name !== 'fid') expected.set(column.name, valueToJson(columnValue(values, column), column.type));
  for (const [name, value] of expected) {
    if (!Object.hasOwn(properties, name)) return `has no property ${name}`;
    const [got, want] = [parsedToJson(properties[name]), jsonOf(value)];
    if (got !== want) return `${name} is ${got?.slice(0, 100)}, the source has ${want?.slice(0, 100)}`;
  }
  const more = Object.keys(properties).find((name) => !expected.has(name));
  return more === undefined ? undefined : `has a property ${more}; the source has no such column`;
}
