// Every kind of source that must work, made through GDAL, built, and read back from the release's files.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../../format/element-at.ts';
import type { Release } from '../../../format/release-json.ts';
import { build } from '../../../generator/build.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { countryLayers, writeCountries } from '../../support/datasets/small-datasets.ts';
import { runSql, squares, writeDataset, writeFiles } from '../../support/datasets/write-dataset.ts';
import { buildOptions } from '../../support/releases/build-release.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();

/** A file of level 0 with one country in this shape, in the coordinates of this CRS. */
function countryIn(epsg: number, wkt: string): string {
  const layer = { name: 'ADM_0', columns: ['GID_0'], features: [{ fid: 5, values: ['AAA'], wkt }], epsg };
  return writeDataset(join(folder, `${epsg}.gpkg`), 'GPKG', [layer]);
}

/** The small countries, a layer for each level. */
const ADM = countryLayers((level) => `adm${level}`);
const DISTRICTS = ['Næst', 'Søst', '東', 'Wüst "late"'];

test("builds GeoPackages with GADM's layer names, of all countries and of one", async () => {
  const countries = await published(writeCountries());
  assert.deepEqual(countries.counts, [2, 3, 4, 0, 0, 0]);
  const listings = countries.release.levels.map(({ listings }) => listings);
  assert.deepEqual(listings, [1, 3, 6, 0, 0, 0]);
  assert.deepEqual(countries.gidsOf(2, 'NAME_2'), DISTRICTS);
  const [first] = countries.unitsOf(2);
  assert.deepEqual(Object.keys(first), ['type', 'id', 'bbox', 'properties', 'geometry']);
  assert.deepEqual(countries.columnsOf(2), ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_2']);
  const layers = countryLayers((level) => `ADM_ADM_${level}`);
  const country = await published(writeDataset(join(folder, 'country.gpkg'), 'GPKG', layers));
  const names = country.release.levels.map(({ layer }) => layer);
  assert.deepEqual(names, ['ADM_ADM_0', 'ADM_ADM_1', 'ADM_ADM_2', '', '', '']);
  assert.deepEqual(country.gidsOf(2, 'NAME_2'), DISTRICTS);
});

test('builds folders and lists of Shapefiles, whose fids start at 0, of GeoJSON and of FlatGeobuf files alike', async () => {
  for (const [driver, ending, fids] of [
    ['ESRI Shapefile', 'shp', [0, 1, 2, 3]],
    ['GeoJSON', 'geojson', [1, 2, 3, 4]],
    ['FlatGeobuf', 'fgb', undefined],
  ] as const) {
    const files = writeFiles(join(folder, ending), driver, ADM);
    const [fromFolder, fromFiles] = [await published(join(folder, ending)), await published(files)];
    assert.deepEqual(fromFiles.unitsOf(2), fromFolder.unitsOf(2));
    // FlatGeobuf has features in an order of its own, and no fids.
    const names = fromFiles.gidsOf(2, 'NAME_2');
    if (fids === undefined) assert.deepEqual(new Set(names), new Set(DISTRICTS));
    else assert.deepEqual([fromFiles.gidsOf(2, 'fid'), names], [fids, DISTRICTS]);
  }
});

test('brings a source in EPSG:3857, or whose CRS is latitude first, to WGS 84, longitude first', async () => {
  const mercator = countryIn(3857, 'POLYGON((0 0,1000000 0,1000000 6000000,0 6000000,0 0))');
  const [unit] = (await published(mercator)).unitsOf(0);
  // 1,000,000 m / 6,378,137 m in degrees; the inverse Gudermannian of 6,000,000 m / 6,378,137 m.
  assert.deepEqual(unit.bbox, [0, 0, 8.9831528, 47.3537047]);
  assert.deepEqual(unit.geometry.coordinates[0][1], [8.9831528, 0]);
  const etrs = countryIn(4258, 'POLYGON((10 50,11 50,11 51,10 50))');
  assert.deepEqual((await published(etrs)).unitsOf(0)[0].bbox, [10, 50, 11, 51]);
});

test('keeps fids that start at 0, have gaps and are unsorted in the file, and orders by them', async () => {
  const source = join(folder, 'unsorted.geojson');
  const ids = [907199254740991, 3, 0, 70, 2];
  writeFileSync(
    source,
    geojsonOf(
      ids.map((id) => `"GID_0":"A${id}","list":["a","b"]`),
      ids,
    ),
  );
  assert.deepEqual((await published(source)).gidsOf(0, 'fid'), [0, 2, 3, 70, 907199254740991]);
});

test('straightens curves, as GDAL does', async () => {
  const csv = join(folder, 'curved.csv');
  const curve = 'CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))';
  writeFileSync(csv, `GID_0,WKT\nAAA,"${curve}"\nBBB,"POLYGON((5 5,6 5,6 6,5 5))"\n`);
  const source = join(folder, 'curved.gpkg');
  gdal.vectorTranslate(source, gdal.open(csv), ['-f', 'GPKG', '-a_srs', 'EPSG:4326', '-nln', 'ADM_0']).close();
  const [curved, straight] = (await published(source)).unitsOf(0);
  const rounded = curved.bbox.map((corner: number) => Number(corner.toFixed(2)));
  assert.deepEqual(rounded, [0, -1, 2, 1]);
  assert.ok(curved.geometry.coordinates[0].length > 50);
  assert.equal(JSON.stringify(straight.geometry.coordinates), '[[[5,5],[6,5],[6,6],[5,5]]]');
});

test('writes properties verbatim: column order, types, booleans, dates, nulls and text in any script', async () => {
  const source = join(folder, 'types.gpkg');
  const dataset = gdal.open(source, 'w', 'GPKG');
  dataset.layers.create('seed', gdal.SpatialReference.fromEPSG(4326), gdal.wkbPolygon);
  const text = 'tab\t quote" slash\\ line\n nul-ish\u0001 ünï 東京 🗺';
  for (const sql of [
    'CREATE TABLE ADM_0 (fid INTEGER PRIMARY KEY, "2020" INTEGER, GID_0 TEXT, flag BOOLEAN, small MEDIUMINT, big INTEGER, ' +
      'real DOUBLE, "a""b" TEXT, day DATE, moment DATETIME, raw BLOB, geom POLYGON)',
    "INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('ADM_0', 'features', 4326)",
    "INSERT INTO gpkg_geometry_columns VALUES ('ADM_0', 'geom', 'POLYGON', 4326, 0, 0)",
    `INSERT INTO ADM_0 VALUES (9, 7, 'AAA', 1, -3, 9007199254740991, 0.1, '${text}', '2020-01-02', '2020-01-02T03:04:05Z', x'00ff', NULL), ` +
      "(10, NULL, 'BBB', 0, 0, -1, -0.5, '', NULL, NULL, NULL, NULL)",
  ])
    runSql(dataset, sql);
  dataset.close();
  const { linesOf, release } = await published(source, { accept: ['empty-geometries'] });
  assert.deepEqual(typesOf(release), [
    ...['fid int64', '2020 int64', 'GID_0 string', 'flag boolean', 'small int64', 'big int64', 'real double'],
    ...['a"b string', 'day date', 'moment string', 'raw string'],
  ]);
  const whole = (fid: number, properties: string): string =>
    `{"type":"Feature","id":${fid},"properties":{"fid":${fid},${properties}},"geometry":null}\n`;
  const first =
    `"2020":7,"GID_0":"AAA","flag":true,"small":-3,"big":9007199254740991,"real":0.1,"a\\"b":${JSON.stringify(text)},` +
    '"day":"2020-01-02","moment":"2020-01-02T03:04:05Z","raw":"AP8="';
  const second =
    '"2020":null,"GID_0":"BBB","flag":false,"small":0,"big":-1,"real":-0.5,"a\\"b":"","day":null,"moment":null,"raw":null';
  assert.equal(linesOf(0), whole(9, first) + whole(10, second));
});

function typesOf({ levels }: Release): string[] {
  return elementAt(levels, 0).columns?.map(({ name, type }) => `${name} ${type}`) ?? [];
}

test('the type of a column follows from those that its layers have, not from values', async () => {
  const { OFTInteger, OFTInteger64, OFTReal, OFTString, OFTDate, OFTDateTime } = gdal;
  const rows: readonly (readonly [name: string, types: readonly (string | undefined)[], expected: string])[] = [
    ['whole', [OFTInteger, OFTInteger64], 'int64'],
    ['number', [OFTInteger, OFTReal], 'double'],
    ['exact', [OFTInteger64, OFTReal], 'json'],
    ['code', [OFTString, OFTInteger], 'json'],
    ['day', [OFTDate, OFTDate], 'date'],
    ['time', [OFTDate, OFTDateTime], 'string'],
    ['early', [OFTReal, undefined], 'double'],
    ['late', [undefined, OFTInteger], 'int64'],
  ];
  const source = ['a', 'b'].map((name, i) => {
    const own = rows.flatMap(([column, types]) => (types[i] === undefined ? [] : [{ name: column, type: types[i] }]));
    const nothing = own.map(() => null);
    const layer = squares(name, ['GID_0', ...own], [`${name}0`, ...nothing], [`${name}1`, ...nothing]);
    return writeDataset(join(folder, `types-${name}.gpkg`), 'GPKG', [layer]);
  });
  const { release } = await published(source, { layers: [{ level: 0, value: '*' }] });
  assert.deepEqual(typesOf(release), [
    ...['fid int64', 'GID_0 string'],
    ...rows.map(([name, , expected]) => `${name} ${expected}`),
  ]);
});

/** Integers that a double cannot hold: the ends of the 64-bit range, and the first beyond 2^53 on both sides. */
const BIG_INTEGERS = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993'];

/** GeoJSON with these properties, as text: JSON.stringify would round the integers. */
function geojsonOf(properties: readonly string[], ids = properties.map((_, i) => i + 1)): string {
  const geometry = '{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3],[1,2]]]}';
  const features = properties.map(
    (json, i) => `{"type":"Feature","id":${ids[i]},"properties":{${json}},"geometry":${geometry}}`,
  );
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`;
}

// FlatGeobuf has no type for dates.
for (const [driver, ending, day] of [
  ['GPKG', 'gpkg', '"2020-01-02"'],
  ['GeoJSON', 'geojson', '"2020-01-02"'],
  ['FlatGeobuf', 'fgb', '"2020-01-02T00:00:00"'],
] as const)
  test(`${driver}: writes a 64-bit number exactly, as a property and as a GID`, async () => {
    const written = (file: string, properties: readonly string[]): string => {
      const json = join(folder, `${file}-${ending}.json`);
      writeFileSync(json, geojsonOf(properties));
      const target = join(folder, `${file}.${ending}`);
      gdal.vectorTranslate(target, gdal.open(json), ['-f', driver, '-nln', file, '-preserve_fid']).close();
      return target;
    };
    const populations = [...BIG_INTEGERS, '0', '9007199254740991', 'null'];
    const gids = [...BIG_INTEGERS, '4', '5', '6'];
    const others = '"is":true,"day":"2020-01-02","share":0.1';
    const countries = populations.map((population, i) => `"GID_0":${gids[i]},"POP":${population},${others}`);
    const children = BIG_INTEGERS.map((gid) => `"GID_1":"${gid}/child","GID_0":${gid}`);
    const source = [written('big0', countries), written('big1', children)];
    const { out, linesOf } = await published(source, { storedPages: 'all' });
    const root = join(out, 'releases/r1');
    const fc = gunzipSync(readFileSync(join(root, 'lv0/fc/all/000001.json.gz'))).toString();
    for (const [text, end] of [[linesOf(0)], [fc, 5]] as const) {
      const bare = (name: string) =>
        [...text.matchAll(new RegExp(`"${name}":([^,}]*)`, 'g'))].map(([, value]) => value);
      assert.deepEqual(bare('POP'), populations.slice(0, end));
      assert.deepEqual(bare('GID_0'), gids.slice(0, end));
      for (const [name, value] of Object.entries({ is: 'true', day, share: '0.1' }))
        assert.deepEqual(new Set(bare(name)), new Set([value]));
    }
    const [parents] = readIndex(root, 1).columns;
    const counted = Array.from({ length: parents?.size ?? 0 }, (_, n) => [parents?.gidAt(n), parents?.countAt(n)]);
    assert.deepEqual(
      counted,
      BIG_INTEGERS.toSorted().map((gid) => [gid, 1]),
    );
  });

test('writes a 64-bit number beside columns of any name; refuses one that SQL cannot name', async () => {
  const written = (name: string): string => {
    const source = join(folder, `names-${encodeURIComponent(name)}.geojson`);
    writeFileSync(source, geojsonOf([`"GID_0":"AAA",${JSON.stringify(name)}:"x","POP":${BIG_INTEGERS[0]}`]));
    return source;
  };
  for (const name of ['"', "it's", 'a\\b', 'n.GID_0', 'COUNT(*)', '%', ' '])
    assert.deepEqual((await published(written(name))).gidsOf(0, name), ['x']);
  for (const name of ['*', 'a\\'])
    await assert.rejects(published(written(name)), {
      message: /geojson: layer .* has a column named (\*|a\\), which GDAL's SQL cannot select, and needs SQL/,
      remedy: /^rename the column in the source$/,
    });
  const all = { level: 0, value: 'SELECT * FROM {layer}' } as const;
  await assert.rejects(published(written('*'), { sql: [all] }), { message: /has a column named \*/ });
});

test('refuses a list with a number beyond 2^53', async () => {
  const list = join(folder, 'list.geojson');
  writeFileSync(list, geojsonOf(['"GID_0":"AAA","POP":[1,9007199254740993]']));
  await assert.rejects(published(list), {
    message: /list\.geojson: layer list \(level 0\), fid 1, GID AAA: a list has 9007199254740992, .*2\^53/,
    remedy: /^change the column to text$/,
  });
});

test('a file of the source that is replaced while it is read is refused: its digest would be that of another one', async () => {
  const [file, other] = ['replaced.geojson', 'other.geojson'].map((name) => join(folder, name));
  assert.ok(file && other);
  for (const path of [file, other]) writeFileSync(path, geojsonOf(['"GID_0":"AAA"']));
  const report: Report = {
    ...SILENT,
    advance: (what) => {
      if (what === 'features read' && existsSync(other)) renameSync(other, file);
    },
  };
  const out = join(folder, 'replaced-out');
  await assert.rejects(build(buildOptions(file, out), report), {
    message: `${file}: has changed while it was read`,
    remedy: 'run the command again when nothing writes there any more',
  });
  assert.deepEqual(readdirSync(join(out, 'releases')), []);
});
