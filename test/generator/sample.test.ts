// The sample of real boundaries, read back through GDAL.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../format/levels.ts';
import { releaseFromJson } from '../../format/release.ts';
import { SAMPLE_ATTRIBUTION, writeSample } from '../../generator/sample/sample.ts';
import { columnsOf } from '../../generator/sample/units.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { attributionOf } from '../../generator/source/open-dataset.ts';
import { type ReadUnit, readUnits, testHierarchy } from '../support/datasets/read-units.ts';
import { sha256Of } from '../support/files.ts';
import { compile } from '../support/processes/compile.ts';
import { assertDerived } from '../support/releases/oracle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder, 'sample.gpkg');
const summary = writeSample(file);
const sample = readUnits(file);

function find(level: Level, column: string, value: string): ReadUnit {
  const unit = sample[level]?.find(({ fields }) => fields[column] === value);
  assert.ok(unit, `${column} ${value} at level ${level}`);
  return unit;
}

testHierarchy('the sample', sample);

test('the sample has four real levels of about 12,000 units', () => {
  assert.deepEqual(
    sample.map((units) => units.length),
    [255, 159, 3194, 8212],
  );
  assert.deepEqual(summary.units, [255, 159, 3194, 8212]);
});

test('the sample has the layers and columns of GADM at these levels', () => {
  const dataset = gdal.open(file);
  const layers = dataset.layers.map((layer) => ({
    name: layer.name,
    columns: layer.fields.getNames(),
    epsg: layer.srs?.getAuthorityCode(),
  }));
  assert.deepEqual(
    layers,
    LEVELS.slice(0, 4).map((level) => ({ name: `ADM_${level}`, columns: columnsOf(level), epsg: '4326' })),
  );
  dataset.close();
});

test('the sample names places as they are', () => {
  assert.equal(find(0, 'GID_0', 'ESP').fields['COUNTRY'], 'Spain');
  assert.equal(find(0, 'GID_0', 'XKO').fields['COUNTRY'], 'Kosovo');
  const autauga = find(2, 'CC_2', '01001').fields;
  assert.deepEqual(
    ['GID_0', 'NAME_1', 'NAME_2', 'TYPE_2', 'GID_2'].map((column) => autauga[column]),
    ['USA', 'Alabama', 'Autauga', 'County', 'USA.1.1_1'],
  );
  const ponce = find(1, 'CC_1', '72113').fields;
  assert.deepEqual(
    ['GID_0', 'COUNTRY', 'NAME_1', 'ENGTYPE_1'].map((column) => ponce[column]),
    ['PRI', 'Puerto Rico', 'Ponce', 'Municipality'],
  );
  const valladolid = find(3, 'CC_3', '47186').fields;
  assert.deepEqual(
    ['COUNTRY', 'NAME_1', 'NAME_2', 'NAME_3', 'GID_1'].map((column) => valladolid[column]),
    ['Spain', 'Castilla y León', 'Valladolid', 'Valladolid', 'ESP.7_1'],
  );
});

test('every municipality of the sample lies in the province that its code begins with', () => {
  const provinces = new Map(sample[2]?.map(({ fields }) => [fields['GID_2'], fields['CC_2']]));
  const placed = sample[3]?.filter(({ fields }) => !fields['CC_3']?.startsWith('53')) ?? [];
  assert.equal(placed.length, 8131);
  for (const { fields } of placed) assert.equal(fields['CC_3']?.slice(0, 2), provinces.get(fields['GID_2'] ?? ''));
});

test('the sample is cut where it crosses the antimeridian, and reaches the pole', () => {
  for (const gid of ['RUS', 'FJI', 'USA']) {
    const { box } = find(0, 'GID_0', gid);
    assert.ok(box !== null && box.minX < -179 && box.maxX > 179, gid);
  }
  assert.deepEqual({ ...find(0, 'GID_0', 'ATA').box, maxY: 0 }, { minX: -180, maxX: 180, minY: -90, maxY: 0 });
  assert.ok(find(0, 'GID_0', 'ATA').isValid);
});

test('a unit that its source has as a mere line or point has a cell of its grid: Vatican City, 30 others', () => {
  assert.ok(summary.collapsed > 0);
  const { box } = find(0, 'GID_0', 'VAT');
  assert.ok(box !== null && box.maxX - box.minX < 0.004 && box.maxY - box.minY < 0.002);
  assert.ok(Math.abs(box.minX - 12.45) < 0.02 && Math.abs(box.minY - 41.9) < 0.02);
});

test('who must be named where the sample is shown can be read through GDAL and with SQL', () => {
  const dataset = gdal.open(file);
  assert.deepEqual(attributionOf(dataset), SAMPLE_ATTRIBUTION);
  const [row] = dataset.executeSQL('SELECT metadata FROM gpkg_metadata').features.map((feature) => feature.fields);
  for (const line of SAMPLE_ATTRIBUTION) assert.ok(row?.get('metadata').includes(line));
  dataset.close();
});

test('the sample is always the same bytes', () => {
  const again = join(folder, 'again.gpkg');
  writeSample(again);
  assert.equal(sha256Of(again), sha256Of(file));
});

test('build --sample publishes the sample as it is, without a remark', () => {
  const out = temporaryFolder();
  const args = [compile('generator/main.ts'), 'build', '--sample', '--out', out, '--pages', 'none', '--quiet'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const { levels, quality } = releaseFromJson(
    readFileSync(join(out, 'releases/sample/release.json'), 'utf8'),
    'sample',
  );
  assert.deepEqual(
    levels.map(({ features }) => features),
    [255, 159, 3194, 8212, 0, 0],
  );
  assert.deepEqual(quality, [], 'nothing is remarkable about it');
  assertDerived(out, 'sample');
});
