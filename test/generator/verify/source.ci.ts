// The oracle that compares a release with GDAL's own reading of its dataset (support/releases/source-oracle.ts): the
// release is equal to the dataset it was built from, and different from any other in just the units that differ.
// Whatever kind of source test/generator/source/ builds is compared there (support/releases/source-cases.ts).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { STORED_PAGES } from '../../../format/levels.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { writeSynthetic } from '../../support/datasets/synthetic/synthetic.ts';
import { type FixtureFeature, type FixtureLayer, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { isPublishedAs } from '../../support/releases/compare-geometry.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

async function assertOwn(name: string, source: string, options: Parameters<typeof buildRelease>[2] = {}) {
  const out = join(folder, `${name}-out`);
  await buildRelease(source, out, options);
  assert.ok((await assertAsSource(source, out)) > 0);
}

test('a release is what GDAL reads of the synthetic dataset, at any precision, whichever pages it stores', async () => {
  const synthetic = join(folder, 'synthetic.gpkg');
  writeSynthetic(synthetic, 100);
  const accept = ['null-gids', 'duplicate-gids', 'empty-geometries', 'collapsed-geometries'] as const;
  for (const [i, precision] of [7, 12, 0].entries())
    await assertOwn(`synthetic-${precision}`, synthetic, { precision, accept, storedPages: STORED_PAGES[i] ?? 'all' });
});

test('a release is what GDAL reads of heights, open rings, empty parts and every type of geometry, simplified and as points, too', async () => {
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
    'POLYGON((7 7,8 8,9 9,7 7))',
    'POLYGON Z((0 0 5,1 0 5,1 1 5,0 0 5))',
    'POLYGON M((0 0 5,1 0 5,1 1 5,0 0 5))',
    'MULTIPOLYGON ZM(((0 0 5 6,1 0 5 6,1 1 5 6,0 0 5 6)))',
  ];
  const features = wkts.map((wkt, fid) => ({ fid, values: [`A${fid}`], wkt }));
  const kinds = writeDataset(join(folder, 'kinds.gpkg'), 'GPKG', [{ name: 'ADM_0', columns: ['GID_0'], features }]);
  const accept = ['empty-geometries', 'non-polygonal', 'collapsed-geometries'] as const;
  await assertOwn('kinds', kinds, { ...WHOLE, accept });
});

test("what GDAL's JSON has of nothing is nothing: empty points, alone and in collections", () => {
  const point = { type: 'Point', coordinates: [] };
  const full = { type: 'Point', coordinates: [1, 2] };
  for (const nothing of [point, { type: 'GeometryCollection', geometries: [point] }, null])
    assert.deepEqual([isPublishedAs(null, nothing, 7), isPublishedAs(full, nothing, 7)], [true, false]);
  assert.equal(isPublishedAs(null, full, 7), false);
  const some = { type: 'GeometryCollection', geometries: [point, { ...full, coordinates: [1, 2, 3] }] };
  assert.ok(isPublishedAs({ type: 'GeometryCollection', geometries: [full] }, some, 7));
  for (const coordinates of [
    [1, 2, 3],
    [1, null],
  ])
    assert.ok(!isPublishedAs({ ...full, coordinates }, full, 7));
});

const layers = countryLayers();
const out = join(folder, 'levels');
let written = 0;

function writeLayers(own: readonly FixtureLayer[]): string {
  return writeDataset(join(folder, `levels-${written++}.gpkg`), 'GPKG', own);
}

const source = writeLayers(layers);
await buildRelease(source, out);

type Change = (features: readonly FixtureFeature[]) => readonly FixtureFeature[];

/** Another unit in the place of the one with this fid. */
function withUnit(fid: number, change: Partial<FixtureFeature>): Change {
  return (features) => features.map((feature) => (feature.fid === fid ? { ...feature, ...change } : feature));
}

test('what is different in a dataset is found: a coordinate, a geometry, a property, a unit; a rounded coordinate is not', async () => {
  const [east, west] = [square(20, 0), square(10, 0, 4)].map((wkt) => wkt.replace(/^MULTIPOLYGON\((.*)\)$/, '$1'));
  const ringOfSix = 'MULTIPOLYGON(((10 0,10 4,14 4,14 0,12 0,10 0)))';
  const withHole = 'MULTIPOLYGON(((10 0,10 4,14 4,14 0,10 0),(11 1,12 1,12 2,11 1)))';
  const district = ['BBB.1.1_1', 'BBB', 'Beland', 'BBB.1_1', 'All', '西'];
  const more = { fid: 7, values: ['BBB.2_1', 'BBB', 'Beland', 'New'], wkt: square(12, 0) };
  const cases: readonly [level: number, change: Change, message: RegExp][] = [
    // Whatever differs, the file is not the one that the release was built from.
    [0, withUnit(2, { wkt: square(10 + 4e-8, 0, 4) }), /^the files of the source/],
    ...[square(10 + 1e-7, 0, 4), null, 'POINT(1 1)', `MULTIPOLYGON(${west},${east})`, ringOfSix, withHole].map(
      (wkt): (typeof cases)[number] => [0, withUnit(2, { wkt }), /^lv0 fid 2: .*, the source has /],
    ),
    [2, withUnit(3, { values: district }), /^lv2 fid 3/],
    [2, withUnit(3, { values: district.with(5, '') }), /^lv2 fid 3/],
    [2, (features) => features.filter(({ fid }) => fid !== 2), /^lv2: fids that only the release has/],
    [1, (features) => [...features, more], /^lv1 fid 7: only the source has it/],
  ];
  for (const [level, change, message] of cases) {
    const changed = layers.map((layer, i) => (i === level ? { ...layer, features: change(layer.features) } : layer));
    await assert.rejects(assertAsSource(writeLayers(changed), out), { message });
  }
});

test('a column or a level that only one of them has is found', async () => {
  const wider = writeLayers(
    layers.map((layer, i) => {
      if (i !== 0) return layer;
      const features = layer.features.map(({ values, ...rest }) => ({ ...rest, values: [...values, 'x'] }));
      return { ...layer, columns: [...layer.columns, 'MORE'], features };
    }),
  );
  await assert.rejects(assertAsSource(wider, out), { message: /^lv0 fid 1/ });
  const own = join(folder, 'wider');
  await buildRelease(wider, own);
  await assert.rejects(assertAsSource(source, own), { message: /^lv0 fid 1/ });
  await assert.rejects(assertAsSource(writeLayers(layers.slice(0, 2)), out), { message: /^the levels of the source/ });
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
  const wide: [name: string, value: string][] = [
    ['GID_0', '9223372036854775806'],
    ['POP', '-9007199254740992'],
    ['__proto__', '"B"'],
    ['constructor', '"B"'],
  ];
  const cases: [gid: string, population: string, changes: [name: string, value: string][]][] = [
    ['"A"', '1', [['constructor', '"B"']]],
    // With a number of so many digits, a feature is parsed in another way.
    ['9223372036854775807', '-9007199254740993', wide],
  ];
  for (const [i, [gid, population, changes]] of cases.entries()) {
    const members = new Map([['GID_0', gid], ['POP', population], ...others] as [string, string][]);
    const own = join(folder, `members-${i}`);
    writeMembers(file, members);
    await buildRelease(file, own);
    await assertAsSource(file, own);
    for (const [name, value] of changes) {
      writeMembers(file, new Map(members).set(name, value));
      await assert.rejects(assertAsSource(file, own), { message: /^lv0 fid 1/ }, name);
    }
  }
});
