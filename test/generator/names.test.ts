// The names of a level's units, names.jsonl.gz: what a line says of a unit, and of which columns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { NAME_FIELDS } from '../../format/names.ts';
import type { BuildOptions } from '../../generator/build.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { sha256 } from '../support/files.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let builds = 0;

/** Builds a release of some layers; the lines of a level's names without the header, and what release.json says. */
async function namesOf(layers: readonly FixtureLayer[], options: Partial<BuildOptions> = {}) {
  const out = join(folder, `out-${builds}`);
  const source = writeDataset(join(folder, `${builds++}.gpkg`), 'GPKG', layers);
  const release = await buildRelease(source, out, { storedPages: 'none', ...options });
  return {
    release,
    names(level: Level): unknown[] {
      const file = readFileSync(join(out, releasePath('r1'), namesPath(level)));
      const text = gunzipSync(file);
      const { names } = release.levels[level] ?? assert.fail();
      assert.deepEqual(names, { bytes: file.length, textBytes: text.length, sha256: sha256(file) });
      const [header, ...lines] = text.toString().split('\n');
      assert.equal(lines.pop(), '', 'the last line ends');
      assert.deepEqual(JSON.parse(header ?? ''), NAME_FIELDS);
      return lines.map((line) => JSON.parse(line));
    },
  };
}

test('each unit has a line in order of fid: fid, GID, name, type, parent and the number of units below', async () => {
  const { names, release } = await namesOf(countryLayers());
  assert.deepEqual(names(0), [
    [1, 'AAA', 'Aland', null, null, 2],
    [2, 'BBB', 'Beland', null, null, 1],
  ]);
  assert.deepEqual(names(1), [
    [1, 'AAA.1_1', 'North', null, 'AAA', 2],
    [2, 'AAA.2_1', 'South', null, 'AAA', 1],
    [3, 'BBB.1_1', 'All', null, 'BBB', 1],
  ]);
  assert.deepEqual(names(2)[3], [4, 'AAA.1.2_1', 'Wüst "late"', null, 'AAA.1_1', 0]);
  for (const level of [3, 4, 5] as const) assert.deepEqual(names(level), []);
  assert.ok(release.levels.every(({ typeColumn }) => typeColumn === ''));
});

test("GADM's NA is no name and no type; the property stays, and verify agrees", async () => {
  const columns = ['GID_0', 'NAME_0', 'ENGTYPE_0'];
  const features = [
    { fid: 1, values: ['NAM', 'NA', 'NA'], wkt: square(0, 0) },
    { fid: 2, values: ['BBB', 'Na', 'NA '], wkt: square(1, 0) },
  ];
  const { names } = await namesOf([{ name: 'ADM_0', columns, features }], { storedPages: 'all' });
  assert.deepEqual(names(0), [
    [1, 'NAM', null, null, null, 0],
    [2, 'BBB', 'Na', 'NA ', null, 0],
  ]);
  const page = join(folder, `out-${builds - 1}`, 'releases/r1/lv0/geojsonl/all/000001.geojsonl.gz');
  assert.match(gunzipSync(readFileSync(page)).toString(), /"NAME_0":"NA","ENGTYPE_0":"NA"/);
});

test('parent and children are of the nearest levels that have units, whatever lies between', async () => {
  const [countries, regions, districts] = countryLayers();
  assert.ok(countries && regions && districts);
  const empty = { ...regions, features: [] };
  for (const layers of [
    [countries, empty, districts],
    [countries, districts],
  ]) {
    const { names } = await namesOf(layers, { accept: ['no-units', 'orphans'] });
    assert.deepEqual(names(0), [
      [1, 'AAA', 'Aland', null, null, 3],
      [2, 'BBB', 'Beland', null, null, 1],
    ]);
    assert.deepEqual(names(1), []);
    assert.deepEqual(names(2)[2], [3, 'BBB.1.1_1', '東', null, 'BBB', 0]);
  }
});

test('units without a GID have no children; units with the same GID have the same ones', async () => {
  const [countries, regions] = countryLayers();
  assert.ok(countries && regions);
  const more = [
    { fid: 3, values: ['AAA', 'Aland again'], wkt: square(20, 0) },
    { fid: 4, values: [null, 'Nowhere'], wkt: square(22, 0) },
  ];
  const features = [...regions.features, { fid: 9, values: ['X.1_1', null, 'x', 'Stray'], wkt: square(22, 0) }];
  const { names } = await namesOf(
    [
      { ...countries, features: [...countries.features, ...more] },
      { ...regions, features },
    ],
    { accept: ['null-gids', 'duplicate-gids'] },
  );
  assert.deepEqual(names(0).slice(2), [
    [3, 'AAA', 'Aland again', null, null, 2],
    [4, null, 'Nowhere', null, null, 0],
  ]);
  assert.deepEqual(names(1)[3], [9, 'X.1_1', 'Stray', null, null, 0]);
});

test('types come from ENGTYPE_n, else TYPE_n; --type-column and --name-column name others', async () => {
  const columns = ['GID_0', 'GID_1', 'NAME_1', 'TYPE_1', 'ENGTYPE_1', 'LABEL'];
  const features = [{ fid: 1, values: ['AAA', 'AAA.1_1', 'Nord', 'Provincia', 'Province', 'N'], wkt: square(0, 0) }];
  const whole = { name: 'ADM_1', columns, features };
  const local = {
    ...whole,
    columns: columns.filter((column) => column !== 'ENGTYPE_1'),
    features: features.map((feature) => ({ ...feature, values: feature.values.toSpliced(4, 1) })),
  };
  const all = await namesOf([whole]);
  assert.deepEqual(
    [all.names(1)[0], all.release.levels[1]?.typeColumn],
    [[1, 'AAA.1_1', 'Nord', 'Province', null, 0], 'ENGTYPE_1'],
  );
  const typed = await namesOf([local]);
  assert.deepEqual(typed.names(1)[0], [1, 'AAA.1_1', 'Nord', 'Provincia', null, 0]);
  const chosen = await namesOf([whole], {
    typeColumns: [{ level: 1, value: 'TYPE_1' }],
    nameColumns: [{ level: undefined, value: 'LABEL' }],
  });
  assert.deepEqual(chosen.names(1)[0], [1, 'AAA.1_1', 'N', 'Provincia', null, 0]);
  // A column that is renamed keeps its meaning; one that is not published has none.
  const renamed = await namesOf([whole], { columns: [{ level: undefined, value: 'GID_1,ENGTYPE_1:kind' }] });
  assert.deepEqual(
    [renamed.names(1)[0], renamed.release.levels[1]?.typeColumn],
    [[1, 'AAA.1_1', null, 'Province', null, 0], 'kind'],
  );
});

test('names that are not text become text: numbers, 64-bit integers; an empty text is null', async () => {
  const cases = [
    { type: gdal.OFTInteger, value: 7, text: '7' },
    { type: gdal.OFTReal, value: 0.1, text: '0.1' },
    { type: gdal.OFTInteger64, value: 2 ** 52, text: '4503599627370496' },
    { type: gdal.OFTString, value: '', text: null },
    { type: gdal.OFTString, value: null, text: null },
  ];
  for (const { type, value, text } of cases) {
    const features = [{ fid: 5, values: ['AAA', value], wkt: square(0, 0) }];
    const { names } = await namesOf([{ name: 'ADM_0', columns: ['GID_0', { name: 'NAME_0', type }], features }]);
    assert.deepEqual(names(0), [[5, 'AAA', text, null, null, 0]]);
  }
});

test('a level merged from layers with other columns: names come from the column of the first', async () => {
  const source = [
    { columns: ['GID_0', 'NAME_0'], values: ['AAA', 'Aland'] },
    { columns: ['GID_0', 'COUNTRY', 'NAME_0'], values: ['BBB', 'no', 'Beland'] },
    { columns: ['GID_0', 'COUNTRY'], values: ['CCC', 'no'] },
  ].map(({ columns, values }, i) =>
    writeDataset(join(folder, `merged-${i}.gpkg`), 'GPKG', [
      { name: 'ADM_0', columns, features: [{ fid: 10 - i, values, wkt: square(3 * i, 0) }] },
    ]),
  );
  const out = join(folder, 'merged');
  await buildRelease(source, out, { storedPages: 'none' });
  const text = gunzipSync(readFileSync(join(out, releasePath('r1'), namesPath(0)))).toString();
  const rows = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(([fid, gid, name]) => [fid, gid, name]),
    [
      [8, 'CCC', null],
      [9, 'BBB', 'Beland'],
      [10, 'AAA', 'Aland'],
    ],
  );
});

test('every level of a release has the file', async () => {
  const { names } = await namesOf([
    { name: 'ADM_0', columns: ['GID_0'], features: [{ values: ['AAA'], wkt: square(0, 0) }] },
  ]);
  assert.deepEqual(
    LEVELS.map((level) => names(level).length),
    [1, 0, 0, 0, 0, 0],
  );
});
