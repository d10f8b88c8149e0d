// Boundaries in the forms in which people download them: several files of a level, folders, archives, and the schemas
// of GADM 2, geoBoundaries, NUTS, OCHA COD and Natural Earth. Each is made through GDAL and built.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { build } from '../../../generator/build.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { type FixtureLayer, square, squares, writeDataset, writeFiles } from '../../support/datasets/write-dataset.ts';
import { zipFolder } from '../../support/datasets/write-zip.ts';
import { typed } from '../../support/processes/typed.ts';
import { codeIn } from '../../support/readme-code.ts';
import { buildOptions, buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { LEAST, published } from './published.ts';

const folder = temporaryFolder();
/** The layers of one of the two countries, as GADM's files of single countries have them: fids begin at 1. */
function countryFile(country: 'AAA' | 'BBB', layerName: (level: Level) => string, fid = 1): FixtureLayer[] {
  return countryLayers(layerName).map((layer) => ({
    ...layer,
    features: layer.features
      .filter(({ values }) => values[layer.columns.indexOf('GID_0')] === country)
      .map(({ values, wkt }, i) => ({ fid: i + fid, values, wkt })),
  }));
}

function countryPackage(country: 'AAA' | 'BBB', fid = 1): string {
  const layers = countryFile(country, (n) => `ADM_ADM_${n}`, fid);
  return writeDataset(join(folder, `gadm41_${country}-${fid}.gpkg`), 'GPKG', layers);
}

function writeLayers(name: string, driver: 'ESRI Shapefile' | 'GeoJSON', layers: readonly FixtureLayer[]): string {
  writeFiles(join(folder, name), driver, layers);
  return join(folder, name);
}

const gadmName = (country: string) => (level: Level) => `gadm41_${country}_${level}`;
const aaa = countryPackage('AAA');
const bbb = countryPackage('BBB');
const BOTH = [2, 3, 4, 0, 0, 0];
const GADM_LICENCE = 'https://gadm.org/license.html';
const NATURAL_EARTH = 'https://www.naturalearthdata.com/about/terms-of-use/';
const GISCO = 'https://ec.europa.eu/eurostat/web/gisco/geodata/administrative-units';

test('merges one GeoPackage for each country in the order given, and numbers units whose fids collide', async () => {
  const { counts, release, unitsOf, quality } = await published([aaa, bbb]);
  assert.deepEqual(counts, BOTH);
  const expected = ['AAA.1.1_1', 'AAA.2.1_1', 'AAA.1.2_1', 'BBB.1.1_1'].map((gid, i) => [i + 1, i + 1, gid]);
  assert.deepEqual(
    unitsOf(2).map(({ id, properties }) => [id, properties.fid, properties.GID_2]),
    expected,
  );
  const renumbered = release.levels.map(({ isRenumbered }) => isRenumbered);
  assert.deepEqual(renumbered, [true, true, true, false, false, false]);
  const places = ['BBB', 'BBB.1_1', 'BBB.1.1_1'].map((gid, n) => `ADM_ADM_${n}, fid 1, GID ${gid}`);
  assert.deepEqual(
    quality,
    places.map((place, n) => `lv${n} renumbered-fids 1 gadm41_BBB-1.gpkg: layer ${place} has the new fid ${n + 2}`),
  );
  assert.deepEqual((await published([bbb, aaa])).gidsOf(0), ['BBB', 'AAA']);
});

test('keeps fids that do not collide, and with keepFids refuses those that do', async () => {
  const { release, gidsOf } = await published([countryPackage('BBB', 101), aaa]);
  assert.deepEqual(gidsOf(2, 'fid'), [1, 2, 3, 101]);
  assert.ok(release.levels.every(({ isRenumbered }) => !isRenumbered));
  await assert.rejects(buildRelease([aaa, bbb], join(folder, 'kept'), { keepFids: true }), {
    message:
      /fid 1 occurs in .*gadm41_AAA-1\.gpkg: layer ADM_ADM_(\d) .* and in .*gadm41_BBB-1\.gpkg: layer ADM_ADM_\1/,
    remedy: /--keep-fids/,
  });
});

test('reads folders of countries, nested folders, and the documents beside the data', async () => {
  for (const country of ['AAA', 'BBB'] as const) {
    const path = writeLayers(`nested/${country}`, 'ESRI Shapefile', countryFile(country, gadmName(country)));
    writeFileSync(join(path, 'license.txt'), 'terms');
    writeFileSync(join(path, '.hidden'), 'nothing');
  }
  const { counts, gidsOf, release } = await published(join(folder, 'nested'));
  assert.deepEqual(counts, BOTH);
  assert.deepEqual(gidsOf(0), ['AAA', 'BBB']);
  assert.ok(release.source.some(({ name }) => name === 'nested/AAA/gadm41_AAA_0.shp'));
});

test('reads zip archives as they are downloaded, and folders of them', async () => {
  const zips = join(folder, 'zips');
  mkdirSync(zips);
  for (const country of ['AAA', 'BBB'] as const) {
    // GDAL writes a zip of Shapefiles under this ending only.
    const zip = join(zips, `${country}.shp.zip`);
    writeDataset(zip, 'ESRI Shapefile', countryFile(country, gadmName(country)));
    renameSync(zip, join(zips, `gadm41_${country}_shp.zip`));
  }
  assert.deepEqual((await published(zips)).counts, BOTH);
  const fromFile = await published(join(zips, 'gadm41_AAA_shp.zip'));
  assert.deepEqual(fromFile.gidsOf(2), ['AAA.1.1_1', 'AAA.2.1_1', 'AAA.1.2_1']);
  const names = fromFile.release.source.map(({ name }) => name);
  assert.deepEqual(names, ['gadm41_AAA_shp.zip']);
  const named = await published(`/vsizip/${join(zips, 'gadm41_AAA_shp.zip')}/gadm41_AAA_1.shp`);
  assert.deepEqual(named.gidsOf(1), ['AAA.1_1', 'AAA.2_1']);
  const ofLevels = countryFile('AAA', gadmName('AAA')).map((layer) => {
    const zip = join(folder, `${layer.name}.json.zip`);
    writeDataset(`/vsizip/${zip}/${layer.name}.json`, 'GeoJSON', [layer]);
    return zip;
  });
  assert.deepEqual((await published(ofLevels)).counts, [1, 2, 3, 0, 0, 0]);
});

function optionsIn(name: string) {
  const { source: _, ...config } = JSON.parse(readFileSync(`generator/examples/${name}.json`, 'utf8'));
  return contentOptionsFrom(config);
}

const GEO_BOUNDARIES = optionsIn('geoboundaries');

/** Layers of three levels as geoBoundaries has them. */
function geoBoundariesLayers(name = 'geoBoundaries'): FixtureLayer[] {
  const columns = ['shapeName', 'shapeISO', 'shapeID', 'shapeGroup', 'shapeType'];
  return [0, 1, 2].map((n) => {
    const rows = [1, 2].map((i) => [`Name ${n}.${i}`, '', `B${n}-${i}`, 'FRA', `ADM${n}`]);
    return squares(`${name}-FRA-ADM${n}`, columns, ...(n === 0 ? rows.slice(1) : rows));
  });
}

const COUNTS = [1, 2, 2, 0, 0, 0];
const OPEN_DATABASE = 'Open Data Commons Open Database License 1.0';

function creditFor(terms: string): string {
  return `geoBoundaries, https://www.geoboundaries.org (${terms})`;
}

test('geoBoundaries as it is downloaded: parents by place; copies and metadata are skipped, which is reported; the licence is that of the metadata', async () => {
  const layers = geoBoundariesLayers();
  const whole = writeLayers('gb-whole', 'GeoJSON', layers);
  for (const [n, { name }] of layers.entries()) {
    const level = join(whole, `ADM${n}`);
    mkdirSync(level);
    renameSync(join(whole, `${name}.geojson`), join(level, `${name}.geojson`));
    for (const ending of ['', '_simplified'])
      writeDataset(join(level, `${name}${ending}.shp`), 'ESRI Shapefile', [layers[n] ?? []].flat());
    for (const ending of ['_simplified.geojson', '.topojson', '-all.zip', '-metaData.txt', '-PREVIEW.png'])
      writeFileSync(join(level, `${name}${ending}`), '');
  }
  const state = (level: number, licence: string): void =>
    writeFileSync(
      join(whole, `ADM${level}/geoBoundaries-FRA-ADM${level}-metaData.json`),
      JSON.stringify({ boundaryLicense: licence, licenseSource: 'https//example.org/terms' }),
    );
  for (const level of [0, 1, 2]) state(level, OPEN_DATABASE);
  const { counts, release, quality, valuesOf } = await published(whole, GEO_BOUNDARIES);
  assert.deepEqual([counts, release.licence], [COUNTS, 'ODbL-1.0']);
  assert.deepEqual(release.attribution, [creditFor(OPEN_DATABASE)]);
  assert.ok(quality.length === 1 && quality[0]?.includes('unused-layers 15 '), quality.join());
  const { gidColumns, nameColumn, typeColumn } = release.levels[2] ?? assert.fail();
  assert.deepEqual(gidColumns, ['shapeGroup', 'GID_1', 'shapeID']);
  assert.deepEqual([nameColumn, typeColumn], ['shapeName', 'shapeType']);
  assert.equal(valuesOf(2, 'shapeID', 'GID_1').join(' '), 'B2-1,B1-1 B2-2,B1-2');
  for (const [licences, expected] of [
    [['Creative Commons Attribution 3.0 Intergovernmental Organisations (CC BY 3.0 IGO)'], 'CC-BY-3.0-IGO'],
    [['Creative Commons Attribution-ShareAlike 2.0'], 'CC-BY-SA-2.0'],
    [['Terms of the state'], 'https://example.org/terms'],
    [['CC BY 4.0', 'CC0 1.0 Universal'], undefined],
  ] as const) {
    for (const level of [0, 1, 2]) state(level, licences[level] ?? licences[0]);
    const { licence, credits } = describeDataset({ source: [whole], levels: LEVELS, ...GEO_BOUNDARIES });
    assert.deepEqual([licence, credits], [expected, licences.map(creditFor)]);
  }
  const archive = await published(zipFolder(whole, join(folder, 'gb-whole.zip')), GEO_BOUNDARIES);
  assert.deepEqual([archive.counts, archive.release.licence], [COUNTS, undefined]);
  assert.deepEqual(archive.release.attribution, [creditFor('licence: see its metadata')]);
  await assert.rejects(buildRelease(whole, folder), { remedy: /^copy generator\/examples\/geoboundaries\.json/ });
  writeFileSync(join(whole, 'ADM1/geoBoundaries-FRA-ADM1-metaData.json'), '{');
  await assert.rejects(buildRelease(whole, folder, GEO_BOUNDARIES), { message: /metaData\.json: is not JSON/ });
});

test('geoBoundaries of 3.x has another name for its metadata, which has the licence', async () => {
  const layers = geoBoundariesLayers('geoBoundaries-3_0_0');
  const whole = writeLayers('gb-3', 'GeoJSON', layers);
  for (const ending of ['.shp', '.topojson', '-all.zip']) writeFileSync(join(whole, `${layers[0]?.name}${ending}`), '');
  for (const level of [0, 1, 2])
    writeFileSync(join(whole, `FRA-ADM${level}-metaData.json`), JSON.stringify({ boundaryLicense: 'CC BY 3.0' }));
  const { counts, release } = await published(whole, GEO_BOUNDARIES);
  assert.deepEqual([counts, release.licence], [COUNTS, 'CC-BY-3.0']);
});

test('NUTS: one layer for four levels, parents from the code, the layer of any year named by no option', async () => {
  const columns = ['NUTS_ID', { name: 'LEVL_CODE', type: gdal.OFTInteger }, 'CNTR_CODE', 'NAME_LATN'];
  // NUTS 2013 and 2016 have units below UKN0 that begin with UKN1.
  const codes = 'AT AT1 AT2 AT11 AT21 AT111 AT112 AT211 UK UKN UKN0 UKN06 UKN16'.split(' ');
  const rows = codes.map((code) => [code, code.length - 2, code.slice(0, 2), `Name of ${code}`]);
  const file = join(folder, 'NUTS_RG_20M_2024_4326.gpkg');
  writeDataset(file, 'GPKG', [squares('NUTS_RG_20M_2016_4326', columns, ...rows)]);
  const { counts, valuesOf } = await published(file, optionsIn('nuts'));
  assert.deepEqual(counts, [2, 3, 3, 5, 0, 0]);
  assert.deepEqual(valuesOf(3, 'fid', 'NUTS_ID', 'NUTS_1', 'NUTS_2'), [
    [6, 'AT111', 'AT1', 'AT11'],
    [7, 'AT112', 'AT1', 'AT11'],
    [8, 'AT211', 'AT2', 'AT21'],
    [12, 'UKN06', 'UKN', 'UKN0'],
    [13, 'UKN16', 'UKN', 'UKN0'],
  ]);
});

/** How downloads of COD name layers and columns: today, and before 2025. */
const COD_NAMES = {
  caf: ['caf_admin', 'caf_admin1points', 'caf_adminlines', 'adm#_name adm#_pcode', 'valid_on valid_to'],
  nga: ['nga_admbnda_adm', 'nga_admbndp_admALL', 'nga_admbndl_admALL', 'ADM#_EN ADM#_PCODE', 'validOn validTo'],
  lka: ['lka_admbnda_adm', 'lka_admbndp_admALL', 'lka_admbndl_admALL', 'admin#Name admin#Pcod', 'validOn validTo'],
} as const;

/** Layers as downloads of COD have them: the areas of three levels, label points and border lines. */
function codLayers(country: keyof typeof COD_NAMES) {
  const [areas, points, lines, names, valid] = COD_NAMES[country];
  const own = (i: number): string[] => names.replaceAll('#', String(i)).split(' ');
  const layer = (name: string, n: number, wkt: string): FixtureLayer => {
    const levels = [...Array(n + 1).keys()];
    const values = levels.flatMap((i) => [`Name ${i}`, `X${'0'.repeat(i)}`]).concat('x', 'y');
    return { name, columns: levels.flatMap(own).concat(valid.split(' ')), features: [{ values, wkt }] };
  };
  const line = { values: ['x'], wkt: 'LINESTRING (0 0, 0 1)' };
  return {
    own,
    valid: valid.split(' '),
    areas: [0, 1, 2].map((n) => layer(`${areas}${n}`, n, square(0, 0))),
    points: layer(points, 1, 'POINT Z (0.5 0.5 0)'),
    lines: { name: lines, columns: ['right_pcod'], features: [line] },
  };
}

for (const country of ['caf', 'nga', 'lka'] as const)
  test(`OCHA COD, ${country}: GIDs by their names; points and lines beside the areas are left out, which is reported`, async () => {
    const { areas, points, lines, own, valid } = codLayers(country);
    const files = writeLayers(`cod-${country}`, 'ESRI Shapefile', [...areas, points, lines]);
    const columns = contentOptionsFrom({ columns: [valid.map((name) => `-${name}`).join()] });
    for (const source of country === 'caf'
      ? [files, zipFolder(files, join(folder, 'caf_admin_boundaries.shp.zip'))]
      : [files]) {
      const { counts, columnsOf, release } = await published(source, columns);
      assert.deepEqual(counts, [1, 1, 1, 0, 0, 0]);
      assert.deepEqual(columnsOf(1), ['fid', ...own(0), ...own(1)]);
      assert.deepEqual(release.levels[2]?.nameColumn, own(2)[0]);
      assert.match(release.attribution?.join() ?? '', /^OCHA/);
      const [unused, ...others] = release.quality.filter(({ kind }) => kind === 'unused-layers');
      // Files are read in alphabetical order.
      const both = [points.name, lines.name].sort();
      const named = unused?.example?.split(', ').map((name) => name.split(': ').at(-1));
      assert.deepEqual([unused?.count, named, others.length], [2, both, 0]);
    }
  });

test('points and lines are refused where no layer of the same download has the areas, or where an option names them', async () => {
  const { areas, points, lines } = codLayers('caf');
  const pointsAlone = writeLayers('cod-points', 'ESRI Shapefile', [...areas.slice(0, 1), points]);
  const linesAlone = writeLayers('cod-lines', 'ESRI Shapefile', [lines]);
  const elsewhere = writeLayers('cod-areas', 'ESRI Shapefile', areas);
  const all = join(folder, 'cod.gpkg');
  writeDataset(all, 'GPKG', [...areas, { ...points, type: gdal.wkbPoint25D }, lines]);
  assert.deepEqual((await published(all)).counts, [1, 1, 1, 0, 0, 0]);
  const notAreas = /lv1: 1 unit has a geometry that is not a polygon /;
  for (const source of [pointsAlone, [elsewhere, pointsAlone]])
    await assert.rejects(published(source), { message: notAreas });
  await assert.rejects(published(linesAlone), { message: /caf_adminlines\.shp: no layer has GID columns/ });
  const named = contentOptionsFrom({ layer: ['lv1=caf_admin1points'] });
  await assert.rejects(published(all, named), { message: notAreas });
});

test('layers of one name in several files are told apart by the file', async () => {
  const [states, parts] = ['states', 'parts'].map((file, i) => {
    const layer = squares('collection', ['code', 'parent'], [`C${i}`, 'C0']);
    return writeDataset(join(folder, `${file}.gpkg`), 'GPKG', [layer]);
  });
  const options = contentOptionsFrom({
    layer: ['lv0=states.gpkg:collection', 'lv1=parts.*:coll*'],
    'gid-column': ['lv0=code', 'lv1=code', 'lv1:lv0=parent'],
  });
  const { counts, gidsOf } = await published([states ?? '', parts ?? ''], options);
  assert.deepEqual([counts.slice(0, 3), gidsOf(1, 'code')], [[1, 1, 0], ['C1']]);
});

test('a layer that begins with ! is left out of those that a pattern names, and alone of all', async () => {
  mkdirSync(join(folder, 'except'));
  const units = ['AAA', 'BBB', 'CCC'].map((gid) => {
    const layer = squares(gid === 'BBB' ? 'bbb-alt-1' : gid.toLowerCase(), ['code'], [gid]);
    return writeDataset(join(folder, `except/${layer.name}.geojson`), 'GeoJSON', [layer]);
  });
  for (const layer of [['lv0=*', 'lv0=!*-alt-*'], ['lv0=!*-alt-*'], ['lv0=!bbb-alt-1.geojson:*']]) {
    const { gidsOf } = await published(units, contentOptionsFrom({ layer, 'gid-column': ['lv0=code'] }));
    assert.deepEqual(gidsOf(0, 'code'), ['AAA', 'CCC']);
  }
  const none = contentOptionsFrom({ layer: ['lv0=!*-old-*'], 'gid-column': ['lv0=code'] });
  await assert.rejects(published(units, none), { message: /--layer lv0=!\*-old-\*: the source has no such layer/ });
});

test('a column of names, of types, or of --columns need not be in every layer of a level, but in one', async () => {
  const alternative = squares('a', ['code'], ['A']);
  const whole = squares('b', ['code', 'title', 'kind'], ['B', 'Title', 'region']);
  const source = [alternative, whole].map((layer) =>
    writeDataset(join(folder, `some-${layer.name}.gpkg`), 'GPKG', [layer]),
  );
  const options = {
    layer: ['lv0=a', 'lv0=b'],
    'gid-column': ['lv0=code'],
    'name-column': ['lv0=title'],
    'type-column': ['lv0=kind'],
    columns: ['lv0=kind:sort'],
  };
  const { release, unitsOf } = await published(source, contentOptionsFrom(options));
  assert.deepEqual([release.levels[0]?.nameColumn, release.levels[0]?.typeColumn], ['title', 'sort']);
  const values = unitsOf(0).map(({ properties: { fid: _, ...others } }) => others);
  assert.deepEqual(values, [{ code: 'A' }, { code: 'B', title: 'Title', sort: 'region' }]);
  for (const [option, value, message] of [
    ['name-column', 'lv0=titel', /^--name-column lv0=titel: no layer of level 0 has such a column$/],
    ['columns', 'lv0=-titel', /^--columns lv0=-titel: no layer of level 0 has a column titel$/],
  ] as const)
    await assert.rejects(published(source, contentOptionsFrom({ ...options, [option]: [value] })), {
      message,
      remedy: /use one of: title, code, kind$/,
    });
});

test('Natural Earth: layers and columns by name, from a config file, whose paths are relative to it', async () => {
  const states = ['adm1_code', 'adm0_a3', 'name', 'type_en'];
  const files = writeLayers('ne', 'ESRI Shapefile', [
    squares('ne_10m_admin_0_countries', ['ADM0_A3', 'NAME', 'TYPE'], ['AUT', 'Austria', 'Country']),
    squares('ne_10m_admin_1_states_provinces', states, ['AUT-1', 'AUT', 'Tirol', 'State']),
  ]);
  const config = join(files, 'natural-earth.json');
  copyFileSync('generator/examples/natural-earth.json', config);
  const { stdout } = await typed('generator', ['build', '--config', config, '--out', join(files, 'out'), ...LEAST]);
  const { release, levels, attribution, licence }: Release = JSON.parse(stdout);
  assert.deepEqual([release, licence], ['natural-earth', NATURAL_EARTH]);
  assert.deepEqual(levels[1]?.gidColumns, ['adm0_a3', 'adm1_code']);
  assert.deepEqual([levels[0]?.typeColumn, levels[1]?.typeColumn], ['TYPE', 'type_en']);
  assert.match(attribution.join(), /^Made with Natural Earth, /);
});

/** GADM 2 for one country as it is downloaded: each Shapefile with its attributes once more as CSV, and a licence. */
function writeGadm2(name: string): string {
  const country = ['ID_0', 'ISO', 'NAME_0'];
  const nepal = ['157', 'NPL', 'Nepal'];
  const regions = [...country, { name: 'ID_1', type: gdal.OFTInteger }, 'NAME_1'];
  const path = writeLayers(name, 'ESRI Shapefile', [
    { name: 'NPL_adm0', columns: country, features: [{ values: nepal, wkt: square(0, 0, 8) }] },
    squares('NPL_adm1', regions, [...nepal, 1, 'R1'], [...nepal, 2, 'R2']),
  ]);
  for (const [file, text] of Object.entries({
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
  })) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return path;
}

test('GADM 2 as it is downloaded and unpacked: GIDs are composed of ISO and the ID columns, the CSV files are no layers, files of operating systems are said once', async () => {
  const unpacked = writeGadm2('NPL_adm');
  for (const source of [unpacked, zipFolder(unpacked, join(folder, 'NPL_adm_shp.zip'))]) {
    const { counts, gidsOf, columnsOf, release, quality } = await published(source);
    assert.deepEqual(counts, [1, 2, 0, 0, 0, 0]);
    assert.deepEqual(gidsOf(1), ['NPL.1', 'NPL.2']);
    assert.deepEqual(columnsOf(1), ['fid', 'ID_0', 'ISO', 'NAME_0', 'ID_1', 'NAME_1', 'GID_1']);
    assert.deepEqual(release.levels[1]?.gidColumns, ['ISO', 'GID_1']);
    assert.deepEqual([release.levels[0]?.nameColumn, release.levels[1]?.nameColumn], ['NAME_0', 'NAME_1']);
    const systemFiles = quality.filter((line) => line.includes('system-files'));
    assert.deepEqual(systemFiles, [`lv0 system-files 4 ${basename(source)}/.DS_Store`]);
    assert.match(release.attribution.join(), /^GADM, https:\/\/gadm\.org/);
  }
});

test('chooses, drops and renames columns; a column of WKT in a CSV file is not an attribute', async () => {
  const csv = join(folder, 'units.csv');
  writeFileSync(csv, 'WKT,GID_0,NAME_0,extra\n"POLYGON((0 0,1 0,1 1,0 0))",AAA,Aland,1\n');
  for (const [columns, expected] of [
    [[], { GID_0: 'AAA', NAME_0: 'Aland', extra: '1' }],
    [['lv0=NAME_0:name', 'extra'], { GID_0: 'AAA', name: 'Aland', extra: '1' }],
    [['-extra'], { GID_0: 'AAA', NAME_0: 'Aland' }],
  ] as [string[], object][]) {
    const { unitsOf } = await published(csv, contentOptionsFrom({ columns }));
    assert.deepEqual(Object.entries(unitsOf(0)[0].properties), Object.entries({ fid: 1, ...expected }));
  }
  await assert.rejects(published(csv, contentOptionsFrom({ columns: ['extr'] })), {
    message: /^--columns extr: no layer has a column extr$/,
    remedy: /use one of: extra, .*; of one level only: --columns lv1=extr$/,
  });
  const message = /^--columns lv0=-extr: .*units\.csv: layer units has no column extr$/;
  await assert.rejects(published(csv, contentOptionsFrom({ columns: ['lv0=-extr'] })), { message });
});

test('--columns without a level applies to the levels that have the column', async () => {
  const { columnsOf } = await published(aaa, { columns: [{ level: undefined, value: '-NAME_2,NAME_1:name' }] });
  assert.deepEqual(columnsOf(0), ['fid', 'GID_0', 'COUNTRY']);
  assert.deepEqual(columnsOf(1), ['fid', 'GID_1', 'GID_0', 'COUNTRY', 'name']);
  assert.deepEqual(columnsOf(2), ['fid', 'GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'name']);
});

test('a dataset that is recognised gives its credit and licence, which --attribution and --licence replace; of any other there is a remark', async () => {
  const written = (file: string, name: string, ...columns: string[]): string => {
    const layer = squares(name, ['GID_0', ...columns], ['AAA', ...columns.map(() => 'x')]);
    return writeDataset(join(folder, `${file}.gpkg`), 'GPKG', [layer]);
  };
  for (const [expected, ofDataset, file, name, ...columns] of [
    [/^GADM, .*no redistribution/, GADM_LICENCE, 'gadm_4', 'ADM_0'],
    [/^GADM,/, GADM_LICENCE, 'old', 'a', 'ID_0', 'ISO', 'NAME_0'],
    [/^Made with Natural Earth/, NATURAL_EARTH, 'a', 'ne_10m_admin_0_countries'],
    [/^geoBoundaries, .*CC BY 4\.0/, 'CC-BY-4.0', 'b', 'a', 'shapeGroup', 'shapeID', 'shapeType'],
    [/EuroGeographics/, GISCO, 'c', 'a', 'NUTS_ID', 'LEVL_CODE'],
    [/^OCHA/, undefined, 'd', 'a', 'ADM0_PCODE'],
    [/^OCHA/, undefined, 'd2', 'a', 'admin1Pcod'],
  ] as [RegExp, string | undefined, string, string, ...string[]][]) {
    const { credits, licence } = describeDataset({ source: [written(file, name, ...columns)], levels: LEVELS });
    assert.match(credits.join('\n'), expected);
    assert.deepEqual([credits.length, licence], [1, ofDataset]);
  }
  const own = await published(join(folder, 'gadm_4.gpkg'), { attribution: ['Mine'], licence: 'CC0-1.0' });
  assert.deepEqual([own.release.attribution, own.release.licence], [['Mine'], 'CC0-1.0']);
  const said: string[] = [];
  const report = { ...SILENT, note: (text: string) => void said.push(text) };
  const release = await build(buildOptions(written('e', 'a'), join(folder, 'unknown')), report);
  assert.deepEqual([release.attribution, release.licence, said.length], [[], undefined, 1]);
  assert.match(said[0] ?? '', /^no attribution: .*--attribution TEXT/);
});

/** The words of a command that a document breaks into lines. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll('\\\n', '').matchAll(/"([^"]*)"|(\S+)/g);
  return Array.from(words, ([, text, word]) => text ?? word ?? '');
}

test("README's first data of one's own is a file of npm with states and counties, one without a shape", async () => {
  const [, section = ''] = /## Publish your own data\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const [, command = ''] = /generator\/main\.ts (build .*?)\nnpx/s.exec(section) ?? [];
  const here = temporaryFolder();
  mkdirSync(join(here, 'package'));
  const unit = (id: string, arcs: number[][]) => ({ type: 'Polygon', arcs, id, properties: { name: id } });
  const ring = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 0],
  ];
  const objects = {
    counties: { type: 'GeometryCollection', geometries: [unit('04015', [[0]]), unit('51610', [])] },
    states: { type: 'GeometryCollection', geometries: [unit('04', [[0]])] },
    nation: { type: 'GeometryCollection', geometries: [{ type: 'Polygon', arcs: [[0]] }] },
  };
  writeFileSync(
    join(here, 'package', 'counties-10m.json'),
    JSON.stringify({ type: 'Topology', objects, arcs: [ring] }),
  );
  const { status, stdout, stderr } = await typed('generator', [...wordsOf(command), '--workers', '0', '--no-tiles'], {
    cwd: here,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^lv1 +states +1 /m);
  assert.match(stdout, /^lv2 +counties +2 /m);
  assert.match(stdout, /^Credit: U\.S\. Census Bureau, public domain$/m);
  assert.doesNotMatch(section, /gadm/i);
});

test("DATA.md's line for Shapefiles of a country in its national grid gives units in WGS 84", async () => {
  const command = codeIn('generator/DATA.md', 'sh', 'DEPARTEMENT.shp').replace(/^npx tsx \S+ /, '');
  const here = temporaryFolder();
  const epsg = 2154;
  const wkt = square(650_000, 6_860_000, 10_000);
  for (const [name, columns, values] of [
    ['DEPARTEMENT', ['NOM', 'INSEE_DEP'], ['Paris', '75']],
    ['COMMUNE', ['NOM', 'INSEE_COM', 'INSEE_DEP'], ['Paris', '75056', '75']],
  ] as const)
    writeDataset(join(here, `${name}.shp`), 'ESRI Shapefile', [{ name, columns, features: [{ values, wkt }], epsg }]);
  const { status, stdout, stderr } = await typed('generator', [...wordsOf(command), '--workers', '0', '--no-tiles'], {
    cwd: here,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^lv2 +COMMUNE +1 .* 2\.\d+ 48\.\d+ 2\.\d+ 48\.\d+$/m);
  assert.match(stdout, /^Credit: IGN, ADMIN EXPRESS\nLicence: etalab-2\.0$/m);
});

test("DATA.md's line for Overture makes a level of each subtype, with parents by place", async () => {
  const command = codeIn('generator/DATA.md', 'sh', 'divisions.gpkg').replace(/^npx tsx \S+ /, '');
  const here = temporaryFolder();
  const units = [
    [['NL', 'Nederland', 'country'], square(0, 0, 10)],
    [['u', 'Utrecht', 'region'], square(0, 0, 5)],
    [['s', 'Soest', 'county'], square(0, 0, 1)],
    [['n', 'a neighborhood', 'neighborhood'], square(0, 0, 1)],
  ] as const;
  const features = units.map(([values, wkt]) => ({ values, wkt }));
  writeDataset(join(here, 'divisions.gpkg'), 'GPKG', [
    { name: 'divisions', columns: ['code', 'name', 'subtype'], features },
  ]);
  const { status, stdout, stderr } = await typed('generator', [...wordsOf(command), '--workers', '0', '--no-tiles'], {
    cwd: here,
  });
  assert.equal(status, 0, stderr);
  for (const level of ['lv0', 'lv1', 'lv2']) assert.match(stdout, new RegExp(`^${level} +divisions +1 `, 'm'));
  assert.match(stdout, /^Credit: © OpenStreetMap contributors, .*\nLicence: ODbL-1\.0$/m);
});

test('the lines of DATA.md for other downloads are those of README.md beside it', () => {
  const lines = readFileSync('generator/DATA.md', 'utf8').matchAll(/`(build --(?:config|source) [^`]+)`/g);
  const readme = readFileSync('generator/README.md', 'utf8');
  const named = Array.from(lines, ([, line = '']) => line);
  assert.ok(named.length > 3);
  assert.deepEqual(
    named.filter((line) => !line.includes('FILE') && !readme.includes(`\`${line}\``)),
    [],
  );
});

test('build says whose data it has recognised, its licence, and that GADM is not for everybody', async () => {
  const out = temporaryFolder();
  const args = ['build', '--source', aaa, '--release', 'r1', '--out', out, '--workers', '0', '--no-tiles'];
  const { stdout } = await typed('generator', args);
  const told = `Credit: GADM, ${GADM_LICENCE} \\(.*no redistribution\\)\nLicence: ${GADM_LICENCE}\n.* do not serve .* --public\\.\n`;
  assert.match(stdout, new RegExp(`^${told}`, 'm'));
});
