// A single layer whose units end at different levels: the release has a unit of level n for each GID_n.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../../format/levels.ts';
import { build } from '../../../generator/build.ts';
import { dissolveCostToText, dissolveLayer } from '../../../generator/dissolve/dissolve-layers.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { ACCEPTABLE } from '../../../generator/quality/findings.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { areaOf } from '../../support/datasets/area-of.ts';
import {
  type FixtureFeature,
  type FixtureLayer,
  layerOf,
  runSql,
  square,
  squares,
  writeDataset,
} from '../../support/datasets/write-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { buildOptions, buildRelease } from '../../support/releases/build-release.ts';
import { published } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

const COLUMNS = ['UID', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2', 'TYPE_2', 'REGION'];

/** A unit; `gids` and `region` as in the file. */
function unit(fid: number, gids: readonly (string | null)[], wkt: string | null, region = 'north'): FixtureFeature {
  const [gid0 = '', gid1 = '', gid2 = ''] = gids;
  const values = [`u${fid}`, gid0, `Land ${gid0}`, gid1, `Name ${gid1}`, gid2, `Name ${gid2}`, 'Parish', region];
  return { fid, values, wkt };
}

const ISLANDS = 'MULTIPOLYGON(((2 0,2 1,3 1,3 0,2 0)),((8 8,8 9,9 9,9 8,8 8)))';

/** BBB reaches level 2 in one of its units and ends at level 1 in the other; AAA ends at level 0. */
const UNITS: readonly FixtureFeature[] = [
  unit(40, ['CCC', 'CCC.1', 'CCC.1.1'], square(20, 0)),
  unit(7, ['BBB', 'BBB.1', 'BBB.1.2'], square(1, 0)),
  unit(8, ['BBB', 'BBB.1', 'BBB.1.1'], square(0, 0)),
  unit(9, ['BBB', 'BBB.1', 'BBB.1.2'], ISLANDS),
  unit(12, ['BBB', 'BBB.2', null], square(0, 1), 'south'),
  unit(30, ['AAA', '', ''], square(10, 0)),
  unit(41, ['CCC', 'CCC.1', 'CCC.1.2'], square(21, 0)),
  unit(42, ['CCC', 'CCC.1', 'CCC.1.3'], null),
];

function writeSingle(name: string, features: readonly FixtureFeature[], driver = 'GPKG'): string {
  const layer = basename(name).replace(/\..*/, '');
  return writeDataset(join(folder, name), driver, [{ name: layer, columns: COLUMNS, features }]);
}

/** Builds a single layer, whose data may be odd; the features of the levels that have some. */
async function dissolved(source: string) {
  const made = await published(source, { accept: ACCEPTABLE });
  const levels = ([0, 1, 2] as const).filter((level) => made.counts[level] !== 0).map((level) => made.unitsOf(level));
  return { ...made, levels };
}

/** GID and area of each unit of a level. */
function sizesOf(levels: Awaited<ReturnType<typeof dissolved>>['levels']): string[] {
  return levels.map((units, n) => units.map((read) => `${read.properties[`GID_${n}`]}: ${areaOf(read)}`).join(', '));
}

const source = writeSingle('world.gpkg', UNITS);
const { levels, linesOf } = await dissolved(source);

test('level n has a unit for each GID_n, the union of its members, in the order of their first fids', () => {
  assert.deepEqual(sizesOf(levels), [
    'BBB: 5, AAA: 1, CCC: 2',
    'BBB.1: 4, BBB.2: 1, CCC.1: 2',
    'BBB.1.2: 3, BBB.1.1: 1, CCC.1.1: 1, CCC.1.2: 1, CCC.1.3: 0',
  ]);
  for (const units of levels) for (const [i, { id }] of units.entries()) assert.equal(id, i + 1);
  // Four squares that touch and an island: no border is left between the four.
  const { type, coordinates } = levels[0]?.[0].geometry ?? {};
  assert.deepEqual([type, coordinates.map((rings: unknown[]) => rings.length)], ['MultiPolygon', [1, 1]]);
  // A unit that is alone keeps its geometry, position by position.
  const alone = '{"type":"MultiPolygon","coordinates":[[[[10,0],[11,0],[11,1],[10,1],[10,0]]]]}';
  assert.equal(JSON.stringify(levels[0]?.[1].geometry), alone);
});

test('a dry run counts the units that a build makes, and says what it costs', async () => {
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => void notes.push(text) };
  const dry = await forecast(buildOptions(source, join(folder, 'dry'), { accept: ACCEPTABLE }), report);
  const counts = dry.levels.map(({ features }) => features);
  assert.deepEqual(counts, [...levels.map(({ length }) => length), 0, 0, 0]);
  assert.match(notes.join('\n'), /world\.gpkg: 8 units in one layer: its 11 units on 3 levels are made by dissolving/);
});

test('a condition on a single layer selects the units of its level: the layer is not split', async () => {
  const where = [{ level: 2 as const, value: "GID_1 = 'BBB.1'" }];
  const { counts, gidsOf } = await published(source, { where, accept: ACCEPTABLE });
  assert.deepEqual(counts, [0, 0, 3, 0, 0, 0]);
  assert.deepEqual(gidsOf(2), ['BBB.1.2', 'BBB.1.1', 'BBB.1.2']);
});

test('the order of the features in the file does not matter', async () => {
  const unordered = await dissolved(writeSingle('world.geojson', UNITS, 'GeoJSON'));
  for (const level of [0, 1, 2] as const) assert.equal(unordered.linesOf(level), linesOf(level));
});

test('workers dissolve levels and find parents by place as one process does, and progress reaches its total', async () => {
  const [island, coast, rock] = [square(0, 0), square(1, 0), square(8, 8)];
  const regions = [island, coast, rock].map((wkt): [string[], string] => [['R'], wkt]);
  const towns = [coast, rock].map((wkt, i): [string[], string] => [[`T${i}`], wkt]);
  const two = writeDataset(join(folder, 'two.gpkg'), 'GPKG', [
    layerOf('regions', ['region'], regions),
    layerOf('towns', ['town'], towns),
  ]);
  const options = contentOptionsFrom({
    'gid-column': ['lv1=region', 'lv2=town'],
    dissolve: ['lv1'],
    'parent-by-place': ['lv2'],
  });
  const { out, gidsOf } = await published(two, options);
  assert.deepEqual(gidsOf(2, 'GID_1'), ['R', 'R']);
  const progress = { expected: 0, done: 0 };
  const add = (to: keyof typeof progress) => (what: string, amount: number) => {
    if (what === 'units dissolved') progress[to] += amount;
  };
  const parallel = buildOptions(two, join(folder, 'parallel'), { ...options, workers: 2 });
  await build(parallel, { ...SILENT, expect: add('expected'), advance: add('done') });
  assert.deepEqual(contentOf(parallel.out), contentOf(out));
  assert.deepEqual(progress, { expected: regions.length, done: regions.length });
});

test('a level has its columns, those of upper levels and those of all levels; keys of the source are left out, and values on which members disagree', () => {
  assert.deepEqual(
    levels.map(([first]) => Object.keys(first.properties).join()),
    [
      'fid,GID_0,COUNTRY,REGION',
      'fid,GID_0,COUNTRY,GID_1,NAME_1,REGION',
      'fid,GID_0,COUNTRY,GID_1,NAME_1,GID_2,NAME_2,TYPE_2,REGION',
    ],
  );
  const regions = levels[0]?.map(({ properties }) => `${properties.COUNTRY}, ${properties.REGION}`);
  assert.deepEqual(regions, ['Land BBB, null', 'Land AAA, north', 'Land CCC, north']);
});

test('equal GIDs under different parents are different units, and a unit may lack a level between others', async () => {
  const odd = await dissolved(
    writeSingle('odd.gpkg', [
      unit(1, ['AAA', 'AAA.1', '?'], square(0, 0)),
      unit(2, ['AAA', 'AAA.2', '?'], square(1, 0)),
      unit(3, ['AAA', '', 'AAA.x'], square(2, 0)),
      unit(4, ['AAA', '', 'AAA.x'], square(3, 0)),
      unit(5, ['', 'Z.1', ''], square(4, 0)),
    ]),
  );
  assert.deepEqual(sizesOf(odd.levels), ['AAA: 4', 'AAA.1: 1, AAA.2: 1, Z.1: 1', '?: 1, ?: 1, AAA.x: 2']);
});

test('an invalid polygon is made valid before it is united and counted; the unit itself is unchanged', async () => {
  const bowTie = 'POLYGON((1 0,3 2,3 0,1 2,1 0))';
  const invalid = writeSingle('invalid.gpkg', [
    unit(1, ['AAA', 'AAA.1'], 'POLYGON((0 0,0 2,1 2,1 0,0 0))'),
    unit(2, ['AAA', 'AAA.2'], bowTie),
  ]);
  const { levels, quality } = await dissolved(invalid);
  const repaired = quality.filter((line) => line.includes('repaired'));
  assert.deepEqual(repaired, ['lv0 repaired-geometries 1 invalid.gpkg: layer invalid, fid 2']);
  assert.deepEqual(levels[0]?.map(areaOf), [4]);
  assert.equal(JSON.stringify(levels[1]?.[1].geometry.coordinates), '[[[[1,0],[3,2],[3,0],[1,2],[1,0]]]]');
});

test('polygons of one unit that overlap keep their whole area', async () => {
  const overlapping = 'MULTIPOLYGON(((0 0,0 2,2 2,2 0,0 0)),((1 1,1 3,3 3,3 1,1 1)))';
  const units = [unit(1, ['AAA', 'AAA.1'], overlapping), unit(2, ['AAA', 'AAA.2'], square(3, 0))];
  assert.deepEqual((await dissolved(writeSingle('overlapping.gpkg', units))).levels[0]?.map(areaOf), [8]);
});

test('64-bit integers keep every digit; where they differ, they are null', async () => {
  const columns = ['GID_0', 'GID_1', { name: 'CODE', type: gdal.OFTInteger64 }];
  const layer = squares(
    'wide',
    columns,
    ...[
      ['AAA', 'AAA.1', 0],
      ['AAA', 'AAA.2', 0],
      ['BBB', '', 0],
      ['CCC', 'CCC.1', 0],
      ['CCC', 'CCC.2', 1],
    ],
  );
  const path = writeDataset(join(folder, 'wide.gpkg'), 'GPKG', [layer]);
  const dataset = gdal.open(path, 'r+');
  runSql(dataset, 'UPDATE wide SET CODE = 9007199254740992 + (1 - CODE)');
  dataset.close();
  const lines = (await dissolved(path)).linesOf(0);
  const codes = [...lines.matchAll(/"GID_0":"(\w+)","CODE":(\w+)/g)].map(([, gid, code]) => `${gid} ${code}`);
  assert.deepEqual(codes, ['AAA 9007199254740993', 'BBB 9007199254740993', 'CCC null']);
});

test('the cost is said as a sentence with the minutes', () => {
  const levels = [263, 3662, 46_000].map((units) => ({ units }));
  assert.match(
    dissolveCostToText({ sourceUnits: 356_508, levels, parts: [{ bytes: 600e6 }, { bytes: 600e6 }] }, 2),
    /^356,508 units in one layer: its 49,925 units on 3 levels are made by dissolving; about \d+ minutes, /,
  );
});

test('fails for a unit without any GID, and for one that is not polygonal, cannot be made valid or cannot be read', async () => {
  const many = Array.from({ length: 400 }, (_, i) =>
    unit(i + 1, ['AAA', `AAA.${i}`, `AAA.${i}.1`], square(i % 100, 0)),
  );
  const damaged = writeSingle('damaged.gpkg', many);
  const bytes = readFileSync(damaged);
  // Ten pages of the table, found by a value in it.
  const at = bytes.indexOf('AAA.200.1') & ~4095;
  writeFileSync(damaged, bytes.fill(0, at, at + 40_960));
  const unclosed = unit(99, ['BBB', 'BBB.9'], 'POLYGON((1 0,3 2,2 5))');
  for (const [path, message] of [
    [
      writeSingle('nowhere.gpkg', [...UNITS, unit(99, ['', null, ''], square(0, 0))]),
      /layer nowhere, fid 99: it has no GID in any of GID_0, GID_1, GID_2$/,
    ],
    [
      writeSingle('point.gpkg', [...UNITS, unit(99, ['DDD'], 'POINT(0 0)')]),
      /layer point, fid 99: its geometry is a POINT, not a polygon$/,
    ],
    [
      writeSingle('unclosed.gpkg', [...UNITS, unclosed]),
      /layer unclosed, fid 99: it cannot be united with the other units of BBB: /,
    ],
    [damaged, /layer damaged, after fid \d+.*: GDAL reports: .*malformed/],
  ] as const)
    await assert.rejects(dissolved(path), (error: Error) => {
      assert.equal(error.name, 'BuildError');
      assert.ok(error.message.startsWith(`${path}: `), error.message);
      assert.match(error.message, message);
      return true;
    });
});

test('fails for a part that cannot be written', async () => {
  const [layer] = describeDataset({ source: [source], levels: LEVELS }).dissolved;
  assert.ok(layer);
  await assert.rejects(dissolveLayer(layer, join(folder, 'no such folder'), [], openPool(0), SILENT), {
    name: 'BuildError',
    // The working file itself is not named.
    message: /no such folder: GDAL cannot write a working file: (?!.*part-)/,
  });
});

test('GADM 2.8 in one layer: GIDs are composed, and 0 stands for no unit of a level', async () => {
  const columns = ['OBJECTID', 'ID_0', 'ID_1', 'ID_2'].map((name) => ({ name, type: gdal.OFTInteger }));
  const layer = squares(
    'gadm28',
    [...columns, 'ISO', 'NAME_0', 'NAME_1', 'NAME_2'],
    [1, 9, 1, 1, 'AAA', 'Aland', 'North', 'Næst'],
    [2, 9, 1, 2, 'AAA', 'Aland', 'North', 'Wüst'],
    [3, 9, 2, 0, 'AAA', 'Aland', 'South', ''],
    [4, 10, 0, 0, 'BBB', 'Beland', '', ''],
  );
  const { gidsOf, release } = await published(writeDataset(join(folder, 'gadm28.gpkg'), 'GPKG', [layer]));
  const gids = [gidsOf(0, 'ISO'), gidsOf(1), gidsOf(2)].map((list) => list.join(' '));
  assert.deepEqual(gids, ['AAA BBB', 'AAA.1 AAA.2', 'AAA.1.1 AAA.1.2']);
  assert.deepEqual(release.quality, []);
  assert.equal(release.levels[1]?.nameColumn, 'NAME_1');
});

test('the columns of a single layer may be named and renamed', async () => {
  const columns = ['code0', 'code1', 'code2', 'name'];
  const rows = [
    ['A', 'A1', 'A1a', 'x'],
    ['A', 'A1', 'A1b', 'y'],
    ['A', 'A2', null, 'z'],
  ];
  const renamed = writePieces('renamed.gpkg', columns, ...rows);
  const options = contentOptionsFrom({
    'gid-column': ['lv0=code0', 'lv1=code1', 'lv2=code2'],
    columns: ['code0:country,code1:region', 'lv2=code2:district'],
  });
  const { gidsOf } = await published(renamed, options);
  const gids = ['country', 'region', 'district'].map((column, n) => gidsOf(n as Level, column).join(' '));
  assert.deepEqual(gids, ['A', 'A1 A2', 'A1a A1b']);
});

test('a GID that is the number 0 is a GID: such a layer is no single layer', async () => {
  const columns = ['country', { name: 'code', type: gdal.OFTInteger }];
  const zero = writePieces('zero.gpkg', columns, ['A', 0], ['A', 1]);
  const options = contentOptionsFrom({ 'gid-column': ['lv0=country', 'lv1=code'] });
  assert.deepEqual((await published(zero, options)).counts, [0, 2, 0, 0, 0, 0]);
});

function writePieces(name: string, columns: FixtureLayer['columns'], ...rows: readonly unknown[][]): string {
  return writeDataset(join(folder, name), 'GPKG', [squares('units', columns, ...rows)]);
}

function typed(texts: Readonly<Record<string, readonly string[]>>) {
  return contentOptionsFrom({ ...texts, levels: ['lv1', 'lv2'] });
}

const PIECES: readonly FixtureFeature[] = [
  { fid: 3, values: ['R1', 'North', 'island'], wkt: square(0, 0) },
  { fid: 5, values: ['R2', 'South', 'island'], wkt: square(5, 5) },
  { fid: 7, values: ['R1', 'North', 'coast'], wkt: square(1, 0) },
  { fid: 8, values: ['R1', 'North', 'rock'], wkt: square(8, 8) },
];

test('units in pieces are refused, and the remedy unites them: those that touch become one polygon', async () => {
  const layer = { name: 'units', columns: ['code', 'name', 'kind'], features: PIECES };
  const pieces = writeDataset(join(folder, 'pieces.gpkg'), 'GPKG', [layer]);
  const options = { 'gid-column': ['lv1=code'], 'name-column': ['lv1=name'] };
  await assert.rejects(buildRelease(pieces, folder, typed(options)), {
    message: /2 units have the GID of another unit /,
    remedy: /^if units are in pieces, unite them with --dissolve lv1; or fix the source/,
  });
  const { unitsOf, release } = await published(pieces, typed({ ...options, dissolve: ['lv1'] }));
  assert.deepEqual(
    unitsOf(1).map((unit) => [unit.id, unit.properties, unit.geometry.coordinates.length, areaOf(unit)]),
    [
      [1, { fid: 1, code: 'R1', name: 'North' }, 2, 3],
      [2, { fid: 2, code: 'R2', name: 'South' }, 1, 1],
    ],
  );
  assert.deepEqual(release.options['dissolve'], ['lv1']);
});

test('units are told apart by GIDs beyond 2^53, which doubles cannot tell apart', async () => {
  const codes = ['9007199254740992', '9007199254740993', '9007199254740995'];
  const columns = ['region', { name: 'code', type: gdal.OFTInteger64 }];
  const path = writePieces('wide-gids.gpkg', columns, ...codes.map((_, i) => ['R', i]));
  const dataset = gdal.open(path, 'r+');
  for (const [i, code] of codes.entries()) runSql(dataset, `UPDATE units SET code = ${code} WHERE code = ${i}`);
  dataset.close();
  const { linesOf, gidsOf } = await published(
    path,
    typed({ 'gid-column': ['lv1=region', 'lv2=code'], dissolve: ['lv1=lv2,lv2'] }),
  );
  assert.deepEqual(gidsOf(1, 'region'), ['R']);
  const read = [...linesOf(2).matchAll(/"code":(\d+)/g)].map(([, code]) => code);
  assert.deepEqual(read, codes);
});

test('a level that only a column has is made from the level below, with the columns that its units share', async () => {
  const rows = [
    ['01', '01001', 'Autauga', 'Alabama'],
    ['01', '01003', 'Baldwin', 'Alabama'],
    ['02', '02013', 'Aleutians', 'Alaska'],
    ['02', '02016', 'Aleutians West', 'Alaska'],
    ['02', '02016', 'Aleutians West', 'Alaska'],
  ];
  const counties = writePieces('counties.gpkg', ['STATEFP', 'GEOID', 'NAME', 'STATE_NAME'], ...rows);
  const options = {
    'gid-column': ['lv1=STATEFP', 'lv2=GEOID'],
    'name-column': ['lv1=STATE_NAME', 'lv2=NAME'],
    dissolve: ['lv1=lv2,lv2'],
  };
  const { unitsOf, valuesOf, release } = await published(counties, typed(options));
  assert.deepEqual(
    unitsOf(1).map((unit) => [unit.properties, areaOf(unit)]),
    [
      [{ fid: 1, STATEFP: '01', STATE_NAME: 'Alabama' }, 2],
      [{ fid: 2, STATEFP: '02', STATE_NAME: 'Alaska' }, 3],
    ],
  );
  const expected = rows.slice(0, 4).map((values) => values.slice(0, 3));
  assert.deepEqual(valuesOf(2, 'STATEFP', 'GEOID', 'NAME'), expected);
  const kinds = release.quality.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['missing-parents']);
});

test('a condition or a statement for a level also selects what the levels above are made of', async () => {
  const rows = ['a', 'b', 'a'].map((kind, i) => ['L', `R${i}`, `T${i}`, kind]);
  const source = writePieces('selected.gpkg', ['land', 'region', 'town', 'kind'], ...rows);
  const gids = { 'gid-column': ['lv0=land', 'lv1=region', 'lv2=town'], dissolve: ['lv0=lv1,lv1=lv2'] };
  for (const selected of [{ where: ["lv2=kind = 'a'"] }, { sql: ["lv2=SELECT * FROM {layer} WHERE kind = 'a'"] }]) {
    const { unitsOf, gidsOf } = await published(source, contentOptionsFrom({ ...gids, ...selected }));
    assert.deepEqual(unitsOf(0).map(areaOf), [2]);
    assert.deepEqual(gidsOf(1, 'region'), ['R0', 'R2']);
  }
});

test('values are those of the source: of any type, in columns of any name', async () => {
  const common =
    '"country":"A","Name":"x","NAME":"y","":"e","geom":"g","list":[1,2.5],"texts":["a","b"],"is":true,' +
    '"day":"2020-01-02","moment":"2020-01-02T03:04:05+02:00","at":"03:04:05","share":0.1,"whole":5,"big":9007199254740993';
  const feature = (i: number): string =>
    `{"type":"Feature","id":${i},"properties":{${common},"part":${i}},"geometry":{"type":"Polygon","coordinates":` +
    `[[[${i},0],[${i + 1},0],[${i + 1},1],[${i},0]]]}}`;
  const file = join(folder, 'typed.geojson');
  writeFileSync(file, `{"type":"FeatureCollection","features":[${[1, 2, 3].map(feature).join()}]}`);
  const { linesOf, release } = await published(file, {
    ...contentOptionsFrom({ 'gid-column': ['lv0=country'], dissolve: ['lv0'] }),
  });
  assert.equal(/"properties":{"fid":1,(.*)},"geometry"/.exec(linesOf(0))?.[1], common);
  assert.deepEqual(release.quality, []);
});

test('what cannot be dissolved is refused, and named', async () => {
  const source = writePieces('differing.gpkg', ['region', 'code'], ['R1', 'c'], ['R2', 'c']);
  const gids = ['lv1=region', 'lv2=code'];
  for (const [options, message] of [
    [
      { 'gid-column': gids, dissolve: ['lv2'] },
      /layer units: fids 1 and 2 both have code c, but different parents: region R1 and R2$/,
    ],
    [{ 'gid-column': gids, dissolve: ['lv3'] }, /^--dissolve lv3: the source has no level 3$/],
    [{ 'gid-column': ['lv2=code'], dissolve: ['lv1=lv2'] }, /layer units is level 1 but has no column GID_1/],
    ...['where', 'sql', 'crs'].map(
      (name) =>
        [
          { 'gid-column': gids, dissolve: ['lv1=lv2'], [name]: ['lv1=EPSG:4258'] },
          new RegExp(`^--${name} lv1=EPSG:4258: level 1 is made from features of level 2 \\(--dissolve lv1=lv2\\)$`),
        ] as const,
    ),
  ] as const)
    await assert.rejects(buildRelease(source, join(folder, 'no'), { ...contentOptionsFrom(options) }), { message });
  for (const dissolve of ['lv2=lv1', 'lv7', 'lv1=lv2=lv3', ''])
    assert.throws(() => contentOptionsFrom({ dissolve: [dissolve] }), /^UsageError: --dissolve /);
});
