// An oracle of the tests: is a release what GDAL reads of its dataset? `verify` finds nothing wrong, each unit has the
// properties and the geometry of GDAL's own reading (its fields and its GeoJSON), each property is of the type that
// release.json has for its column, and the files are those that it was built from.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type * as gdalTypes from 'gdal-async';
import { releasePath } from '../../../format/layout.ts';
import type { ColumnKind, LevelColumn } from '../../../format/level-json.ts';
import { levelName } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { describeSource, prepareLevels } from '../../../generator/describe-source.ts';
import { takeGdalMessage } from '../../../generator/gdal/open-dataset.ts';
import { columnToJson, jsonOf } from '../../../generator/geojson/property-values.ts';
import { optionsOf } from '../../../generator/options/option-texts.ts';
import { readGeometry } from '../../../generator/read/read-geometry.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { fidOf } from '../../../generator/source/fid-column.ts';
import type { LayerSource, LevelSource } from '../../../generator/source/level-source.ts';
import { type OpenLayer, openLayer } from '../../../generator/source/open-layer.ts';
import { sourceFiles } from '../../../generator/source/source-files.ts';
import { newWithParents } from '../../../generator/store/placed-parents.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { isPublishedAs } from './compare-geometry.ts';
import { featureOf, type JsonFeature } from './exact-json.ts';
import { linesIn } from './features-in.ts';
import { parsedToJson } from './parsed-to-json.ts';
import { readRelease } from './read-index.ts';

/**
 * Asserts that the current release of an output folder is what a dataset has, read with the options that it records.
 * @param source the file or files of the dataset
 * @returns features that were compared
 * @throws AssertionError that names the first unit that differs
 */
export async function assertAsSource(source: string | readonly string[], out: string): Promise<number> {
  const { release: id, findings } = await verify({ out, workers: 0 }, SILENT);
  assert.deepEqual(findings, []);
  const release = readRelease(join(out, releasePath(id)));
  const given = [source].flat();
  const published = release.levels.filter(({ layer }) => layer !== '').map(({ level }) => level);
  const wanted = { accept: [], ...optionsOf(release), source: given, precision: release.precision, levels: published };
  const pool = openPool(0);
  const scratch = temporaryFolder();
  const { levels } = await prepareLevels(await describeSource(wanted, pool), wanted, scratch, { pool, report: SILENT });
  const found = levels.map(({ level }) => level);
  assert.deepEqual(found, published, 'the levels of the source');
  const features = levels.map((level) => assertLevel(out, release, level));
  assert.deepEqual(await sourceFiles(given), release.source, 'the files of the source');
  return features.reduce((sum, count) => sum + count, 0);
}

/** The same of a level. */
function assertLevel(out: string, release: Release, source: LevelSource): number {
  const { level } = source;
  const summary = release.levels[level];
  const text = summary?.features === 0 ? '' : linesIn(out, level, 'full', release.release);
  const read = (text.match(/.*\n/g) ?? []).map((line) => featureOf(Buffer.from(line)));
  const units = new Map(read.map((unit) => [Number(unit.id), unit]));
  const withParents = newWithParents(source);
  const isRenumbered = summary?.isRenumbered === true;
  let features = 0;
  for (const layer of source.layers) {
    const hasTextIntegers = layer.columns.some(({ fields }) =>
      fields.some((at) => layer.fields[at]?.type === 'integer64'),
    );
    const opened = openLayer(layer, hasTextIntegers);
    const before = features;
    for (const feature of featuresOf(opened)) {
      features++;
      const values = feature.fields.toArray();
      const fid = isRenumbered ? features : fidOf(feature, values, layer);
      const where = `${levelName(level)} fid ${fid}`;
      const unit = units.get(fid) ?? assert.fail(`${where}: only the source has it`);
      units.delete(fid);
      assert.deepEqual(propertiesOf(unit), expectedProperties(fid, withParents(values, fid, layer), layer), where);
      assertKinds(unit, summary?.columns ?? [], where);
      const geometry = readGeometry(feature, opened);
      const expected = geometry === null ? null : JSON.parse(geometry.toJSON());
      assert.ok(
        isPublishedAs(unit.geometry, expected, release.precision),
        `${where}: ${shown(unit.geometry)}, the source has ${shown(expected)}`,
      );
    }
    // The iterator returns null at the end and after a read error: only the count distinguishes them.
    assert.equal(features - before, layer.features, `features of layer ${layer.layer}`);
    opened.close();
  }
  assert.deepEqual([...units.keys()], [], `${levelName(level)}: fids that only the release has`);
  return features;
}

function* featuresOf({ layer }: OpenLayer): Generator<gdalTypes.Feature> {
  for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
    const message = takeGdalMessage();
    assert.ok(!message?.isFailure, message?.message);
    yield feature;
  }
}

/** Asserts that a unit has columns of the level alone, with values of their types. */
function assertKinds({ properties }: JsonFeature, columns: readonly LevelColumn[], where: string): void {
  const own = columns.filter(({ name }) => name in properties);
  assert.deepEqual(Object.keys(properties).toSorted(), own.map(({ name }) => name).toSorted(), `${where}: columns`);
  for (const { name, type } of own) {
    const value = properties[name];
    assert.ok(value === null || IS_OF[type](value), `${where}: ${name} is ${parsedToJson(value)}, expected ${type}`);
  }
}

const IS_OF: Readonly<Record<ColumnKind, (value: unknown) => boolean>> = {
  int64: (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
  double: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  json: () => true,
};

/** Properties as JSON, in which no digit of a number is lost. */
function propertiesOf({ properties }: JsonFeature): Map<string, string | undefined> {
  return new Map(Object.entries(properties).map(([name, value]) => [name, parsedToJson(value)]));
}

/** Those that a unit must have. */
function expectedProperties(fid: number, values: readonly unknown[], layer: LayerSource): Map<string, string> {
  const own = layer.columns.map((column): [string, string] => {
    return [column.name, jsonOf(columnToJson(values, column, layer))];
  });
  return new Map([['fid', String(fid)], ...own]);
}

function shown(geometry: unknown): string {
  return JSON.stringify(geometry).slice(0, 200);
}
