// Every kind of source that must work, made through GDAL, built, and read back from the release's files.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Level, levelName } from '../../format/levels.ts';
import { gdal } from '../../generator/source/gdal.ts';
import {
  buildRelease,
  countryLayers,
  readLayer,
  runSql,
  square,
  temporaryFolder,
  writeDataset,
} from '../support/fixture.ts';

const folder = temporaryFolder();

/** The features of a level as the first unfiltered geojsonl page has them; enough for small datasets. */
function published(out: string, level: Level, release = 'r1') {
  const file = join(out, 'releases', release, levelName(level), 'geojsonl/all/000001.geojsonl.gz');
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => JSON.parse(line));
}

function names(out: string, level: Level): unknown[] {
  return published(out, level).map((feature) => feature.properties[`NAME_${level}`]);
}

test("builds a GeoPackage with GADM's layer names", async () => {
  const source = writeDataset(
    join(folder, 'levels.gpkg'),
    'GPKG',
    countryLayers((level) => `ADM_${level}`),
  );
  const out = join(folder, 'levels');
  const release = await buildRelease(source, out);
  assert.deepEqual(
    release.levels.map((level) => level.features),
    [2, 3, 4, 0, 0, 0],
  );
  assert.deepEqual(
    release.levels.map((level) => level.listings),
    [1, 3, 6, 0, 0, 0],
  );
  assert.deepEqual(names(out, 2), ['Næst', 'Søst', '東', 'Wüst "late"']);
  const [first] = published(out, 2);
  assert.deepEqual(Object.keys(first), ['type', 'id', 'bbox', 'properties', 'geometry']);
  assert.deepEqual(Object.keys(first.properties), ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_2']);
});

test("builds a GeoPackage with GADM's per-country layer names", async () => {
  const source = writeDataset(
    join(folder, 'country.gpkg'),
    'GPKG',
    countryLayers((level) => `ADM_ADM_${level}`),
  );
  const out = join(folder, 'country');
  const release = await buildRelease(source, out);
  assert.deepEqual(
    release.levels.map((level) => level.layer),
    ['ADM_ADM_0', 'ADM_ADM_1', 'ADM_ADM_2', '', '', ''],
  );
  assert.equal(names(out, 2).length, 4);
});

test('builds a folder of Shapefiles, whose fids start at 0', async () => {
  const source = join(folder, 'shapes');
  mkdirSync(source);
  for (const layer of countryLayers((level) => `adm${level}`)) {
    const features = layer.features.map(({ values, wkt }) => ({ values, wkt }));
    writeDataset(join(source, `${layer.name}.shp`), 'ESRI Shapefile', [{ ...layer, features }]);
  }
  const out = join(folder, 'shapes-out');
  await buildRelease(source, out);
  assert.deepEqual(
    published(out, 2).map((feature) => feature.id),
    [0, 1, 2, 3],
  );
  assert.deepEqual(names(out, 2), ['Næst', 'Søst', '東', 'Wüst "late"']);
});

test('builds a folder of GeoJSON files and a list of GeoJSON files alike', async () => {
  const source = join(folder, 'geojson');
  mkdirSync(source);
  const files = countryLayers((level) => `adm${level}`).map((layer) =>
    writeDataset(join(source, `${layer.name}.geojson`), 'GeoJSON', [layer]),
  );
  const [fromFolder, fromFiles] = [join(folder, 'geojson-folder'), join(folder, 'geojson-files')];
  await buildRelease(source, fromFolder);
  await buildRelease(files, fromFiles);
  assert.deepEqual(names(fromFolder, 2), ['Næst', 'Søst', '東', 'Wüst "late"']);
  assert.deepEqual(published(fromFiles, 2), published(fromFolder, 2));
});

test('builds FlatGeobuf files', async () => {
  const files = countryLayers((level) => `adm${level}`).map((layer) =>
    writeDataset(join(folder, `${layer.name}.fgb`), 'FlatGeobuf', [layer]),
  );
  const out = join(folder, 'fgb');
  await buildRelease(files, out);
  assert.deepEqual(new Set(names(out, 2)), new Set(['Næst', 'Søst', '東', 'Wüst "late"']));
});

test('brings a source in EPSG:3857 to WGS 84, longitude first', async () => {
  const [countries] = countryLayers(() => 'ADM_0');
  assert.ok(countries);
  const feature = { fid: 5, values: ['AAA', 'Aland'], wkt: 'POLYGON((0 0,1000000 0,1000000 6000000,0 6000000,0 0))' };
  const source = writeDataset(join(folder, 'mercator.gpkg'), 'GPKG', [
    { ...countries, epsg: 3857, features: [feature] },
  ]);
  const out = join(folder, 'mercator');
  await buildRelease(source, out);
  const [unit] = published(out, 0);
  // 1,000,000 m / 6,378,137 m in degrees; the inverse Gudermannian of 6,000,000 m / 6,378,137 m.
  assert.deepEqual(unit.bbox, [0, 0, 8.9831528, 47.3537047]);
  assert.deepEqual(unit.geometry.coordinates[0][1], [8.9831528, 0]);
});

test('brings a source whose CRS is latitude first to longitude first', async () => {
  const [countries] = countryLayers(() => 'ADM_0');
  assert.ok(countries);
  const feature = { fid: 5, values: ['AAA', 'Aland'], wkt: 'POLYGON((10 50,11 50,11 51,10 50))' };
  const source = writeDataset(join(folder, 'etrs.gpkg'), 'GPKG', [{ ...countries, epsg: 4258, features: [feature] }]);
  const out = join(folder, 'etrs');
  await buildRelease(source, out);
  assert.deepEqual(published(out, 0)[0].bbox, [10, 50, 11, 51]);
});

test('keeps fids that start at 0, have gaps and are unsorted in the file, and orders by them', async () => {
  const features = [907199254740991, 3, 0, 70, 2].map((id) => ({
    type: 'Feature',
    id,
    properties: { GID_0: `A${id}` },
    geometry: { type: 'Point', coordinates: [1, 2] },
  }));
  const source = join(folder, 'unsorted.geojson');
  writeFileSync(source, JSON.stringify({ type: 'FeatureCollection', features }));
  const out = join(folder, 'unsorted');
  await buildRelease(source, out);
  assert.deepEqual(
    published(out, 0).map((feature) => feature.id),
    [0, 2, 3, 70, 907199254740991],
  );
});

test('straightens curves, as GDAL does', async () => {
  const csv = join(folder, 'curved.csv');
  writeFileSync(
    csv,
    'GID_0,WKT\nAAA,"CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))"\nBBB,"POLYGON((5 5,6 5,6 6,5 5))"\n',
  );
  const source = join(folder, 'curved.gpkg');
  gdal.vectorTranslate(source, gdal.open(csv), ['-f', 'GPKG', '-a_srs', 'EPSG:4326', '-nln', 'ADM_0']).close();
  const out = join(folder, 'curved');
  await buildRelease(source, out);
  const [curved, straight] = published(out, 0);
  const rounded = curved.bbox.map((corner: number) => Number(corner.toFixed(2)));
  assert.deepEqual(rounded, [0, -1, 2, 1]);
  assert.ok(curved.geometry.coordinates[0].length > 50);
  assert.deepEqual(straight.geometry.coordinates, [
    [
      [5, 5],
      [6, 5],
      [6, 6],
      [5, 5],
    ],
  ]);
});

test('writes properties verbatim: column order, types, booleans, dates, nulls and text in any script', async () => {
  const source = join(folder, 'types.gpkg');
  const dataset = gdal.open(source, 'w', 'GPKG');
  const sql =
    'CREATE TABLE ADM_0 (fid INTEGER PRIMARY KEY, "2020" INTEGER, GID_0 TEXT, flag BOOLEAN, small MEDIUMINT, big INTEGER, ' +
    'real DOUBLE, "a""b" TEXT, day DATE, moment DATETIME, geom POLYGON)';
  dataset.layers.create('seed', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  runSql(dataset, sql);
  runSql(dataset, "INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('ADM_0', 'features', 4326)");
  runSql(dataset, "INSERT INTO gpkg_geometry_columns VALUES ('ADM_0', 'geom', 'POLYGON', 4326, 0, 0)");
  const text = 'tab\t quote" slash\\ line\n nul-ish\u0001 ünï 東京 🗺';
  runSql(
    dataset,
    `INSERT INTO ADM_0 VALUES (9, 7, 'AAA', 1, -3, 9007199254740991, 0.1, '${text}', '2020-01-02', '2020-01-02T03:04:05Z', NULL), ` +
      "(10, NULL, 'BBB', 0, 0, -1, -0.5, '', NULL, NULL, NULL)",
  );
  dataset.close();
  const out = join(folder, 'types');
  await buildRelease(source, out);
  const [first, second] = published(out, 0);
  const expected = {
    fid: 9,
    2020: 7,
    GID_0: 'AAA',
    flag: true,
    small: -3,
    big: 9007199254740991,
    real: 0.1,
    'a"b': text,
    day: '2020-01-02',
    moment: '2020-01-02T03:04:05Z',
  };
  assert.deepEqual(first.properties, expected);
  assert.equal(first.geometry, null);
  assert.ok(!('bbox' in first));
  const line = gunzipSync(readFileSync(join(out, 'releases/r1/lv0/geojsonl/all/000001.geojsonl.gz'))).toString();
  assert.match(line, /"properties":\{"fid":9,"2020":7,"GID_0":"AAA","flag":true/);
  assert.deepEqual(
    [second.properties['2020'], second.properties.flag, second.properties['a"b'], second.properties.day],
    [null, false, '', null],
  );
  assert.deepEqual(
    readLayer(source, 'ADM_0').map((feature) => feature.fid),
    [9, 10],
  );
});

test('refuses a 64-bit number that JSON cannot hold, and says where it is', async () => {
  const column = { name: 'POP', type: gdal.OFTInteger64 };
  const layer = {
    name: 'ADM_0',
    columns: ['GID_0', column],
    features: [{ fid: 4, values: ['AAA', 2 ** 60], wkt: square(0, 0) }],
  };
  const source = writeDataset(join(folder, 'big.gpkg'), 'GPKG', [layer]);
  await assert.rejects(buildRelease(source, join(folder, 'big')), /layer ADM_0 \(level 0\), fid 4, GID AAA: .*2\^53/);
});

test("refuses GADM's single-layer download and names the levels file", async () => {
  const columns = ['UID', 'GID_0', 'NAME_0', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2', 'GID_3', 'GID_4', 'GID_5'];
  const features = [
    { fid: 1, values: ['1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'AAA.1.1_1', 'Næst', '', '', ''], wkt: square(0, 0) },
    { fid: 2, values: ['2', 'BBB', 'Beland', '', '', '', '', '', '', ''], wkt: square(3, 0) },
  ];
  const source = writeDataset(join(folder, 'gadm_410.gpkg'), 'GPKG', [{ name: 'gadm_410', columns, features }]);
  const out = join(folder, 'gadm_410');
  await assert.rejects(buildRelease(source, out), { message: /gadm_410/, remedy: /gadm_410-levels\.gpkg/ });
});

test('takes layers and columns by name where they are called otherwise', async () => {
  const source = writeDataset(join(folder, 'named.gpkg'), 'GPKG', [
    { name: 'states', columns: ['ISO'], features: [{ fid: 1, values: ['AAA'], wkt: square(0, 0) }] },
    { name: 'regions', columns: ['ISO', 'REG'], features: [{ fid: 1, values: ['AAA', 'AAA.1_1'], wkt: square(0, 0) }] },
  ]);
  const out = join(folder, 'named');
  const release = await buildRelease(source, out, { gidColumns: { 0: 'ISO', 1: 'REG' } });
  assert.deepEqual(
    release.levels.map((level) => level.layer),
    ['states', 'regions', '', '', '', ''],
  );
  await assert.rejects(buildRelease(source, join(folder, 'unnamed')), {
    message: /no layer .* states \(ISO\); regions \(ISO, REG\)/,
  });
});

test('publishes only the levels it is told to', async () => {
  const source = writeDataset(
    join(folder, 'some.gpkg'),
    'GPKG',
    countryLayers((level) => `ADM_${level}`),
  );
  const release = await buildRelease(source, join(folder, 'some'), { levels: [1] });
  assert.deepEqual(
    release.levels.map((level) => level.features),
    [0, 3, 0, 0, 0, 0],
  );
});

test('refuses a source that is missing, is no dataset, or lacks a parent column', async () => {
  const out = join(folder, 'refused');
  await assert.rejects(buildRelease(join(folder, 'none.gpkg'), out), { message: /none\.gpkg: no such file/ });
  writeFileSync(join(folder, 'text.gpkg'), 'no dataset');
  await assert.rejects(buildRelease(join(folder, 'text.gpkg'), out), { message: /text\.gpkg: GDAL cannot open it/ });
  const orphan = { name: 'ADM_1', columns: ['GID_1'], features: [{ fid: 1, values: ['AAA.1_1'], wkt: square(0, 0) }] };
  const source = writeDataset(join(folder, 'orphan.gpkg'), 'GPKG', [orphan]);
  await assert.rejects(buildRelease(source, out), { message: /layer ADM_1 is level 1 but has no column GID_0/ });
});
