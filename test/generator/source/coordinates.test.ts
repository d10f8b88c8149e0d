// The coordinate reference system of a source: stated, missing, declared by --crs, and what release.json says of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { releaseFromJson } from '../../../format/release-json.ts';
import { releaseToJson } from '../../../format/write/texts.ts';
import { buildTable } from '../../../generator/cli/tables.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { layerOf, writeDataset } from '../../support/datasets/write-dataset.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();

/** A Shapefile of level 0 with one unit; without a CRS if there is no code. */
function shapefile(name: string, wkt: string, epsg?: number): string {
  const layer = { ...layerOf(name, ['GID_0', 'NAME_0'], [[['A', 'Aa'], wkt]]), epsg: epsg ?? 4326 };
  const file = writeDataset(join(folder, `${name}.shp`), 'ESRI Shapefile', [layer]);
  if (epsg === undefined) writeFileSync(join(folder, `${name}.prj`), '');
  return file;
}

const TOKYO = 'POLYGON((139.7 35.6,139.8 35.6,139.8 35.7,139.7 35.6))';
const BERN = 'POLYGON((2600000 1200000,2610000 1200000,2610000 1210000,2600000 1200000))';
const box = (units: { bbox: number[] }[]): number[] => units.flatMap(({ bbox }) => bbox);

test('a source in NAD83 keeps its numbers in New York, as GDAL and QGIS bring it to WGS 84', async () => {
  const source = shapefile('nad83', 'POLYGON((-74 40.7,-73 40.7,-73 41,-74 40.7))', 4269);
  const { unitsOf, release } = await published(source);
  assert.deepEqual(box(unitsOf(0)), [-74, 40.7, -73, 41]);
  assert.deepEqual(release.crs, [
    {
      layers: ['nad83.shp: layer nad83'],
      crs: 'EPSG:4269',
      origin: 'source',
      operations: ['NAD83 to WGS 84 (1)'],
      accuracy: 4,
    },
  ]);
  assert.match(
    buildTable(release),
    /^ {2}nad83\.shp: layer nad83: EPSG:4269 by NAD83 to WGS 84 \(1\) \(accuracy 4 m\)$/m,
  );
});

test('an accuracy of less than a metre is recorded, and read again', async () => {
  const estonia = shapefile('est92', 'POLYGON((25 58.5,26 58.5,26 59,25 58.5))', 4133);
  const { release } = await published(estonia);
  assert.deepEqual(
    release.crs?.map(({ operations, accuracy }) => [operations, accuracy]),
    [[['EST92 to WGS 84 (1)'], 0.5]],
  );
  assert.deepEqual(releaseFromJson(releaseToJson(release), 'release.json').crs, release.crs);
  for (const accuracy of [-1, '1', null]) {
    const { crs, ...json } = JSON.parse(releaseToJson(release));
    const text = JSON.stringify({ ...json, crs: [{ ...crs[0], accuracy }] });
    assert.throws(() => releaseFromJson(text, 'r'), {
      message: /^r crs\[0\]: accuracy is .*, expected a number of metres$/,
    });
  }
});

test('degrees without a CRS are taken for WGS 84, which data quality says; --crs says which they are', async () => {
  const source = shapefile('bare', TOKYO);
  const bare = await published(source);
  assert.ok(bare.quality.includes('lv0 no-crs 1 bare.shp: layer bare'), bare.quality.join('\n'));
  assert.deepEqual(bare.release.crs, [
    { layers: ['bare.shp: layer bare'], crs: 'EPSG:4326', origin: 'assumed', operations: [], accuracy: 0 },
  ]);
  assert.match(buildTable(bare.release), /^ {2}bare\.shp: layer bare: no CRS, taken for EPSG:4326$/m);
  const ofLevel = contentOptionsFrom({ crs: ['lv0=epsg:4301'] });
  assert.deepEqual(ofLevel.crs, [{ level: 0, value: 'EPSG:4301' }]);
  assert.deepEqual(contentOptionsFrom({ crs: ['EPSG:4301'] }).crs, [{ level: undefined, value: 'EPSG:4301' }]);
  const { quality, release, unitsOf } = await published(source, ofLevel);
  assert.ok(!quality.some((line) => /crs/.test(line)), quality.join('\n'));
  const [west = 0] = box(unitsOf(0));
  // Some 400 metres.
  assert.ok(Math.abs(west - 139.6968) < 0.0002, `${west}`);
  const [about] = release.crs ?? [];
  assert.deepEqual([about?.crs, about?.origin], ['EPSG:4301', 'option']);
  assert.match(about?.operations.join() ?? '', /^Tokyo.to.WGS/i);
  assert.ok((about?.accuracy ?? 0) > 0);
  assert.deepEqual(release.options['crs'], ['lv0=EPSG:4301']);
});

test('formats that are in WGS 84 by definition need no CRS', async () => {
  const ring = [
    [1, 2],
    [2, 2],
    [2, 3],
    [1, 2],
  ];
  const properties = { GID_0: 'A', NAME_0: 'Aa' };
  const [geojson, topojson] = ['bare.geojson', 'bare.topojson'].map((name) => join(folder, name));
  assert.ok(geojson && topojson);
  const feature = { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } };
  writeFileSync(geojson, JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
  const units = { type: 'GeometryCollection', geometries: [{ type: 'Polygon', arcs: [[0]], properties }] };
  writeFileSync(topojson, JSON.stringify({ type: 'Topology', objects: { units }, arcs: [ring] }));
  for (const source of [geojson, topojson]) {
    const { quality, release } = await published(source);
    assert.ok(!quality.some((line) => /crs/.test(line)), quality.join('\n'));
    assert.deepEqual(
      release.crs?.map(({ crs, origin }) => [crs, origin]),
      [['EPSG:4326', 'source']],
    );
  }
});

test('a CRS that --crs puts in the place of another one, or that is made for elsewhere, is a finding', async () => {
  const swiss = shapefile('swiss', BERN, 2056);
  const right = await published(swiss);
  assert.ok(!right.quality.some((line) => /crs|accuracy/.test(line)), right.quality.join('\n'));
  assert.deepEqual(right.release.crs?.[0]?.operations, ['CH1903+ to WGS 84 (1)']);
  const other = await published(swiss, contentOptionsFrom({ crs: ['EPSG:27700'] }));
  const [replaced, outside] = ['replaced-crs', 'outside-crs'].map((kind) =>
    other.quality.find((line) => line.includes(` ${kind} `)),
  );
  assert.equal(replaced, 'lv0 replaced-crs 1 swiss.shp: layer swiss: EPSG:27700 instead of EPSG:2056');
  assert.equal(outside, 'lv0 outside-crs 1 swiss.shp: layer swiss: EPSG:27700');
});

test('units outside of the area of a projection that --crs says are a finding, on the datum of WGS 84, too', async () => {
  const right = shapefile('zone', 'POLYGON((500000 6600000,510000 6600000,510000 6610000,500000 6600000))');
  const utm = contentOptionsFrom({ crs: ['EPSG:32632'] });
  const { quality, release } = await published(right, utm);
  assert.ok(!quality.some((line) => /crs|accuracy/.test(line)), quality.join('\n'));
  assert.deepEqual(release.crs?.[0]?.accuracy, 0);
  // A grid with another false easting.
  const other = shapefile('grid', 'POLYGON((1500000 6600000,1510000 6600000,1510000 6610000,1500000 6600000))');
  const found = (await published(other, utm)).quality;
  assert.ok(
    found.some((line) => line.includes(' outside-crs 1 ')),
    found.join('\n'),
  );
});

test('--crs takes the code of a CRS that GDAL knows, and nothing that GDAL would read or fetch', async () => {
  const source = shapefile('codes', TOKYO);
  for (const crs of ['http://127.0.0.1:1/crs', './file.prj', '4301', 'lv0=', 'lv9=EPSG:4301'])
    assert.throws(() => contentOptionsFrom({ crs: [crs] }), { message: /^--crs / });
  await assert.rejects(published(source, contentOptionsFrom({ crs: ['EPSG:99999'] })), {
    message: /^EPSG:99999: GDAL knows no such CRS/,
  });
});

test('units that are united from pieces keep the CRS that --crs says', async () => {
  const pieces = layerOf(
    'pieces',
    ['GID_0', 'NAME_0'],
    [
      [['A', 'Aa'], TOKYO],
      [['A', 'Aa'], TOKYO],
    ],
  );
  const file = writeDataset(join(folder, 'pieces.shp'), 'ESRI Shapefile', [pieces]);
  writeFileSync(join(folder, 'pieces.prj'), '');
  const { release, unitsOf } = await published(file, contentOptionsFrom({ crs: ['EPSG:4301'], dissolve: ['lv0'] }));
  const [west = 0] = box(unitsOf(0));
  assert.ok(Math.abs(west - 139.6968) < 0.0002, `${west}`);
  assert.deepEqual(
    release.crs?.map(({ layers, origin }) => [layers, origin]),
    [[['pieces.shp: layer pieces'], 'option']],
  );
});

test('readers ignore members of release.json that they do not know, and need none that versions before did not write', async () => {
  const { release } = await published(shapefile('members', TOKYO));
  const { crs, ...before } = JSON.parse(releaseToJson(release));
  assert.ok(crs);
  const further = { ...before, further: { anything: [1] }, crs: [{ ...crs[0], further: true }] };
  assert.deepEqual(releaseFromJson(JSON.stringify(further), 'release.json'), release);
  assert.equal(releaseFromJson(JSON.stringify(before), 'release.json').crs, undefined);
});
