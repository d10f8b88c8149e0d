// Boundaries in the forms in which people download them: several files of a level, folders, archives, URLs, databases,
// and the schemas of GADM 2, geoBoundaries, NUTS, OCHA COD and Natural Earth. Each is made through GDAL and built.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';
import { build } from '../../generator/build.ts';
import { forecast } from '../../generator/estimate/estimate.ts';
import { sourceOptionsFrom } from '../../generator/option-texts.ts';
import { BuildError } from '../../generator/report/errors.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { type FixtureLayer, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { writeZip } from '../support/datasets/write-zip.ts';
import { listen } from '../support/http/listen.ts';
import { compile } from '../support/processes/compile.ts';
import { startPostgis } from '../support/processes/postgis.ts';
import { without } from '../support/processes/programs.ts';
import { buildOptions, buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let built = 0;

/** Builds a source, verifies it against the source, and returns where it is. */
async function published(source: string | string[], options: Parameters<typeof buildRelease>[2] = {}) {
  const out = join(folder, `out-${built++}`);
  const release = await buildRelease(source, out, options);
  const verified = await verify({ out, source: { source: [source].flat() }, workers: 0 }, SILENT);
  assert.deepEqual(verified.findings, []);
  return { out, release };
}

/** The features of a level as its first feature file has them. */
function unitsOf(out: string, level: Level) {
  const file = join(out, 'releases/r1', levelName(level), 'features/000001.geojsonl.gz');
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function gidsOf(out: string, level: Level, column = `GID_${level}`): unknown[] {
  return unitsOf(out, level).map(({ properties }) => properties[column]);
}

function counts({ levels }: Release): number[] {
  return levels.map(({ features }) => features);
}

/** The layers of one of the two countries, as GADM's files of single countries have them: fids begin at 1. */
function countryFile(country: 'AAA' | 'BBB', layerName: (level: Level) => string): FixtureLayer[] {
  return countryLayers(layerName).map((layer) => ({
    ...layer,
    features: layer.features
      .filter(({ values }) => values[layer.columns.indexOf('GID_0')] === country)
      .map(({ values, wkt }, i) => ({ fid: i + 1, values, wkt })),
  }));
}

/** A folder with a Shapefile, GeoJSON file or other file for each layer. */
function writeLayers(name: string, driver: string, ending: string, layers: readonly FixtureLayer[]): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const layer of layers) writeDataset(join(path, `${layer.name}.${ending}`), driver, [layer]);
  return path;
}

const gadmName = (country: string) => (level: Level) => `gadm41_${country}_${level}`;
const aaa = writeDataset(
  join(folder, 'gadm41_AAA.gpkg'),
  'GPKG',
  countryFile('AAA', (n) => `ADM_ADM_${n}`),
);
const bbb = writeDataset(
  join(folder, 'gadm41_BBB.gpkg'),
  'GPKG',
  countryFile('BBB', (n) => `ADM_ADM_${n}`),
);

test('merges one GeoPackage for each country in the order given, and numbers units whose fids collide', async () => {
  const { out, release } = await published([aaa, bbb]);
  assert.deepEqual(counts(release), [2, 3, 4, 0, 0, 0]);
  assert.deepEqual(gidsOf(out, 2), ['AAA.1.1_1', 'AAA.2.1_1', 'AAA.1.2_1', 'BBB.1.1_1']);
  assert.deepEqual(
    unitsOf(out, 2).map(({ id, properties }) => [id, properties.fid]),
    [1, 2, 3, 4].map((fid) => [fid, fid]),
  );
  assert.deepEqual(
    release.levels.map(({ isRenumbered }) => isRenumbered),
    [true, true, true, false, false, false],
  );
  assert.deepEqual(
    release.quality.map(({ level, kind, count }) => [level, kind, count]),
    [
      [0, 'renumbered-fids', 2],
      [1, 'renumbered-fids', 3],
      [2, 'renumbered-fids', 4],
    ],
  );
  const reversed = await published([bbb, aaa]);
  assert.deepEqual(gidsOf(reversed.out, 0), ['BBB', 'AAA']);
});

test('keeps fids that do not collide, and with keepFids refuses those that do', async () => {
  const apart = countryFile('BBB', (n) => `ADM_ADM_${n}`).map((layer) => ({
    ...layer,
    features: layer.features.map((feature) => ({ ...feature, fid: (feature.fid ?? 0) + 100 })),
  }));
  const file = writeDataset(join(folder, 'apart.gpkg'), 'GPKG', apart);
  const { out, release } = await published([file, aaa]);
  assert.deepEqual(
    unitsOf(out, 2).map(({ id }) => id),
    [1, 2, 3, 101],
  );
  assert.ok(release.levels.every(({ isRenumbered }) => !isRenumbered));
  await assert.rejects(buildRelease([aaa, bbb], join(folder, 'kept'), { keepFids: true }), {
    message: /fid 1 occurs in .*gadm41_AAA\.gpkg: layer ADM_ADM_0 .* and in .*gadm41_BBB\.gpkg: layer ADM_ADM_0/,
    remedy: /--keep-fids/,
  });
});

test('reads folders of countries, nested folders, and the documents beside the data', async () => {
  const nested = join(folder, 'nested');
  for (const country of ['AAA', 'BBB'] as const) {
    writeLayers(`nested/${country}`, 'ESRI Shapefile', 'shp', countryFile(country, gadmName(country)));
    writeFileSync(join(nested, country, 'license.txt'), 'terms');
    writeFileSync(join(nested, country, '.hidden'), 'nothing');
  }
  const { out, release } = await published(nested);
  assert.deepEqual(counts(release), [2, 3, 4, 0, 0, 0]);
  assert.deepEqual(gidsOf(out, 0), ['AAA', 'BBB']);
  assert.ok(release.source.some(({ name }) => name === 'nested/AAA/gadm41_AAA_0.shp'));
});

test('reads zip archives as they are downloaded, and folders of them', async () => {
  const zips = join(folder, 'zips');
  mkdirSync(zips);
  for (const country of ['AAA', 'BBB'] as const) {
    // GDAL writes a zip of Shapefiles under this ending only.
    const zip = writeDataset(
      join(zips, `${country}.shp.zip`),
      'ESRI Shapefile',
      countryFile(country, gadmName(country)),
    );
    renameSync(zip, join(zips, `gadm41_${country}_shp.zip`));
  }
  const fromFolder = await published(zips);
  assert.deepEqual(counts(fromFolder.release), [2, 3, 4, 0, 0, 0]);
  const fromFile = await published(join(zips, 'gadm41_AAA_shp.zip'));
  assert.deepEqual(gidsOf(fromFile.out, 2), ['AAA.1.1_1', 'AAA.2.1_1', 'AAA.1.2_1']);
  assert.deepEqual(
    fromFile.release.source.map(({ name }) => name),
    ['gadm41_AAA_shp.zip'],
  );
  const named = await published(`/vsizip/${join(zips, 'gadm41_AAA_shp.zip')}/gadm41_AAA_1.shp`);
  assert.deepEqual(gidsOf(named.out, 1), ['AAA.1_1', 'AAA.2_1']);
});

test('reads a zipped GeoJSON file for each level', async () => {
  const layers = countryFile('AAA', gadmName('AAA'));
  const zips = layers.map((layer) => {
    const zip = join(folder, `${layer.name}.json.zip`);
    writeDataset(`/vsizip/${zip}/${layer.name}.json`, 'GeoJSON', [layer]);
    return zip;
  });
  const { release } = await published(zips);
  assert.deepEqual(counts(release), [1, 2, 3, 0, 0, 0]);
});

/** Writes a dataset with the units of three levels in one layer. */
function writeGadmSingleLayer(): string {
  const columns = ['UID', 'GID_0', 'NAME_0', 'GID_1', 'NAME_1', 'GID_2', 'NAME_2'];
  const features = [
    { fid: 1, values: ['1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'AAA.1.1_1', 'Næst'], wkt: square(0, 2) },
    { fid: 2, values: ['2', 'AAA', 'Aland', 'AAA.1_1', 'North', 'AAA.1.2_1', 'Wüst'], wkt: square(1, 2) },
    { fid: 3, values: ['3', 'AAA', 'Aland', 'AAA.2_1', 'South', '', ''], wkt: square(0, 0, 2) },
    { fid: 4, values: ['4', 'BBB', 'Beland', '', '', '', ''], wkt: square(10, 0, 4) },
  ];
  return writeDataset(join(folder, 'gadm_410.gpkg'), 'GPKG', [{ name: 'gadm_410', columns, features }]);
}

test("builds the levels of GADM's single-layer download as unions, as the dry run does", async () => {
  const file = writeGadmSingleLayer();
  const { out, release } = await published(file, { workers: 2 });
  assert.deepEqual(counts(release), [2, 2, 2, 0, 0, 0]);
  assert.deepEqual(
    unitsOf(out, 1).map(({ properties, bbox }) => [properties.GID_1, properties.NAME_1, bbox]),
    [
      ['AAA.1_1', 'North', [0, 2, 2, 3]],
      ['AAA.2_1', 'South', [0, 0, 2, 2]],
    ],
  );
  assert.deepEqual(unitsOf(out, 0)[0].bbox, [0, 0, 2, 3]);
  assert.deepEqual(
    release.source.map(({ name }) => name),
    ['gadm_410.gpkg'],
  );
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => void notes.push(text) };
  const expected = await forecast({ source: [file], levels: LEVELS, precision: 7, accept: [], workers: 0 }, report);
  assert.deepEqual(
    expected.levels.map(({ features }) => features),
    [2, 2, 2, 0, 0, 0],
  );
  assert.match(
    notes.join('\n'),
    /gadm_410\.gpkg: 4 units in one layer: its 6 units on 3 levels are made by dissolving/,
  );
});

test('a condition on a single layer selects the units of its level: the layer is not split', async () => {
  const where = [{ level: 2 as const, value: "NAME_1 = 'North'" }];
  const { out, release } = await published(writeGadmSingleLayer(), { where, accept: ['no-units'] });
  assert.deepEqual(counts(release), [0, 0, 2, 0, 0, 0]);
  assert.deepEqual(gidsOf(out, 2), ['AAA.1.1_1', 'AAA.1.2_1']);
});

test('reads a dataset by its URL, and records the URL without user and query', async () => {
  const bytes = readFileSync(aaa);
  const server = createServer((req, res) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(req.headers.range ?? '') ?? [];
    if (!req.url?.startsWith('/gadm41_AAA.gpkg')) return res.writeHead(404).end();
    if (from === undefined) return res.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    const last = Math.min(Number(to), bytes.length - 1);
    const range = `bytes ${from}-${last}/${bytes.length}`;
    return res.writeHead(206, { 'Content-Range': range }).end(bytes.subarray(Number(from), last + 1));
  });
  const port = await listen(server);
  // GDAL's requests block this process, which is also the server: the build has to run in another one.
  const out = join(folder, 'url');
  const url = `http://user:secret@127.0.0.1:${port}/gadm41_AAA.gpkg?key=secret`;
  const release = await buildRelease(url, out, { workers: 1 });
  assert.deepEqual(counts(release), [1, 2, 3, 0, 0, 0]);
  assert.deepEqual(release.source, [{ name: `http://127.0.0.1:${port}/gadm41_AAA.gpkg` }]);
});

const noPostgis = without(
  'ls /usr/lib/postgresql/*/bin/postgres',
  'ls /usr/share/postgresql/*/extension/postgis.control',
);

test('reads a PostGIS database, and records its name without the password', { skip: noPostgis }, async () => {
  const { connection, stop } = await startPostgis(folder);
  try {
    const target = `PG:${connection} password=secret`;
    const layers = countryLayers((n) => `ADM_${n}`);
    const [
      {
        features: [first],
      } = { features: [] },
    ] = layers;
    if (first !== undefined) first.wkt = null;
    const source = gdal.open(writeDataset(join(folder, 'pg.gpkg'), 'GPKG', layers));
    gdal.vectorTranslate(target, source, ['-f', 'PostgreSQL', '-preserve_fid']).close();
    source.close();
    const { out, release } = await published(target, { accept: ['empty-geometries'] });
    assert.deepEqual(counts(release), [2, 3, 4, 0, 0, 0]);
    assert.deepEqual(gidsOf(out, 2, 'gid_2'), ['AAA.1.1_1', 'AAA.2.1_1', 'BBB.1.1_1', 'AAA.1.2_1']);
    assert.deepEqual(release.source, [{ name: 'PG:dbname=bench' }]);
    assert.match(release.quality[0]?.example ?? '', /^PG:dbname=bench: layer adm_0, fid 1/);
    assert.doesNotMatch(JSON.stringify(release), /secret/);
    await assert.rejects(buildRelease('PG:host=/nowhere password=secret dbname=x', join(folder, 'pg')), (error) => {
      assert.ok(error instanceof BuildError);
      assert.match(error.message, /^PG:host=\/nowhere password=\.\.\. dbname=x: GDAL cannot open it/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  } finally {
    await stop();
  }
});

/** Builds with the options of a file in generator/examples/, for a source of that shape. */
async function example(name: string, source: string[]) {
  const file = JSON.parse(readFileSync(`generator/examples/${name}.json`, 'utf8'));
  const options = sourceOptionsFrom(file);
  assert.deepEqual(
    file.source.map((path: string) => basename(path)),
    source.map((path) => basename(path)),
  );
  return published(source, { ...options, source, attribution: file.attribution });
}

test('GADM 2 has no GIDs: they are composed of ISO and the ID columns', async () => {
  const country = ['ID_0', 'ISO', 'NAME_0'];
  const files = writeLayers('gadm2', 'ESRI Shapefile', 'shp', [
    { name: 'FRA_adm0', columns: country, features: [{ values: ['76', 'FRA', 'France'], wkt: square(0, 0, 4) }] },
    {
      name: 'FRA_adm1',
      columns: [...country, { name: 'ID_1', type: gdal.OFTInteger }, 'NAME_1'],
      features: [
        { values: ['76', 'FRA', 'France', 1, 'Alsace'], wkt: square(0, 0, 2) },
        { values: ['76', 'FRA', 'France', 2, 'Aquitaine'], wkt: square(2, 0, 2) },
      ],
    },
  ]);
  const { out, release } = await published(files);
  assert.deepEqual(gidsOf(out, 1), ['FRA.1', 'FRA.2']);
  assert.deepEqual(Object.keys(unitsOf(out, 1)[0].properties), ['fid', ...country, 'ID_1', 'NAME_1', 'GID_1']);
  assert.deepEqual(release.levels[1]?.gidColumns, ['ISO', 'GID_1']);
  assert.deepEqual(
    release.levels.map(({ nameColumn }) => nameColumn),
    ['NAME_0', 'NAME_1', '', '', '', ''],
  );
});

test('geoBoundaries: GIDs by option, and no parent at level 1', async () => {
  const columns = ['shapeName', 'shapeISO', 'shapeID', 'shapeGroup', 'shapeType'];
  const layers = [0, 1, 2].map((n) => ({
    name: `geoBoundaries-FRA-ADM${n}`,
    columns,
    features: [1, 2].slice(0, n === 0 ? 1 : 2).map((i) => ({
      values: [`Name ${n}.${i}`, '', `B${n}-${i}`, 'FRA', `ADM${n}`],
      wkt: square(i * 2, n),
    })),
  }));
  const files = writeLayers('gb', 'GeoJSON', 'geojson', layers);
  const { out, release } = await example(
    'geoboundaries',
    layers.map(({ name }) => join(files, `${name}.geojson`)),
  );
  assert.deepEqual(counts(release), [1, 2, 2, 0, 0, 0]);
  assert.deepEqual(gidsOf(out, 2, 'shapeID'), ['B2-1', 'B2-2']);
  assert.deepEqual(release.levels[2]?.gidColumns, ['shapeGroup', '', 'shapeID']);
  assert.deepEqual([release.levels[2]?.nameColumn, release.levels[2]?.typeColumn], ['shapeName', 'shapeType']);
  assert.deepEqual(release.quality, []);
});

for (const year of [2016, 2021, 2024])
  test(`NUTS ${year}: one layer for four levels, parents from the code, the layer named by no option`, async () => {
    const columns = ['NUTS_ID', { name: 'LEVL_CODE', type: gdal.OFTInteger }, 'CNTR_CODE', 'NAME_LATN'];
    // NUTS 2013 and 2016 have units below UKN0 that begin with UKN1.
    const codes = [
      'AT',
      'AT1',
      'AT2',
      'AT11',
      'AT21',
      'AT111',
      'AT112',
      'AT211',
      'UK',
      'UKN',
      'UKN0',
      'UKN06',
      'UKN16',
    ];
    const features = codes.map((code, i) => ({
      fid: i + 1,
      values: [code, code.length - 2, code.slice(0, 2), `Name of ${code}`],
      wkt: square(i, 0),
    }));
    mkdirSync(join(folder, `nuts-${year}`));
    const file = writeDataset(join(folder, `nuts-${year}/NUTS_RG_20M_2024_4326.gpkg`), 'GPKG', [
      { name: `NUTS_RG_20M_${year}_4326`, columns, features },
    ]);
    const { out, release } = await example('nuts', [file]);
    assert.deepEqual(counts(release), [2, 3, 3, 5, 0, 0]);
    assert.deepEqual(
      unitsOf(out, 3).map(({ id, properties }) => [id, properties.NUTS_ID, properties.NUTS_1, properties.NUTS_2]),
      [
        [6, 'AT111', 'AT1', 'AT11'],
        [7, 'AT112', 'AT1', 'AT11'],
        [8, 'AT211', 'AT2', 'AT21'],
        [12, 'UKN06', 'UKN', 'UKN0'],
        [13, 'UKN16', 'UKN', 'UKN0'],
      ],
    );
  });

/** How downloads of COD name layers and columns: today, and before 2025. */
const COD_NAMES = {
  caf: {
    areas: 'caf_admin',
    points: 'caf_admin1points',
    lines: 'caf_adminlines',
    own: (i: number) => [`adm${i}_name`, `adm${i}_pcode`],
    valid: ['valid_on', 'valid_to'],
  },
  nga: {
    areas: 'nga_admbnda_adm',
    points: 'nga_admbndp_admALL',
    lines: 'nga_admbndl_admALL',
    own: (i: number) => [`ADM${i}_EN`, `ADM${i}_PCODE`],
    valid: ['validOn', 'validTo'],
  },
} as const;

/** Layers as downloads of COD have them: the areas of three levels, label points and border lines. */
function codLayers(country: keyof typeof COD_NAMES): { areas: FixtureLayer[]; others: FixtureLayer[] } {
  const { own, valid, ...names } = COD_NAMES[country];
  const columns = (n: number): string[] => [...Array(n + 1).keys()].flatMap(own).concat(valid);
  const values = (n: number): string[] =>
    [...Array(n + 1).keys()].flatMap((i) => [`Name ${i}`, `X${'0'.repeat(i)}`]).concat('x', 'y');
  return {
    areas: [0, 1, 2].map((n) => ({
      name: `${names.areas}${n}`,
      columns: columns(n),
      features: [{ values: values(n), wkt: square(0, 0) }],
    })),
    others: [
      { name: names.points, columns: columns(1), features: [{ values: values(1), wkt: 'POINT Z (0.5 0.5 0)' }] },
      { name: names.lines, columns: ['right_pcod'], features: [{ values: ['x'], wkt: 'LINESTRING (0 0, 0 1)' }] },
    ],
  };
}

for (const country of ['caf', 'nga'] as const)
  test(`OCHA COD, ${country}: GIDs by their names; points and lines beside the areas are left out, which is reported`, async () => {
    const { areas, others } = codLayers(country);
    const files = writeLayers(`cod-${country}`, 'ESRI Shapefile', 'shp', [...areas, ...others]);
    const zip = join(folder, `${country}_admin_boundaries.shp.zip`);
    writeZip(
      zip,
      readdirSync(files).map((name) => ({ name, content: readFileSync(join(files, name)) })),
    );
    const { own, points, lines, valid } = COD_NAMES[country];
    const columns = sourceOptionsFrom({ columns: [valid.map((name) => `-${name}`).join()] });
    for (const source of [files, zip]) {
      const { out, release } = await published(source, columns);
      assert.deepEqual(counts(release), [1, 1, 1, 0, 0, 0]);
      assert.deepEqual(Object.keys(unitsOf(out, 1)[0].properties), ['fid', ...own(0), ...own(1)]);
      assert.deepEqual(release.levels[2]?.nameColumn, own(2)[0]);
      assert.match(release.attribution?.join() ?? '', /^OCHA/);
      const unused = release.quality.filter(({ kind }) => kind === 'unused-layers');
      assert.deepEqual(
        unused.map(({ count, example = '' }) => [count, example.split(': ').at(-1)]),
        // Files are read in alphabetical order.
        [[2, [points, lines].sort()[0]]],
      );
    }
  });

test('points and lines are refused where no layer of the same download has the areas, or where an option names them', async () => {
  const { areas, others } = codLayers('caf');
  const [points, lines] = others;
  assert.ok(points && lines);
  const pointsAlone = writeLayers('cod-points', 'ESRI Shapefile', 'shp', [...areas.slice(0, 1), points]);
  await assert.rejects(published(pointsAlone), { message: /lv1: units whose geometry is not a polygon: 1 / });
  const linesAlone = writeLayers('cod-lines', 'ESRI Shapefile', 'shp', [lines]);
  await assert.rejects(published(linesAlone), { message: /caf_adminlines\.shp: no layer has GID columns/ });
  const elsewhere = writeLayers('cod-areas', 'ESRI Shapefile', 'shp', areas);
  await assert.rejects(published([elsewhere, pointsAlone]), {
    message: /lv1: units whose geometry is not a polygon: 1 /,
  });
  const labels = { ...points, type: gdal.wkbPoint25D };
  const all = writeDataset(join(folder, 'cod.gpkg'), 'GPKG', [...areas, labels]);
  const { release } = await published(all);
  assert.deepEqual(counts(release), [1, 1, 1, 0, 0, 0]);
  const chosen = sourceOptionsFrom({ layer: ['lv1=caf_admin1points'] });
  await assert.rejects(published(all, chosen), { message: /lv1: units whose geometry is not a polygon: 1 / });
});

test('Natural Earth: layers and columns by name', async () => {
  const layers = [
    {
      name: 'ne_10m_admin_0_countries',
      columns: ['ADM0_A3', 'NAME', 'TYPE'],
      features: [{ values: ['AUT', 'Austria', 'Country'], wkt: square(0, 0, 2) }],
    },
    {
      name: 'ne_10m_admin_1_states_provinces',
      columns: ['adm1_code', 'adm0_a3', 'name', 'type_en'],
      features: [{ values: ['AUT-1', 'AUT', 'Tirol', 'State'], wkt: square(0, 0) }],
    },
  ];
  const files = writeLayers('ne', 'ESRI Shapefile', 'shp', layers);
  const { out, release } = await example(
    'natural-earth',
    layers.map(({ name }) => join(files, `${name}.shp`)),
  );
  assert.deepEqual(gidsOf(out, 1, 'adm1_code'), ['AUT-1']);
  assert.deepEqual(release.levels[1]?.gidColumns, ['adm0_a3', 'adm1_code']);
  assert.deepEqual(
    release.levels.slice(0, 2).map(({ typeColumn }) => typeColumn),
    ['TYPE', 'type_en'],
  );
  assert.deepEqual(release.attribution, ['Made with Natural Earth']);
  const config = resolve('generator/examples/natural-earth.json');
  const args = [compile('generator/main.ts'), 'build', '--config', config, '--workers', '0', '--json', '--quiet'];
  const built = JSON.parse(execFileSync(process.execPath, args, { cwd: files, encoding: 'utf8' }));
  assert.deepEqual(
    built.levels,
    release.levels.map((level) => ({ ...level, manifest: built.levels[level.level].manifest })),
  );
  assert.equal(built.release, 'natural-earth');
});

test('GADM: the example needs no more than the file', async () => {
  const file = writeDataset(
    join(folder, 'gadm_410-levels.gpkg'),
    'GPKG',
    countryLayers((n) => `ADM_${n}`),
  );
  const { release } = await example('gadm', [file]);
  assert.deepEqual(counts(release), [2, 3, 4, 0, 0, 0]);
  assert.deepEqual(
    release.levels.map(({ nameColumn }) => nameColumn),
    ['COUNTRY', 'NAME_1', 'NAME_2', '', '', ''],
  );
});

/** GADM 2 for one country as it is downloaded: each Shapefile with its attributes once more as CSV, and a licence. */
function writeGadm2(path: string): string {
  const country = ['ID_0', 'ISO', 'NAME_0'];
  const id = { name: 'ID_1', type: gdal.OFTInteger };
  writeLayers(path, 'ESRI Shapefile', 'shp', [
    { name: 'NPL_adm0', columns: country, features: [{ values: ['157', 'NPL', 'Nepal'], wkt: square(80, 26, 8) }] },
    {
      name: 'NPL_adm1',
      columns: [...country, id, 'NAME_1'],
      features: [1, 2].map((n) => ({ values: ['157', 'NPL', 'Nepal', n, `R${n}`], wkt: square(78 + 2 * n, 26) })),
    },
  ]);
  const files: Record<string, string> = {
    'NPL_adm0.csv': 'PID,ID_0,ISO,NAME_0\n158,157,NPL,Nepal\n',
    'NPL_adm1.csv': 'PID,ID_0,ISO,NAME_0,ID_1,NAME_1\n1,157,NPL,Nepal,1,R1\n2,157,NPL,Nepal,2,R2\n',
    'NPL_adm1.sbn': '',
    'NPL_adm1.qix': '',
    'NPL_adm1.shp.xml': '<metadata/>',
    'NPL_adm1.pdf': '',
    'license.txt': 'free for academic use',
    LICENCE: '',
    'desktop.ini': '[.ShellClassInfo]',
    'Thumbs.db': 'binary',
    '.DS_Store': 'binary',
    '__MACOSX/._NPL_adm1.shp': 'resource fork',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, name, '..'), { recursive: true });
    writeFileSync(join(folder, path, name), text);
  }
  return join(folder, path);
}

test('GADM 2 as it is downloaded and unpacked: the CSV files are no layers, files of operating systems are said once', async () => {
  const unpacked = writeGadm2('NPL_adm');
  const zip = join(folder, 'NPL_adm_shp.zip');
  const names = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(unpacked, name)).isFile());
  writeZip(
    zip,
    files.map((name) => ({ name, content: readFileSync(join(unpacked, name)) })),
  );
  for (const source of [unpacked, zip]) {
    const { out, release } = await published(source);
    assert.deepEqual(counts(release), [1, 2, 0, 0, 0, 0]);
    assert.deepEqual(gidsOf(out, 1), ['NPL.1', 'NPL.2']);
    const systemFiles = release.quality.filter(({ kind }) => kind === 'system-files');
    assert.deepEqual(
      systemFiles.map(({ count, example }) => [count, example]),
      [[4, `${basename(source)}/.DS_Store`]],
    );
    assert.match(release.attribution.join(), /^GADM, https:\/\/gadm\.org/);
  }
});

test('chooses, drops and renames columns; a column of WKT in a CSV file is not an attribute', async () => {
  const csv = join(folder, 'units.csv');
  writeFileSync(csv, 'WKT,GID_0,NAME_0,extra\n"POLYGON((0 0,1 0,1 1,0 0))",AAA,Aland,1\n');
  const plain = await published(csv);
  assert.deepEqual(Object.keys(unitsOf(plain.out, 0)[0].properties), ['fid', 'GID_0', 'NAME_0', 'extra']);
  const chosen = await published(csv, {
    columns: [
      { level: 0, value: 'NAME_0:name' },
      { level: undefined, value: 'extra' },
    ],
  });
  assert.deepEqual(unitsOf(chosen.out, 0)[0].properties, { fid: 1, GID_0: 'AAA', name: 'Aland', extra: '1' });
  const dropped = await published(csv, { columns: [{ level: undefined, value: '-extra' }] });
  assert.deepEqual(Object.keys(unitsOf(dropped.out, 0)[0].properties), ['fid', 'GID_0', 'NAME_0']);
  await assert.rejects(buildRelease(csv, join(folder, 'refused'), { columns: [{ level: undefined, value: 'extr' }] }), {
    message: /^--columns extr: no layer has a column extr$/,
    remedy: /use one of: .*extra; of one level only: --columns lv1=extr$/,
  });
  await assert.rejects(buildRelease(csv, join(folder, 'refused'), { columns: [{ level: 0, value: '-extr' }] }), {
    message: /^--columns lv0=-extr: .*units\.csv: layer units has no column extr$/,
  });
});

test('--columns without a level applies to the levels that have the column', async () => {
  const columns = [{ level: undefined, value: '-NAME_2,NAME_1:name' }];
  const { out } = await published(aaa, { columns });
  assert.deepEqual(
    [0, 1, 2].map((level) => Object.keys(unitsOf(out, level as Level)[0].properties)),
    [
      ['fid', 'GID_0', 'COUNTRY'],
      ['fid', 'GID_1', 'GID_0', 'COUNTRY', 'name'],
      ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'name'],
    ],
  );
});

test('a dataset that is recognised gives its credit, which --attribution replaces; of any other there is a remark', async () => {
  const credited = async (layer: FixtureLayer, file: string) => {
    const source = writeDataset(join(folder, file), 'GPKG', [layer]);
    const notes: string[] = [];
    const report = { ...SILENT, note: (text: string) => void notes.push(text) };
    const release = await build(buildOptions(source, join(folder, `out-${built++}`)), report);
    return [...release.attribution, ...notes];
  };
  const layerWith = (name: string, ...columns: string[]): FixtureLayer => ({
    name,
    columns: ['GID_0', ...columns],
    features: [{ fid: 1, values: ['AAA', ...columns.map(() => 'x')], wkt: square(0, 0) }],
  });
  for (const [expected, layer, file] of [
    [/^GADM, .*no redistribution/, layerWith('ADM_0'), 'gadm_4.gpkg'],
    [/^GADM,/, layerWith('a', 'ID_0', 'ISO', 'NAME_0'), 'old.gpkg'],
    [/^Made with Natural Earth/, layerWith('ne_10m_admin_0_countries'), 'a.gpkg'],
    [/^geoBoundaries, .*CC BY 4\.0/, layerWith('a', 'shapeGroup', 'shapeID', 'shapeType'), 'b.gpkg'],
    [/EuroGeographics/, layerWith('a', 'NUTS_ID', 'LEVL_CODE'), 'c.gpkg'],
    [/^OCHA/, layerWith('a', 'ADM0_PCODE'), 'd.gpkg'],
    [/^no attribution: .*--attribution TEXT/, layerWith('a'), 'e.gpkg'],
  ] as const) {
    const said = await credited(layer, file);
    assert.equal(said.length, 1, file);
    assert.match(said[0] ?? '', expected);
  }
  const { release } = await published(join(folder, 'gadm_4.gpkg'), { attribution: ['Mine'] });
  assert.deepEqual(release.attribution, ['Mine']);
});

test('selects features by condition', async () => {
  const file = join(folder, 'both.gpkg');
  cpSync(aaa, file);
  const { out } = await published(file, { where: [{ level: 2, value: "GID_1 = 'AAA.1_1'" }] });
  assert.deepEqual(gidsOf(out, 2), ['AAA.1.1_1', 'AAA.1.2_1']);
});
