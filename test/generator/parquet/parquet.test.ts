// The tables of levels: what bad input becomes, and what a table promises its readers. The oracle compares the tables of
// every release that tests build with its features: here stands what it cannot know.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { unitsTablePath } from '../../../format/layout.ts';
import type { Level } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { RowGroups } from '../../../generator/parquet/row-groups.ts';
import { propertyColumns } from '../../../generator/parquet/table-columns.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { withCountries } from '../../support/datasets/small-datasets.ts';
import { layerOf, runSql, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease, buildUnchecked, WHOLE } from '../../support/releases/build-release.ts';
import { assertTables, keyOf, metadataOf, rowsIn, type TableObject } from '../../support/releases/table-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const TABLE = { parquet: true } as const;

function tableIn(out: string, level: Level = 0, release = 'r1'): Buffer {
  return readFileSync(join(out, 'releases', release, unitsTablePath(level)));
}

/** Builds the layers, and reads the table of level 0. */
async function rowsOf(
  name: string,
  source: string | string[],
  options: Parameters<typeof buildRelease>[2] = {},
): Promise<TableObject[]> {
  const out = join(folder, name);
  await buildRelease(source, out, { ...TABLE, ...options });
  return rowsIn(tableIn(out));
}

function geojsonOf(
  name: string,
  ...units: readonly (readonly [properties: string, geometry: string | null])[]
): string {
  const file = join(folder, `${name}.geojson`);
  const features = units.map(
    ([properties, geometry], i) =>
      `{"type":"Feature","id":${i + 1},"properties":{${properties}},"geometry":${geometry}}`,
  );
  writeFileSync(file, `{"type":"FeatureCollection","features":[${features.join(',\n')}]}`);
  return file;
}

const TRIANGLE = '{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3],[1,2]]]}';

test('an unchanged level keeps the bytes of its table in a release with another id, and says of whom it is', async () => {
  const source = writeDataset(join(folder, 'few.gpkg'), 'GPKG', withCountries());
  const [out, owned] = [join(folder, 'few'), { attribution: ['© A', 'lv1=© B'], licence: 'CC-BY-4.0' }];
  await buildRelease(source, out, { ...WHOLE, ...owned });
  await buildRelease(source, out, { ...WHOLE, ...owned, release: 'r2', date: '2026-11-28' });
  for (const level of [0, 1, 2] as const) assert.deepEqual(tableIn(out, level, 'r2'), tableIn(out, level));
  assert.deepEqual(keyOf(metadataOf(tableIn(out, 1)), 'boundaries'), {
    level: 1,
    attribution: ['© A', '© B'],
    licence: 'CC-BY-4.0',
    columns: { gid: 'GID_1', name: 'NAME_1', parents: ['GID_0'] },
    renamed: {},
  });
  assert.ok(!existsSync(join(out, 'releases/r1', unitsTablePath(3))), 'a level without units has no file');
});

test('integers beyond 2^53, dates, booleans, bytes and lists are exact; a day that no calendar has is null', async () => {
  const source = join(folder, 'types.gpkg');
  const dataset = gdal.open(source, 'w', 'GPKG');
  dataset.layers.create('seed', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  for (const sql of [
    'CREATE TABLE ADM_0 (fid INTEGER PRIMARY KEY, GID_0 TEXT, big INTEGER, small MEDIUMINT, real DOUBLE, flag BOOLEAN, ' +
      'day DATE, moment DATETIME, raw BLOB, empty DATE, geom POLYGON)',
    "INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('ADM_0', 'features', 4326)",
    "INSERT INTO gpkg_geometry_columns VALUES ('ADM_0', 'geom', 'POLYGON', 4326, 0, 0)",
    "INSERT INTO ADM_0 VALUES (9, 'A', 9223372036854775807, -3, 0.1, 1, '1969-12-31', '2020-01-02T03:04:05Z', x'00ff', NULL, NULL), " +
      "(10, 'B', -9223372036854775808, 7, -0.0, 0, '2021-02-30', NULL, NULL, NULL, NULL), " +
      "(11, 'C', 9007199254740993, NULL, 1e300, NULL, '0001-01-01', NULL, NULL, NULL, NULL)",
  ])
    runSql(dataset, sql);
  dataset.close();
  const rows = await rowsOf('types', source, { accept: ['empty-geometries'] });
  const day = (text: string): Date => new Date(`${text}T00:00:00Z`);
  const all = ['fid', 'big', 'small', 'real', 'flag', 'day', 'moment', 'raw', 'empty', 'bbox', 'geometry'];
  assert.deepEqual(
    rows.map((row) => all.map((name) => row[name])),
    [
      [
        9n,
        9223372036854775807n,
        -3n,
        0.1,
        true,
        day('1969-12-31'),
        '2020-01-02T03:04:05Z',
        'AP8=',
        null,
        undefined,
        null,
      ],
      [10n, -9223372036854775808n, 7n, 0, false, null, null, null, null, undefined, null],
      [11n, 9007199254740993n, null, 1e300, null, day('0001-01-01'), null, null, null, undefined, null],
    ],
  );
  const schema = metadataOf(tableIn(join(folder, 'types'))).schema.map(({ name, type, converted_type: kind }) =>
    [name, type, kind].filter(Boolean).join(' '),
  );
  assert.ok(schema.includes('empty INT32 DATE'), 'a column that is null everywhere keeps its type');
});

test('columns that layers have with different types, and lists, have the text of the features', async () => {
  const one = geojsonOf('one', ['"GID_0":"A","code":7,"share":9007199254740993,"list":[1,2]', TRIANGLE]);
  const other = geojsonOf('other', ['"GID_0":"B","code":"07","share":0.5,"extra":true', TRIANGLE]);
  const rows = await rowsOf('mixed', [one, other], { layers: [{ level: 0, value: '*' }] });
  const columns = ['GID_0', 'code', 'share', 'list', 'extra'];
  assert.deepEqual(
    rows.map((row) => columns.map((name) => row[name])),
    [
      ['A', '7', '9007199254740993', '[1,2]', null],
      ['B', '"07"', '0.5', null, true],
    ],
  );
});

test('names that differ in case alone, are empty, or are those of other columns, get a number', async () => {
  const names = ['Code', 'CODE', 'code_2', 'geometry', 'BBOX', 'Fid', 'geometry_low', '', 'column', 'bbox_2'];
  const properties = names.map((name, i) => `"${name}":"${i}"`).join();
  const source = geojsonOf('names', [`"GID_0":"A",${properties}`, TRIANGLE]);
  const out = join(folder, 'names');
  // The oracle of names takes a column without a name for none.
  await assertTables(out, await buildUnchecked(source, out, { ...TABLE, geometries: ['full', 'low'] }));
  const [row = {}] = await rowsIn(tableIn(out));
  const own = Object.entries(row).slice(2, 2 + names.length);
  assert.deepEqual(own, [
    ...[
      ['Code', '0'],
      ['CODE_2', '1'],
      ['code_2_2', '2'],
      ['geometry_2', '3'],
      ['BBOX_2', '4'],
      ['Fid_2', '5'],
    ],
    ...[
      ['geometry_low_2', '6'],
      ['column', '7'],
      ['column_2', '8'],
      ['bbox_2_2', '9'],
    ],
  ]);
  const { renamed } = keyOf(metadataOf(tableIn(out)), 'boundaries');
  assert.deepEqual(renamed, {
    ...{ CODE_2: 'CODE', code_2_2: 'code_2', geometry_2: 'geometry', BBOX_2: 'BBOX', Fid_2: 'Fid' },
    ...{ geometry_low_2: 'geometry_low', column: '', column_2: 'column', bbox_2_2: 'bbox_2' },
  });
});

test('points, lines and units without geometry are in all geometries; those without come last', async () => {
  const line = '{"type":"MultiLineString","coordinates":[[[5,5],[6,6]],[[7,7],[8,8.5]]]}';
  const members = `{"type":"Point","coordinates":[-1,-1]},${TRIANGLE}`;
  const source = geojsonOf(
    'drawn',
    ['"GID_0":"nothing"', null],
    ['"GID_0":"point"', '{"type":"Point","coordinates":[1.5,-2.25]}'],
    ['"GID_0":"line"', line],
    ['"GID_0":"several"', `{"type":"GeometryCollection","geometries":[${members}]}`],
    ['"GID_0":"area"', TRIANGLE],
  );
  const accept = ['empty-geometries', 'non-polygonal'] as const;
  const rows = await rowsOf('drawn', source, { ...WHOLE, accept });
  assert.deepEqual(rows.at(-1)?.['GID_0'], 'nothing');
  const [of] = rows.filter((row) => row['GID_0'] === 'line');
  assert.deepEqual(of?.['geometry_medium'], JSON.parse(line));
  assert.deepEqual(of?.['bbox'], { xmin: 5, ymin: 5, xmax: 8, ymax: 8.5 });
  const { columns } = keyOf(metadataOf(tableIn(join(folder, 'drawn'))), 'geo');
  assert.match(
    JSON.stringify(columns),
    /^\{"geometry":\{"encoding":"WKB","geometry_types":\["GeometryCollection","Multi/,
  );
});

test('a unit across 180 degrees has the range of its coordinates, and lies on the curve where it is', async () => {
  const across = 'MULTIPOLYGON(((179 0,180 0,180 1,179 1,179 0)),((-180 0,-179 0,-179 1,-180 1,-180 0)))';
  const layer = layerOf(
    'ADM_0',
    ['GID_0'],
    [
      [['middle'], square(-1, 0)],
      [['across'], across],
      [['east'], square(177, 0)],
    ],
  );
  const rows = await rowsOf('across', writeDataset(join(folder, 'across.gpkg'), 'GPKG', [layer]));
  const own = rows.find((row) => row['GID_0'] === 'across');
  assert.deepEqual(own?.['bbox'], { xmin: -180, ymin: 0, xmax: 180, ymax: 1 });
  const order = rows.map((row) => row['GID_0']);
  assert.equal(Math.abs(order.indexOf('across') - order.indexOf('east')), 1, order.join());
});

test('a table may have 2,000 columns: groups of rows end before their values are many', async () => {
  const columns = Array.from({ length: 2000 }, (_, i) => `c${i}`);
  const layer = squares('ADM_0', ['GID_0', ...columns], ['A', ...columns], ['B', ...columns.map(() => null)]);
  const source = writeDataset(join(folder, 'wide.fgb'), 'FlatGeobuf', [layer]);
  assert.equal((await rowsOf('wide', source, { layers: [{ level: 0, value: '*' }] })).length, 2);
  const sizes: (number | undefined)[] = [];
  const wide = propertyColumns(columns.map((name) => ({ name, type: 'string' })));
  const groups = new RowGroups(wide, ['geometry'], [], (group) => sizes.push(group[0]?.data.length));
  for (let row = 0; row < 1200; row++) groups.add({ properties: {}, geometries: [null] });
  groups.end();
  assert.deepEqual(sizes, [523, 523, 154], 'of 2,002 values, 16 bytes each, 16 MiB');
});

test('verify finds a byte that has changed in a table or in its digests', async () => {
  const out = join(folder, 'changed');
  await buildRelease(writeDataset(join(folder, 'changed.gpkg'), 'GPKG', withCountries()), out, TABLE);
  const found = async (name: string, change: (bytes: Buffer) => void): Promise<string[]> => {
    const file = join(out, 'releases/r1/lv1', name);
    const before = readFileSync(file);
    const bytes = Buffer.from(before);
    change(bytes);
    writeFileSync(file, bytes);
    const { findings } = await verify({ out, workers: 0 }, SILENT);
    writeFileSync(file, before);
    return findings.map(({ path, problem }) => `${path}: ${problem}`);
  };
  for (const name of ['units.parquet', 'units.digest'])
    assert.match(
      (await found(name, (bytes) => bytes.writeUInt8((bytes.readUInt8(5) + 1) % 256, 5))).join('\n'),
      new RegExp(`^releases/r1/lv1/${name}: its SHA-256 is \\w+, expected \\w+$`),
    );
});
