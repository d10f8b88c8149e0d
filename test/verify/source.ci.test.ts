// A release against GDAL's own reading of a dataset: equal to the one it was built from, and different from any other
// in just the units that differ. Whatever kind of source test/source/ builds is compared there (source/published.ts).
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { STORED_PAGES } from '../../format/levels.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { type FixtureFeature, type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { geometryDifference } from '../support/releases/compare-geometry.ts';
import { verifyAgainst } from '../support/releases/source-oracle.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const layers = countryLayers();
const source = writeDataset(join(folder, 'levels.gpkg'), 'GPKG', layers);
const out = join(folder, 'levels');
await buildRelease(source, out);

/** Builds a release of a source with the given options and verifies it against the same source. */
async function faultsOfOwn(name: string, files: string | string[], options: Parameters<typeof buildRelease>[2] = {}) {
  const own = join(folder, `${name}-out`);
  await buildRelease(files, own, options);
  const { findings, features } = await verifyAgainst(files, own);
  assert.ok(features > 0);
  return findings;
}

test('a release is what GDAL reads of the synthetic dataset, at any precision, whichever pages it stores', async () => {
  const synthetic = join(folder, 'synthetic.gpkg');
  writeSynthetic(synthetic, 100);
  const accept = ['null-gids', 'duplicate-gids', 'empty-geometries', 'collapsed-geometries'] as const;
  for (const [i, precision] of [7, 12, 0].entries()) {
    const options = { precision, accept, storedPages: STORED_PAGES[i] ?? 'all' };
    assert.deepEqual(await faultsOfOwn(`synthetic-${precision}`, synthetic, options), [], String(precision));
  }
});

test('so it is of heights, open rings, empty parts and every type of geometry', async () => {
  const wkts = [
    null,
    'POLYGON EMPTY',
    'POINT Z (1 2 3)',
    'MULTIPOINT(1 2,3 4)',
    'LINESTRING(0 0,1 1,2 0.12345678949)',
    'MULTILINESTRING((0 0,1 1),EMPTY,(3 3,4 4))',
    'POLYGON((0 0,0 10,10 10,10 0,0 0),(1 1,2 1,2 2,1 1))',
    'POLYGON((0 0,10 0,10 10))',
    'POLYGON((0 0,10 0,10 10,0 0),(1 1,1 1),(2 1,3 1,3 2))',
    'POLYGON((0 0,1 1,1 0,0 2,0 0))',
    'MULTIPOLYGON(((0 0,1 0)),((5 5,6 5,6 6,5 5)),EMPTY)',
    'GEOMETRYCOLLECTION(POINT(1 2),POLYGON EMPTY,GEOMETRYCOLLECTION(LINESTRING(0 0,1 1)))',
    'GEOMETRYCOLLECTION(LINESTRING EMPTY)',
    'POLYGON((179 0,180 0,180 1,179 1,179 0))',
  ];
  const features = wkts.map((wkt, fid) => ({ fid, values: [`A${fid}`], wkt }));
  const kinds = writeDataset(join(folder, 'kinds.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  assert.deepEqual(await faultsOfOwn('kinds', kinds, { accept: ['empty-geometries', 'non-polygonal'] }), []);
});

const levels = 'releases/r1';
const fileOf = (level: number): string => `${levels}/lv${level}/features/000001.geojsonl.gz`;

/** What differs between the release and a dataset of the same name in which one layer has other features. */
async function faultsAgainst(
  level: number,
  change: (features: readonly FixtureFeature[]) => readonly FixtureFeature[],
) {
  const changed = layers.map(
    (layer, i): FixtureLayer => (i === level ? { ...layer, features: change(layer.features) } : layer),
  );
  const file = writeDataset(join(folder, 'other.gpkg'), 'GPKG', changed);
  const renamed = join(folder, 'changed/levels.gpkg');
  mkdirSync(dirname(renamed), { recursive: true });
  renameSync(file, renamed);
  const { findings: faults } = await verifyAgainst(renamed, out);
  // Whatever differs, the file is not the one that the release was built from.
  const [first] = faults.filter(({ path }) => path === `${levels}/release.json`);
  assert.match(first?.problem ?? '', /^was built from levels\.gpkg with SHA-256 [0-9a-f]{64}; the given one has/);
  return faults.filter((fault) => fault !== first);
}

function withFeature(fid: number, change: Partial<FixtureFeature>) {
  return (features: readonly FixtureFeature[]) =>
    features.map((feature) => (feature.fid === fid ? { ...feature, ...change } : feature));
}

test("what GDAL's JSON has of nothing is nothing: empty points, alone and in collections", () => {
  const point = { type: 'Point', coordinates: [] };
  const full = { type: 'Point', coordinates: [1, 2] };
  for (const nothing of [point, { type: 'GeometryCollection', geometries: [point] }, null]) {
    assert.equal(geometryDifference(null, nothing, 7), undefined);
    assert.equal(geometryDifference(full, nothing, 7), 'has a geometry; the source has none');
  }
  assert.equal(geometryDifference(null, full, 7), 'has no geometry; the source has a Point');
  const some = { type: 'GeometryCollection', geometries: [point, { ...full, coordinates: [1, 2, 3] }] };
  assert.equal(geometryDifference({ type: 'GeometryCollection', geometries: [full] }, some, 7), undefined);
  assert.match(geometryDifference({ ...full, coordinates: [1, 2, 3] }, full, 7) ?? '', /^a position is \[1,2,3\]/);
  assert.match(geometryDifference({ ...full, coordinates: [1, null] }, full, 7) ?? '', /^a position is \[1,null\]/);
});

test('a changed coordinate, geometry or property is found, a rounded coordinate is none', async () => {
  const [east, west] = [square(20, 0), square(10, 0, 4)].map((wkt) => wkt.replace(/^MULTIPOLYGON\((.*)\)$/, '$1'));
  const ringOfSix = 'MULTIPOLYGON(((10 0,10 4,14 4,14 0,12 0,10 0)))';
  const withHole = 'MULTIPOLYGON(((10 0,10 4,14 4,14 0,10 0),(11 1,12 1,12 2,11 1)))';
  const district = ['BBB.1.1_1', 'BBB', 'Beland', 'BBB.1_1', 'All', '西'];
  const cases: [level: number, fid: number, change: Partial<FixtureFeature>, problem?: string][] = [
    [0, 2, { wkt: square(10 + 4e-8, 0, 4) }],
    [0, 2, { wkt: square(10 + 1e-7, 0, 4) }, 'a position is [10,0], the source has [10.0000001,0]'],
    [0, 2, { wkt: null }, 'has a geometry; the source has none'],
    [0, 2, { wkt: 'POINT(1 1)' }, 'is a MultiPolygon, the source has a Point'],
    [0, 2, { wkt: `MULTIPOLYGON(${west},${east})` }, "its geometry has 1 parts, the source's 2"],
    [0, 2, { wkt: ringOfSix }, 'has a ring of 5 positions, the source of 6'],
    [0, 2, { wkt: withHole }, "its geometry has 1 parts, the source's 2"],
    [2, 3, { values: district }, 'NAME_2 is "東", the source has "西"'],
    [2, 3, { values: district.with(5, '') }, 'NAME_2 is "東", the source has ""'],
  ];
  for (const [level, fid, change, problem] of cases) {
    const expected = problem === undefined ? [] : [{ path: fileOf(level), problem: `fid ${fid}: ${problem}` }];
    assert.deepEqual(await faultsAgainst(level, withFeature(fid, change)), expected);
  }
});

/** A feature of GeoJSON with these members, whose values are JSON. */
function writeMembers(file: string, members: ReadonlyMap<string, string>): void {
  const properties = [...members].map(([name, value]) => `"${name}":${value}`).join();
  const geometry = '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}';
  writeFileSync(file, `{"type":"Feature","id":1,"properties":{${properties}},"geometry":${geometry}}`);
}

test('the last digit of 64-bit numbers counts, and columns named like members of objects differ where their values do', async () => {
  const file = join(folder, 'members.geojson');
  const others = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'].map((name) => [name, '"A"']);
  const cases: [gid: string, population: string, changes: [name: string, value: string][]][] = [
    ['"A"', '1', [['constructor', '"B"']]],
    // With a number of so many digits, a feature is parsed in another way.
    [
      '9223372036854775807',
      '-9007199254740993',
      [
        ['GID_0', '9223372036854775806'],
        ['POP', '-9007199254740992'],
        ['__proto__', '"B"'],
        ['constructor', '"B"'],
      ],
    ],
  ];
  for (const [i, [gid, population, changes]] of cases.entries()) {
    const members = new Map([['GID_0', gid], ['POP', population], ...others] as [string, string][]);
    const own = join(folder, `members-${i}`);
    writeMembers(file, members);
    await buildRelease(file, own);
    assert.deepEqual((await verifyAgainst(file, own)).findings, []);
    for (const [name, value] of changes) {
      writeMembers(file, new Map(members).set(name, value));
      const { findings } = await verifyAgainst(file, own);
      const found = findings.map(({ problem }) => problem).filter((problem) => !problem.startsWith('was built'));
      assert.deepEqual(found, [`fid 1: ${name} is ${members.get(name)}, the source has ${value}`]);
    }
  }
});

test('a unit that only the release has, and one that only the source has', async () => {
  assert.deepEqual(await faultsAgainst(2, (features) => features.filter(({ fid }) => fid !== 2)), [
    { path: fileOf(2), problem: 'fid 2: the source has no such feature' },
  ]);
  const more = { fid: 7, values: ['BBB.2_1', 'BBB', 'Beland', 'New'], wkt: square(12, 0) };
  assert.deepEqual(await faultsAgainst(1, (features) => [...features, more]), [
    { path: `${levels}/lv1/index.bin`, problem: 'lacks fid 7, which the source has' },
  ]);
});

test('a column that only one of them has', async () => {
  const wider = layers.map((layer, i) => {
    if (i !== 0) return layer;
    const features = layer.features.map(({ values, ...rest }) => ({ ...rest, values: [...values, 'x'] }));
    return { ...layer, columns: [...layer.columns, 'MORE'], features };
  });
  const file = writeDataset(join(folder, 'wider.gpkg'), 'GPKG', wider);
  const { findings } = await verifyAgainst(file, out);
  assert.deepEqual(
    findings.filter(({ path }) => path === fileOf(0)),
    [1, 2].map((fid) => ({ path: fileOf(0), problem: `fid ${fid}: has no property MORE` })),
  );
  const own = join(folder, 'wider-out');
  await buildRelease(file, own);
  const narrow = await verifyAgainst(source, own);
  assert.deepEqual(narrow.findings.map(({ problem }) => problem).sort(), [
    'fid 1: has a property MORE; the source has no such column',
    'fid 2: has a property MORE; the source has no such column',
    'was built from wider.gpkg, which is not among the given files',
    'was not built from levels.gpkg, which is among the given files',
  ]);
});

test('a source that lacks a level of the release is refused', async () => {
  const fewer = writeDataset(join(folder, 'fewer.gpkg'), 'GPKG', layers.slice(0, 2));
  await assert.rejects(verifyAgainst(fewer, out), { message: 'no layer of the source is level 2' });
});
