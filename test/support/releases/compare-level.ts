// Compares a published level with GDAL's own reading of the dataset (its GeoJSON and its fields), independently of the
// code that wrote the release. Used by source-oracle.ts.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { featureFilePath, indexPath, releasePath } from '../../../format/layout.ts';
import type { Finding } from '../../../generator/check/findings.ts';
import { takeGdalMessage } from '../../../generator/gdal/open-dataset.ts';
import {
  columnValue,
  jsonOf,
  type PropertyValue,
  ValueError,
  valueToJson,
} from '../../../generator/geojson/property-values.ts';
import { CurveMet, readGeometry } from '../../../generator/geojson/read-geometry.ts';
import { GeometryError } from '../../../generator/geojson/wkb-reader.ts';
import { problemOf } from '../../../generator/reader/file-error.ts';
import { featureFrom, type JsonFeature, parsedToJson } from '../../../generator/reader/parse-feature.ts';
import { openFeatures, readLevel } from '../../../generator/reader/read-level.ts';
import { withoutSecrets } from '../../../generator/report/errors.ts';
import { fidOf } from '../../../generator/source/fid-column.ts';
import type { LayerSource, LevelSource } from '../../../generator/source/level-source.ts';
import { type OpenLayer, openLayer, type ReadingMode } from '../../../generator/source/open-layer.ts';
import { newWithParents } from '../../../generator/store/placed-parents.ts';
import { geometryDifference } from './compare-geometry.ts';

/** What to compare. */
export interface CompareTask {
  out: string;
  release: string;
  /** The source of the level. */
  source: LevelSource;
  /** Do the units have other fids than in the source (see `isRenumbered` in release.json)? */
  isRenumbered: boolean;
  /** Decimals of the published coordinates. */
  precision: number;
  /** A folder for working files, to be made. */
  scratch: string;
}

/** Compares every feature of a level, and looks for published ones that the source lacks. */
export function compareLevel({ out, release, source, isRenumbered, precision, scratch }: CompareTask): Finding[] {
  const folder = releasePath(release);
  const index = readLevel(join(out, folder), release, source.level);
  const published = openFeatures(join(out, folder), index);
  /** By position: 1 for a feature that the source has. */
  const taken = new Uint8Array(index.features);
  const withParents = newWithParents(source);
  const findings: Finding[] = [];
  const found = (path: string, problem: string): unknown => findings.push({ path, problem });
  /** Number of features that were read from the source. */
  let features = 0;

  const fileOf = (position: number): string => `${folder}/${featureFilePath(source.level, index.fileOf(position))}`;

  function compareFeature(feature: gdalTypes.Feature, opened: OpenLayer, layer: LayerSource): void {
    const fid = isRenumbered ? features : fidOf(feature, feature.fields.toArray(), layer);
    const position = index.positionOf(fid);
    if (taken[position] !== 0 || index.fidAt(position) !== fid) {
      found(`${folder}/${indexPath(source.level)}`, `lacks fid ${fid}, which the source has`);
      return;
    }
    taken[position] = 1;
    const read = readPublished(() => featureFrom(published.textAt(position)));
    const difference = read && differenceOf(read, feature, { opened, layer, fid, precision, withParents });
    if (difference !== undefined) found(fileOf(position), `fid ${fid}: ${difference}`);
  }

  function compareFeatures(opened: OpenLayer, layer: LayerSource): void {
    const before = features;
    const reportMessage = (where: string): void => {
      const gdalMessage = takeGdalMessage();
      if (gdalMessage?.isFailure)
        found(withoutSecrets(layer.path), `layer ${layer.layer}${where}: GDAL reports: ${gdalMessage.message}`);
    };
    for (let feature = opened.layer.features.first(); feature; feature = opened.layer.features.next()) {
      features++;
      compareFeature(feature, opened, layer);
      reportMessage(`, fid ${feature.fid}`);
    }
    reportMessage('');
    // The iterator returns null at the end and after a read error: only the count distinguishes them.
    const read = features - before;
    if (read !== layer.features)
      found(
        withoutSecrets(layer.path),
        `layer ${layer.layer}: GDAL reads ${read} features and counts ${layer.features}`,
      );
  }

  mkdirSync(scratch);
  try {
    for (const layer of source.layers) {
      const copy = join(scratch, 'copy.gpkg');
      const opened = openLayer(layer, readingModeOf(layer, scratch), copy);
      try {
        compareFeatures(opened, layer);
      } finally {
        opened.close();
        rmSync(copy, { force: true });
      }
    }
    for (const [position, isTaken] of taken.entries())
      if (isTaken === 0) found(fileOf(position), `fid ${index.fidAt(position)}: the source has no such feature`);
    return findings;
  } finally {
    published.close();
    rmSync(scratch, { recursive: true });
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

/** A published feature; undefined if its file is damaged, which the verification of the feature files reports. */
function readPublished(read: () => JsonFeature): JsonFeature | undefined {
  try {
    return read();
  } catch (error) {
    problemOf(error);
    return undefined;
  }
}

/** What a feature is compared by. */
interface Compared {
  opened: OpenLayer;
  layer: LayerSource;
  fid: number;
  precision: number;
  withParents: ReturnType<typeof newWithParents>;
}

/** How a published feature differs from the source's; undefined if it does not. */
function differenceOf(
  { properties, geometry }: JsonFeature,
  feature: gdalTypes.Feature,
  { opened, layer, fid, precision, withParents }: Compared,
): string | undefined {
  try {
    const expected = readGeometry(feature, opened);
    return (
      propertiesDifference(properties, withParents(feature.fields.toArray(), fid, layer), { layer, fid }) ??
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
  values: readonly unknown[],
  { layer, fid }: { layer: LayerSource; fid: number },
): string | undefined {
  const expected = new Map<string, PropertyValue>([['fid', fid]]);
  for (const column of layer.columns) expected.set(column.name, valueToJson(columnValue(values, column), column.type));
  for (const [name, value] of expected) {
    if (!Object.hasOwn(properties, name)) return `has no property ${name}`;
    const [got, want] = [parsedToJson(properties[name]), jsonOf(value)];
    if (got !== want) return `${name} is ${got?.slice(0, 100)}, the source has ${want?.slice(0, 100)}`;
  }
  const more = Object.keys(properties).find((name) => !expected.has(name));
  return more === undefined ? undefined : `has a property ${more}; the source has no such column`;
}
