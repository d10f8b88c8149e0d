// A single layer whose units end at different levels, split into the levels that a build reads.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { SILENT } from '../../generator/report/progress.ts';
import { planSplit } from '../../generator/single-layer/plan.ts';
import {
  type SplitResult,
  splitCostToText,
  splitSingleLayer,
} from '../../generator/single-layer/split-single-layer.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { openPool, type Pool } from '../../generator/workers/pool.ts';
import { type ReadFeature, readLayer } from '../support/datasets/read-layer.ts';
import { type FixtureFeature, runSql, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const here = openPool(0);
after(() => here.close());

const GID_COLUMNS = ['GID_0', 'GID_1', 'GID_2'];
const COLUMNS = ['UID', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2', 'TYPE_2', 'REGION'];

/** A unit; `gids` and `regions` as in the file. */
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

function writeSingle(name: string, features: readonly FixtureFeature[], driver = 'GPKG') {
  const layer = basename(name, '.gpkg');
  const path = writeDataset(join(folder, name), driver, [{ name: layer, columns: COLUMNS, features }]);
  return { path, layer, gidColumns: GID_COLUMNS };
}

type Source = ReturnType<typeof writeSingle>;

function split(source: Source, pool: Pool = here, report = SILENT): Promise<SplitResult> {
  const parts = join(folder, `${source.layer}-${pool.size}-${Math.random()}`);
  mkdirSync(parts);
  return splitSingleLayer(source, parts, pool, report);
}

/** The units of a level from all parts, in fid order. */
function unitsOf({ paths }: SplitResult, level: number): ReadFeature[] {
  const layer = `ADM_${level}`;
  const read = paths.filter((path) => {
    const dataset = gdal.open(path);
    const hasLayer = dataset.layers.map(({ name }) => name).includes(layer);
    dataset.close();
    return hasLayer;
  });
  return read.flatMap((path) => readLayer(path, layer)).sort((a, b) => a.fid - b.fid);
}

/** Layers, fids, values and WKB of a part. */
function contentOf(path: string): unknown[] {
  const dataset = gdal.open(path);
  const content = dataset.layers.map((layer) => [
    layer.name,
    layer.features.map((feature) => [feature.fid, feature.fields.toObject(), feature.getGeometry()?.toWKB() ?? null]),
  ]);
  dataset.close();
  return content;
}

function areaOf({ geometry }: ReadFeature): number {
  const read = geometry === null ? null : gdal.Geometry.fromGeoJson(geometry);
  return read instanceof gdal.MultiPolygon ? read.getArea() : Number.NaN;
}

const source = writeSingle('world.gpkg', UNITS);
const levels = await split(source);

test('level n has a unit for each GID_n, numbered 1, 2, 3 ... in the order of their first fids', () => {
  const gids = [0, 1, 2].map((n) => unitsOf(levels, n).map(({ fid, fields }) => `${fid} ${fields[`GID_${n}`]}`));
  assert.deepEqual(gids, [
    ['1 BBB', '2 AAA', '3 CCC'],
    ['1 BBB.1', '2 BBB.2', '3 CCC.1'],
    ['1 BBB.1.2', '2 BBB.1.1', '3 CCC.1.1', '4 CCC.1.2', '5 CCC.1.3'],
  ]);
});

test('the order of the features in the file does not matter', async () => {
  const path = writeDataset(join(folder, 'unordered.geojson'), 'GeoJSON', [
    { name: 'unordered', columns: COLUMNS, features: UNITS },
  ]);
  const unordered = await split({ path, layer: 'unordered', gidColumns: GID_COLUMNS });
  for (const n of [0, 1, 2]) assert.deepEqual(unitsOf(unordered, n), unitsOf(levels, n));
});

test('a unit is the union of its members, islands included; units without geometry add nothing', () => {
  assert.deepEqual(
    [0, 1, 2].map((n) => unitsOf(levels, n).map(areaOf)),
    [
      [5, 1, 2],
      [4, 1, 2],
      [3, 1, 1, 1, Number.NaN],
    ],
  );
  const [bbb] = unitsOf(levels, 0);
  assert.equal(bbb?.geometry?.type, 'MultiPolygon');
  // Four squares that touch and an island: no border is left between the four.
  const parts = bbb?.geometry?.coordinates;
  assert.ok(Array.isArray(parts) && parts.length === 2 && parts.every((rings) => rings.length === 1));
});

test('a unit that is alone keeps its geometry at every level, position by position', () => {
  const [, expected] = readLayer(source.path, source.layer).filter(({ fields }) => fields['GID_1'] !== 'BBB.1');
  assert.equal(expected?.fields['GID_0'], 'AAA');
  assert.deepEqual(unitsOf(levels, 0)[1]?.geometry, expected?.geometry);
});

test('a level has its columns, those of upper levels and those of all levels; keys of the source are left out', () => {
  const columns = [0, 1, 2].map((n) => Object.keys(unitsOf(levels, n)[0]?.fields ?? {}));
  assert.deepEqual(columns, [
    ['GID_0', 'COUNTRY', 'REGION'],
    ['GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'REGION'],
    ['GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2', 'TYPE_2', 'REGION'],
  ]);
});

test('a value on which the members agree is kept, any other is null', () => {
  assert.deepEqual(
    unitsOf(levels, 0).map(({ fields }) => [fields['COUNTRY'], fields['REGION']]),
    [
      ['Land BBB', null],
      ['Land AAA', 'north'],
      ['Land CCC', 'north'],
    ],
  );
});

test('the parts are the same with two child processes as with none, to the last byte of a geometry, and progress reaches its total', async () => {
  const pool = openPool(2);
  const counts = { expected: 0, done: 0 };
  const report = {
    ...SILENT,
    expect(_: string, amount: number) {
      counts.expected += amount;
    },
    advance(_: string, amount: number) {
      counts.done += amount;
    },
  };
  const parallel = await split(source, pool, report).finally(() => pool.close());
  assert.equal(parallel.paths.length, 3);
  assert.deepEqual(
    parallel.paths.map((path) => basename(path)),
    levels.paths.map((path) => basename(path)),
  );
  for (const [i, path] of levels.paths.entries()) assert.deepEqual(contentOf(parallel.paths[i] ?? ''), contentOf(path));
  assert.deepEqual(counts, { expected: UNITS.length, done: UNITS.length });
});

test('equal GIDs under different parents are different units, and a unit may lack a level between others', async () => {
  const odd = await split(
    writeSingle('odd.gpkg', [
      unit(1, ['AAA', 'AAA.1', '?'], square(0, 0)),
      unit(2, ['AAA', 'AAA.2', '?'], square(1, 0)),
      unit(3, ['AAA', '', 'AAA.x'], square(2, 0)),
      unit(4, ['AAA', '', 'AAA.x'], square(3, 0)),
      unit(5, ['', 'Z.1', ''], square(4, 0)),
    ]),
  );
  const rows = [0, 1, 2].map((n) => unitsOf(odd, n).map((read) => [read.fields[`GID_${n}`], areaOf(read)]));
  assert.deepEqual(rows, [
    [['AAA', 4]],
    [
      ['AAA.1', 1],
      ['AAA.2', 1],
      ['Z.1', 1],
    ],
    [
      ['?', 1],
      ['?', 1],
      ['AAA.x', 2],
    ],
  ]);
});

test('an invalid polygon is made valid before it is united and counted; the unit itself is unchanged', async () => {
  const bowTie = 'POLYGON((1 0,3 2,3 0,1 2,1 0))';
  const invalid = writeSingle('invalid.gpkg', [
    unit(1, ['AAA', 'AAA.1'], 'POLYGON((0 0,0 2,1 2,1 0,0 0))'),
    unit(2, ['AAA', 'AAA.2'], bowTie),
  ]);
  const result = await split(invalid);
  assert.deepEqual(result.repaired, [2]);
  assert.deepEqual(unitsOf(result, 0).map(areaOf), [4]);
  const published = unitsOf(result, 1)[1]?.geometry?.coordinates;
  assert.deepEqual(published, [
    [
      [
        [1, 0],
        [3, 2],
        [3, 0],
        [1, 2],
        [1, 0],
      ],
    ],
  ]);
});

test('fails for a polygon that cannot be made valid, and names the unit and its fid', async () => {
  const unclosed = writeSingle('unclosed.gpkg', [
    unit(1, ['AAA', 'AAA.1'], square(0, 0)),
    unit(2, ['AAA', 'AAA.2'], 'POLYGON((1 0,3 2,2 5))'),
  ]);
  await assert.rejects(split(unclosed), (error: Error) => {
    assert.equal(error.name, 'BuildError');
    assert.ok(
      error.message.startsWith(
        `${unclosed.path}: layer unclosed, fid 2: it cannot be united with the other units of AAA: `,
      ),
    );
    return true;
  });
});

test('polygons of one unit that overlap keep their whole area', async () => {
  const overlapping = 'MULTIPOLYGON(((0 0,0 2,2 2,2 0,0 0)),((1 1,1 3,3 3,3 1,1 1)))';
  const result = await split(
    writeSingle('overlapping.gpkg', [unit(1, ['AAA', 'AAA.1'], overlapping), unit(2, ['AAA', 'AAA.2'], square(3, 0))]),
  );
  assert.deepEqual(unitsOf(result, 0).map(areaOf), [8]);
});

test('64-bit integers keep every digit; where they might differ, they are null', async () => {
  const path = writeDataset(join(folder, 'wide.gpkg'), 'GPKG', [
    {
      name: 'wide',
      columns: ['GID_0', 'GID_1', { name: 'CODE', type: gdal.OFTInteger64 }],
      features: [
        { fid: 1, values: ['AAA', 'AAA.1', 0], wkt: square(0, 0) },
        { fid: 2, values: ['AAA', 'AAA.2', 0], wkt: square(1, 0) },
        { fid: 3, values: ['BBB', '', 0], wkt: square(2, 0) },
      ],
    },
  ]);
  const dataset = gdal.open(path, 'r+');
  runSql(dataset, 'UPDATE wide SET CODE = 9007199254740993');
  dataset.close();
  const result = await split({ path, layer: 'wide', gidColumns: ['GID_0', 'GID_1'] });
  const codes = result.paths.flatMap((part) => {
    const read = gdal.open(part);
    const rows = read.executeSQL('SELECT GID_0, CAST(CODE AS TEXT) FROM ADM_0');
    const values = rows.features.map(({ fields }) => fields.toArray());
    read.close();
    return values;
  });
  assert.deepEqual(codes.sort(), [
    ['AAA', null],
    ['BBB', '9007199254740993'],
  ]);
});

test('the cost is known before: units by level, and a sentence with the minutes', () => {
  const plan = planSplit(source);
  assert.deepEqual([plan.sourceUnits, plan.levels.map(({ units }) => units)], [8, [3, 3, 5]]);
  const levels = [263, 3662, 46_000].map((units) => ({ units }));
  assert.match(
    splitCostToText({ sourceUnits: 356_508, levels, parts: [{ bytes: 600e6 }, { bytes: 600e6 }] }, 2),
    /^356,508 units in one layer: its 49,925 units on 3 levels are made by dissolving; about \d+ minutes, /,
  );
});

test('fails for a unit without any GID, for one that is not polygonal, and for a missing column', async () => {
  const broken = (name: string, feature: FixtureFeature) => split(writeSingle(name, [...UNITS, feature]));
  await assert.rejects(broken('nowhere.gpkg', unit(99, ['', null, ''], square(0, 0))), {
    name: 'BuildError',
    message: `${join(folder, 'nowhere.gpkg')}: layer nowhere, fid 99: it has no GID in any of GID_0, GID_1, GID_2`,
  });
  await assert.rejects(broken('point.gpkg', unit(99, ['DDD'], 'POINT(0 0)')), {
    name: 'BuildError',
    message: `${join(folder, 'point.gpkg')}: layer point, fid 99: its geometry is a POINT, not a polygon`,
  });
  await assert.rejects(split({ ...source, gidColumns: ['GID_0', 'GID_9'] }), {
    name: 'BuildError',
    message: `${source.path}: layer world has no column GID_9`,
  });
});

test('fails for a file that is damaged in the middle, and says what GDAL reports', async () => {
  const many = Array.from({ length: 400 }, (_, i) =>
    unit(i + 1, ['AAA', `AAA.${i}`, `AAA.${i}.1`], square(i % 100, 0)),
  );
  const damaged = writeSingle('damaged.gpkg', many);
  const bytes = readFileSync(damaged.path);
  // Ten pages of the table, found by a value in it.
  const at = bytes.indexOf('AAA.200.1') & ~4095;
  writeFileSync(damaged.path, bytes.fill(0, at, at + 40_960));
  await assert.rejects(split(damaged), (error: Error) => {
    assert.equal(error.name, 'BuildError');
    assert.ok(error.message.startsWith(`${damaged.path}: layer damaged, after fid `), error.message);
    assert.match(error.message, /: GDAL reports: .*malformed/);
    return true;
  });
});

test('fails for a part that cannot be written', async () => {
  await assert.rejects(splitSingleLayer(source, join(folder, 'no such folder'), here, SILENT), {
    name: 'BuildError',
    message: /no such folder\/part-1\.gpkg: GDAL cannot write it: /,
  });
});
