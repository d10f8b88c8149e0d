// Every kind of source that must work, made through GDAL, built, and read back from the release's files.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Level, levelName } from '../../format/levels.ts';
import { releaseFromJson } from '../../format/release.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { verify } from '../../generator/verify/verify.ts';
import { readLayer } from '../support/datasets/read-layer.ts';
import { countryLayers, writeCountries } from '../support/datasets/small-datasets.ts';
import { runSql, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { readIndex } from '../support/releases/read-index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
  const source = writeCountries();
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
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [1, 2],
          [2, 2],
          [2, 3],
          [1, 2],
        ],
      ],
    },
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
  await buildRelease(source, out, { accept: ['empty-geometries'] });
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

/** Integers that a double cannot hold: the ends of the 64-bit range, and the first beyond 2^53 on both sides. */
const BIG_INTEGERS = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993'];

/** GeoJSON with these properties, as text: JSON.stringify would round the integers. */
function geojsonOf(properties: readonly string[]): string {
  const geometry = '{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3],[1,2]]]}';
  const features = properties.map(
    (json, i) => `{"type":"Feature","id":${i + 1},"properties":{${json}},"geometry":${geometry}}`,
  );
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

// FlatGeobuf has no type for dates.
for (const [driver, ending, day] of [
  ['GPKG', 'gpkg', '"2020-01-02"'],
  ['GeoJSON', 'geojson', '"2020-01-02"'],
  ['FlatGeobuf', 'fgb', '"2020-01-02T00:00:00"'],
] as const) {
  test(`${driver}: writes a 64-bit number exactly, as a property and as a GID`, async () => {
    const written = (file: string, properties: readonly string[]): string => {
      const json = join(folder, `${file}-${ending}.json`);
      writeFileSync(json, geojsonOf(properties));
      const target = join(folder, `${file}.${ending}`);
      gdal.vectorTranslate(target, gdal.open(json), ['-f', driver, '-nln', file, '-preserve_fid']).close();
      return target;
    };
    const others = '"is":true,"day":"2020-01-02","share":0.1';
    const populations = [...BIG_INTEGERS, '0', '9007199254740991', 'null'];
    const source = [
      written(
        'big0',
        populations.map((population, i) => `"GID_0":${BIG_INTEGERS[i] ?? i},"POP":${population},${others}`),
      ),
      written(
        'big1',
        BIG_INTEGERS.map((gid) => `"GID_1":"${gid}/child","GID_0":${gid}`),
      ),
    ];
    const out = join(folder, `big-${ending}`);
    await buildRelease(source, out);
    const root = join(out, 'releases/r1');
    const textOf = (page: string): string => gunzipSync(readFileSync(join(root, page))).toString();
    for (const page of ['lv0/geojsonl/all/000001.geojsonl.gz', 'lv0/fc/all/000001.json.gz']) {
      const text = textOf(page);
      const cap = page.includes('/fc/') ? 5 : populations.length;
      const bare = (name: string) =>
        [...text.matchAll(new RegExp(`"${name}":([^,}]*)`, 'g'))].map(([, value]) => value);
      assert.deepEqual(bare('POP'), populations.slice(0, cap));
      assert.deepEqual(bare('GID_0'), [...BIG_INTEGERS, '4', '5', '6'].slice(0, cap));
      for (const [name, value] of Object.entries({ is: 'true', day, share: '0.1' }))
        assert.deepEqual(new Set(bare(name)), new Set([value]));
    }
    const [parents] = readIndex(root, 1).columns;
    const gids = Array.from({ length: parents?.size ?? 0 }, (_, n) => [parents?.gidAt(n), parents?.countAt(n)]);
    assert.deepEqual(
      gids,
      BIG_INTEGERS.toSorted().map((gid) => [gid, 1]),
    );
    assert.deepEqual(releaseFromJson(readFileSync(join(root, 'release.json'), 'utf8'), 'release.json').quality, []);
    const found = await verify({ out, source: { source }, workers: 0 }, SILENT);
    assert.deepEqual(found.findings, []);
  });
}

test('writes a 64-bit number beside columns of any name; refuses one that SQL cannot name', async () => {
  const written = (name: string): string => {
    const source = join(folder, `names-${encodeURIComponent(name)}.geojson`);
    writeFileSync(source, geojsonOf([`"GID_0":"AAA",${JSON.stringify(name)}:"x","POP":${BIG_INTEGERS[0]}`]));
    return source;
  };
  for (const [i, name] of ['"', "it's", 'a\\b', 'n.GID_0', 'COUNT(*)', '%', ' '].entries()) {
    const out = join(folder, `names-${i}`);
    await buildRelease(written(name), out);
    assert.equal(published(out, 0)[0].properties[name], 'x');
  }
  for (const [i, name] of ['*', 'a\\'].entries())
    await assert.rejects(buildRelease(written(name), join(folder, `no-name-${i}`)), {
      message: /geojson: layer .* has a column named (\*|a\\), which GDAL's SQL cannot select, and needs SQL/,
      remedy: /^rename the column in the source$/,
    });
  const all = { level: 0, value: 'SELECT * FROM {layer}' } as const;
  await assert.rejects(buildRelease(written('*'), join(folder, 'all'), { sql: [all] }), {
    message: /has a column named \*/,
  });
});

test('refuses a list with a 64-bit number beyond 2^53, and says where it is', async () => {
  const source = join(folder, 'list.geojson');
  writeFileSync(source, geojsonOf(['"GID_0":"AAA","POP":[1,9007199254740993]']));
  await assert.rejects(buildRelease(source, join(folder, 'list')), {
    message: /list\.geojson: layer list \(level 0\), fid 1, GID AAA: a list has 9007199254740992, .*2\^53/,
    remedy: /^change the column to text$/,
  });
});

test('takes layers and columns by name where they are called otherwise', async () => {
  const source = writeDataset(join(folder, 'named.gpkg'), 'GPKG', [
    { name: 'states', columns: ['ISO'], features: [{ fid: 1, values: ['AAA'], wkt: square(0, 0) }] },
    { name: 'regions', columns: ['ISO', 'REG'], features: [{ fid: 1, values: ['AAA', 'AAA.1_1'], wkt: square(0, 0) }] },
  ]);
  const out = join(folder, 'named');
  const release = await buildRelease(source, out, {
    gidColumns: [
      { level: undefined, of: 0, columns: ['ISO'] },
      { level: undefined, of: 1, columns: ['REG'] },
    ],
  });
  assert.deepEqual(
    release.levels.map((level) => level.layer),
    ['states', 'regions', '', '', '', ''],
  );
  await assert.rejects(buildRelease(source, join(folder, 'unnamed')), {
    message: /named\.gpkg: no layer has GID columns \(GID_0 \.\. GID_5\); it has states \(ISO\); regions \(ISO, REG\)$/,
    remedy: /--layer lv0=countries --gid-column lv0=ISO3/,
  });
});

test('publishes only the levels it is told to', async () => {
  const source = writeCountries();
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
