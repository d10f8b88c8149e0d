// The sample of real boundaries, read back through GDAL.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { releaseFromJson } from '../../../format/release-json.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { datasetAttribution } from '../../../generator/gdal/open-dataset.ts';
import { SAMPLE_ATTRIBUTION, writeSample } from '../../../generator/sample/sample.ts';
import { columnsOf } from '../../../generator/sample/units.ts';
import { after } from '../../support/after.ts';
import { sha256Of } from '../../support/files.ts';
import { typed } from '../../support/processes/typed.ts';
import { featuresIn } from '../../support/releases/features-in.ts';
import { assertDerived } from '../../support/releases/oracle.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder, 'sample.gpkg');
const summary = writeSample(file);
const dataset = gdal.open(file);
/** The units of the four levels as GDAL reads them. */
const sample = LEVELS.slice(0, 4).map((level) =>
  dataset.layers.get(`ADM_${level}`).features.map((feature) => {
    const geometry = feature.getGeometry();
    const fields: Record<string, string | null> = feature.fields.toObject();
    return { fid: feature.fid, fields, geometry };
  }),
);
after(() => dataset.close());

function find(level: Level, column: string, value: string) {
  const unit = sample[level]?.find(({ fields }) => fields[column] === value);
  assert.ok(unit, `${column} ${value} at level ${level}`);
  return unit;
}

function boxOf(gid: string) {
  return find(0, 'GID_0', gid).geometry?.getEnvelope() ?? assert.fail(`${gid} has no geometry`);
}

test('the sample has four levels with the layers and columns of GADM, and about 12,000 units', () => {
  const counts = sample.map((units) => units.length);
  assert.deepEqual(counts, summary);
  const layers = dataset.layers.map((layer) => ({
    name: layer.name,
    columns: layer.fields.getNames(),
    epsg: layer.srs?.getAuthorityCode(),
  }));
  assert.deepEqual(
    layers,
    LEVELS.slice(0, 4).map((level) => ({ name: `ADM_${level}`, columns: columnsOf(level), epsg: '4326' })),
  );
});

test('the sample names places as they are', () => {
  const countries = sample[0]?.map(({ fields }) => fields['COUNTRY'] ?? '') ?? [];
  assert.deepEqual(
    countries.filter((name) => /\.|\bSt\b|^USNB/.test(name)),
    [],
    'no name is abbreviated',
  );
  assert.equal(find(0, 'GID_0', 'MNP').fields['COUNTRY'], 'Northern Mariana Islands');
  const joint = sample[3]?.filter(({ fields }) => fields['ENGTYPE_3'] === 'Joint Land').length;
  assert.match(readFileSync('generator/README.md', 'utf8'), new RegExp(`${joint} .*\`type\` Joint Land`));
  assert.equal(find(0, 'GID_0', 'ESP').fields['COUNTRY'], 'Spain');
  assert.equal(find(0, 'GID_0', 'XKO').fields['COUNTRY'], 'Kosovo');
  for (const [level, code, ...columns] of [
    [2, '01001', 'GID_0 USA', 'NAME_1 Alabama', 'NAME_2 Autauga', 'TYPE_2 County', 'GID_2 USA.1.1_1'],
    [1, '72113', 'GID_0 PRI', 'COUNTRY Puerto Rico', 'NAME_1 Ponce', 'ENGTYPE_1 Municipality'],
    [3, '47186', 'COUNTRY Spain', 'NAME_1 Castilla y León', 'NAME_2 Valladolid', 'NAME_3 Valladolid', 'GID_1 ESP.7_1'],
  ] as const) {
    const { fields } = find(level, `CC_${level}`, code);
    const said = Object.entries(fields).map(([column, value]) => `${column} ${value}`);
    for (const column of columns) assert.ok(said.includes(column), `${column}: ${said.join(', ')}`);
  }
});

test('countries of the sample have names in three more languages and ISO codes, units of Spain and the United States theirs', () => {
  for (const [level, gid, ...expected] of [
    [0, 'ESP', 'ISO_A2 ES', 'NAME_AR إسبانيا', 'NAME_ES España', 'NAME_FR Espagne'],
    [0, 'NAM', 'ISO_A2 NA', 'NAME_FR Namibie'],
    [0, 'XKO', 'ISO_A2 null', 'NAME_FR null'],
    [1, 'ESP.13_1', 'CC_1 13', 'FIPS_1 null', 'INE_1 13'],
    [1, 'USA.11_1', 'CC_1 13', 'FIPS_1 13', 'INE_1 null'],
    [2, 'ESP.13.1_1', 'FIPS_2 null', 'INE_2 28', 'VARNAME_2 NA'],
    [2, 'ESP.12.1_1', 'NAME_2 A Coruña', 'VARNAME_2 La Coruña'],
  ] as const) {
    const { fields } = find(level, `GID_${level}`, gid);
    const said = Object.entries(fields).map(([column, value]) => `${column} ${value}`);
    for (const column of expected) assert.ok(said.includes(column), `${column}: ${said.join(', ')}`);
  }
});

test('every municipality of the sample lies in the province that its code begins with', () => {
  const provinces = new Map(sample[2]?.map(({ fields }) => [fields['GID_2'], fields['CC_2']]));
  const placed = sample[3]?.filter(({ fields }) => !fields['CC_3']?.startsWith('53')) ?? [];
  assert.equal(placed.length, 8131);
  for (const { fields } of placed) assert.equal(fields['CC_3']?.slice(0, 2), provinces.get(fields['GID_2'] ?? ''));
});

test('the sample is cut where it crosses the antimeridian, and reaches the pole', () => {
  for (const gid of ['RUS', 'FJI', 'USA']) {
    const box = boxOf(gid);
    assert.ok(box.minX < -179 && box.maxX > 179, gid);
  }
  assert.deepEqual({ ...boxOf('ATA'), maxY: 0 }, { minX: -180, maxX: 180, minY: -90, maxY: 0 });
  assert.ok(find(0, 'GID_0', 'ATA').geometry?.isValid());
});

test('a unit that its source has as a mere line or point has no shape: Vatican City, 30 others', () => {
  const without = sample.flatMap((units, level) =>
    units.filter(({ geometry }) => geometry === null).map(({ fields }) => `lv${level} ${fields['COUNTRY']}`),
  );
  const counts = new Map(without.map((place) => [place, without.filter((other) => other === place).length]));
  assert.deepEqual(
    [...counts],
    [
      ['lv0 Vatican', 1],
      ['lv2 United States of America', 1],
      ['lv3 Spain', 29],
    ],
  );
  assert.equal(find(3, 'NAME_3', 'Rafal').geometry, null);
});

test('who must be named where the sample is shown can be read through GDAL and with SQL', () => {
  assert.deepEqual(datasetAttribution(dataset), SAMPLE_ATTRIBUTION);
  const [row] = dataset.executeSQL('SELECT metadata FROM gpkg_metadata').features.map((feature) => feature.fields);
  for (const line of SAMPLE_ATTRIBUTION) assert.ok(row?.get('metadata').includes(line));
});

test('a sample that is there is not replaced unless asked to, nothing half-written stays, and it is always the same bytes', () => {
  const again = join(folder, 'again.gpkg');
  writeFileSync(again, 'mine');
  const onProgress = (): void => {
    throw new Error('stopped');
  };
  for (const [options, message] of [
    [{}, /again\.gpkg exists already/],
    [{ overwrite: true, onProgress }, /stopped/],
  ] as const) {
    assert.throws(() => writeSample(again, options), message);
    assert.equal(readFileSync(again, 'utf8'), 'mine');
    assert.deepEqual(readdirSync(folder).sort(), ['again.gpkg', 'sample.gpkg']);
  }
  writeSample(again, { overwrite: true });
  assert.equal(sha256Of(again), sha256Of(file));
});

test('build --sample publishes the sample as it is, says what is drawn apart and what has no shape, and GEOS finds all of its units valid', async () => {
  const out = await sampleOutput();
  const { levels, quality } = releaseFromJson(
    readFileSync(join(out, 'releases/sample/release.json'), 'utf8'),
    'sample',
  );
  const counts = levels.map(({ features }) => features);
  assert.deepEqual(counts, [255, 159, 3194, 8212, 0, 0]);
  // Its sources have some borders that both sides draw with other vertices, and land that several municipalities have.
  assert.deepEqual(
    [...new Set(quality.map(({ kind }) => kind))],
    ['empty-geometries', 'overlapping', 'drawn-apart', 'equal-colours'],
  );
  const bare = quality.filter(({ kind }) => kind === 'empty-geometries');
  assert.deepEqual(
    bare.map(({ count, units = [] }) => [count, units.length]),
    [
      [1, 1],
      [1, 1],
      [29, 29],
    ],
  );
  for (const { level, features } of levels.slice(0, 4)) {
    const units = featuresIn(out, level, 'full', 'sample');
    const invalid = units.filter(({ geometry }) => geometry && !gdal.Geometry.fromGeoJson(geometry).isValid());
    assert.deepEqual([units.length, invalid.map(({ id }) => id)], [features, []]);
  }
  assertDerived(out, 'sample');
});

test('build --sample prints one line, and not what every build says of its data; built like it, it has the same options', async () => {
  const options = '--levels lv0 --geometry none --pages none --no-cells --no-neighbours --no-tiles --workers 0';
  const { status, stdout, stderr } = await typed('generator', [
    'build',
    '--sample',
    '--out',
    join(folder, 'output'),
    ...options.split(' '),
  ]);
  assert.equal(status, 0);
  assert.doesNotMatch(stderr, /ADM_0/, 'no plan of the levels');
  assert.match(stdout, /^release sample with 255 units is current \([\d.]+ s\)\n$/);
  const out = join(folder, 'output');
  const like = ['build', '--sample', '--release', 'r2', '--like', 'sample', '--out', out, '--workers', '0'];
  assert.equal((await typed('generator', like)).status, 0);
  const [first, second] = ['sample', 'r2'].map((id) =>
    releaseFromJson(readFileSync(join(out, 'releases', id, 'release.json'), 'utf8'), id),
  );
  assert.deepEqual(second?.options, first?.options);
});
