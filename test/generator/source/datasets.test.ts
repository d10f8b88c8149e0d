// Datasets as they are downloaded: GADM 2, geoBoundaries, NUTS, OCHA COD, Natural Earth; whom a release credits; and the
// lines of the documents that build them.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { attributionOf } from '../../../generator/options/attribution.ts';
import { attributionsFrom, contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { describeDataset } from '../../../generator/source/level-sources.ts';
import {
  type FixtureLayer,
  layerOf,
  square,
  squares,
  writeDataset,
  writeFiles,
} from '../../support/datasets/write-dataset.ts';
import { zipFolder } from '../../support/datasets/write-zip.ts';
import { send, textOf } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { typed } from '../../support/processes/typed.ts';
import { codeIn, wordsOf } from '../../support/readme-code.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import {
  filesOf,
  LEAST,
  pathsOf,
  published,
  type Source,
  testSource,
  typedOptions,
  writeTexts,
} from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const GADM_LICENCE = 'https://gadm.org/license.html';
const NATURAL_EARTH = 'https://www.naturalearthdata.com/about/terms-of-use/';
const GISCO = 'https://ec.europa.eu/eurostat/web/gisco/geodata/administrative-units';

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

test('geoBoundaries as it is downloaded: parents by place; copies are skipped; its metadata have the licence', async () => {
  const layers = geoBoundariesLayers();
  const whole = join(folder, 'gb-whole');
  const stated = (licences: readonly string[]): void => {
    const metadata = [0, 1, 2].map((level) => [
      `ADM${level}/geoBoundaries-FRA-ADM${level}-metaData.json`,
      JSON.stringify({ boundaryLicense: licences[level] ?? licences[0], licenseSource: 'https//example.org/terms' }),
    ]);
    writeTexts(whole, Object.fromEntries(metadata));
  };
  stated([OPEN_DATABASE]);
  for (const [n, layer] of layers.entries()) {
    const level = join(whole, `ADM${n}`);
    writeFiles(level, 'GeoJSON', [layer]);
    for (const ending of ['', '_simplified'])
      writeDataset(join(level, `${layer.name}${ending}.shp`), 'ESRI Shapefile', [layer]);
    for (const ending of ['_simplified.geojson', '.topojson', '-all.zip', '-metaData.txt', '-PREVIEW.png'])
      writeFileSync(join(level, `${layer.name}${ending}`), '');
  }
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
    stated(licences);
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

testSource('geoBoundaries of 3.x has another name for its metadata, which has the licence', {
  source: (whole) => {
    const [first = ''] = writeFiles(whole, 'GeoJSON', geoBoundariesLayers('geoBoundaries-3_0_0'));
    for (const ending of ['.shp', '.topojson', '-all.zip']) writeFileSync(first.replace('.geojson', ending), '');
    for (const level of [0, 1, 2])
      writeFileSync(join(whole, `FRA-ADM${level}-metaData.json`), JSON.stringify({ boundaryLicense: 'CC BY 3.0' }));
    return whole;
  },
  options: GEO_BOUNDARIES,
  counts: COUNTS,
  'release.licence': 'CC-BY-3.0',
});

// NUTS 2013 and 2016 have units below UKN0 that begin with UKN1.
const CODES = 'AT AT1 AT2 AT11 AT21 AT111 AT112 AT211 UK UKN UKN0 UKN06 UKN16'.split(' ');

testSource('NUTS: one layer for four levels, parents from the code, the layer of any year named by no option', {
  source: squares(
    'NUTS_RG_20M_2016_4326',
    ['NUTS_ID', { name: 'LEVL_CODE', type: gdal.OFTInteger }, 'CNTR_CODE', 'NAME_LATN'],
    ...CODES.map((code) => [code, code.length - 2, code.slice(0, 2), `Name of ${code}`]),
  ),
  options: optionsIn('nuts'),
  counts: [2, 3, 3, 5],
  'lv3 fid NUTS_ID NUTS_1 NUTS_2': [
    '6, AT111, AT1, AT11',
    '7, AT112, AT1, AT11',
    '8, AT211, AT2, AT21',
    '12, UKN06, UKN, UKN0',
    '13, UKN16, UKN, UKN0',
  ],
});

/** How downloads of COD name layers of areas, points and lines, and columns: today, and before 2025. */
const COD_NAMES = [
  ['caf_admin', 'caf_admin1points', 'caf_adminlines', 'adm#_name adm#_pcode', 'valid_on valid_to'],
  ['nga_admbnda_adm', 'nga_admbndp_admALL', 'nga_admbndl_admALL', 'ADM#_EN ADM#_PCODE', 'validOn validTo'],
  ['lka_admbnda_adm', 'lka_admbndp_admALL', 'lka_admbndl_admALL', 'admin#Name admin#Pcod', 'validOn validTo'],
] as const;

/** Layers as downloads of COD have them: the areas of three levels, label points and border lines. */
function codLayers([areas, points, lines, names, valid]: (typeof COD_NAMES)[number]) {
  const layer = (name: string, n: number, wkt: string): FixtureLayer => {
    const levels = [...Array(n + 1).keys()];
    const columns = [...levels.map((i) => names.replaceAll('#', String(i))), valid].join(' ').split(' ');
    const values = levels.flatMap((i) => [`Name ${i}`, `X${'0'.repeat(i)}`]).concat('x', 'y');
    return { name, columns, features: [{ values, wkt }] };
  };
  return {
    areas: [0, 1, 2].map((n) => layer(`${areas}${n}`, n, square(0, 0))),
    points: layer(points, 1, 'POINT Z (0.5 0.5 0)'),
    lines: layerOf(lines, ['right_pcod'], [[['x'], 'LINESTRING (0 0, 0 1)']]),
  };
}

const [CAF] = COD_NAMES;

/** Shapefiles in a folder, which is the source, or their archive. */
function shapefiles(layers: readonly FixtureLayer[], isArchive = false): Source {
  return (here) => {
    writeFiles(join(here, 'files'), 'ESRI Shapefile', layers);
    return isArchive ? zipFolder(join(here, 'files'), join(here, 'archive.shp.zip')) : join(here, 'files');
  };
}

for (const [names, isArchive] of [...COD_NAMES.map((names) => [names, false] as const), [CAF, true] as const]) {
  const { areas, points, lines } = codLayers(names);
  testSource(
    `OCHA COD, ${names[0]}${isArchive ? ' in an archive' : ''}: areas are levels, points and lines left out, which is said`,
    {
      source: shapefiles([...areas, points, lines], isArchive),
      options: typedOptions(`--columns=-${names[4].replace(' ', ',-')}`),
      counts: [1, 1, 1],
      'lv1 columns': ['fid', ...[0, 1].flatMap((n) => names[3].replaceAll('#', String(n)).split(' '))],
      'release.levels.2.nameColumn': names[3].split(' ')[0]?.replace('#', '2'),
      quality: { unused: [new RegExp(` 2 .*${[points.name, lines.name].sort().join('.*')}$`)] },
      besides: ({ release }) => assert.match(release.attribution.join(), /^OCHA/),
    },
  );
}

const COD = codLayers(CAF);
const NO_AREAS = /lv1: 1 unit has a geometry that is not a polygon /;

testSource('points are refused where no layer has the areas', {
  source: shapefiles([...COD.areas.slice(0, 1), COD.points]),
  refused: NO_AREAS,
});

testSource('points are refused where only another download has the areas', {
  source: (here) => {
    writeFiles(join(here, 'areas'), 'ESRI Shapefile', COD.areas);
    writeFiles(join(here, 'points'), 'ESRI Shapefile', [...COD.areas.slice(0, 1), COD.points]);
    return [join(here, 'areas'), join(here, 'points')];
  },
  refused: NO_AREAS,
});

testSource('lines alone are no level', {
  source: shapefiles([COD.lines]),
  refused: /caf_adminlines\.shp: no layer has GID columns/,
});

testSource('points are left out of one file with the areas, and refused where an option names them', {
  source: [...COD.areas, { ...COD.points, type: gdal.wkbPoint25D }, COD.lines],
  counts: [1, 1, 1],
  '--layer lv1=caf_admin1points': NO_AREAS,
});

test('Natural Earth: layers and columns by name, from a config file, whose paths are relative to it', async () => {
  const here = temporaryFolder();
  writeFiles(here, 'ESRI Shapefile', [
    squares('ne_10m_admin_0_countries', ['ADM0_A3', 'NAME', 'TYPE'], ['AUT', 'Austria', 'Country']),
    squares(
      'ne_10m_admin_1_states_provinces',
      ['adm1_code', 'adm0_a3', 'name', 'type_en'],
      ['AUT-1', 'AUT', 'Tirol', 'State'],
    ),
  ]);
  const config = join(here, 'natural-earth.json');
  copyFileSync('generator/examples/natural-earth.json', config);
  const { stdout } = await typed('generator', ['build', '--config', config, '--out', join(here, 'out'), ...LEAST]);
  const { release, levels, attribution, licence }: Release = JSON.parse(stdout);
  assert.deepEqual([release, licence], ['natural-earth', NATURAL_EARTH]);
  assert.deepEqual(levels[1]?.gidColumns, ['adm0_a3', 'adm1_code']);
  assert.deepEqual([levels[0]?.typeColumn, levels[1]?.typeColumn], ['TYPE', 'type_en']);
  assert.match(attribution.join(), /^Made with Natural Earth, /);
});

/** GADM 2 for one country as it is downloaded: each Shapefile with its attributes once more as CSV, and a licence. */
function writeGadm2(path: string): string {
  const country = ['ID_0', 'ISO', 'NAME_0'];
  const nepal = ['157', 'NPL', 'Nepal'];
  const regions = [...country, { name: 'ID_1', type: gdal.OFTInteger }, 'NAME_1'];
  writeFiles(path, 'ESRI Shapefile', [
    layerOf('NPL_adm0', country, [[nepal, square(0, 0, 8)]]),
    squares('NPL_adm1', regions, [...nepal, 1, 'R1'], [...nepal, 2, 'R2']),
  ]);
  writeTexts(path, {
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
  });
  return path;
}

for (const [what, pathOf] of [
  ['a folder', (path: string) => path],
  ['an archive', (path: string) => zipFolder(path, `${path}_shp.zip`)],
] as const)
  testSource(`GADM 2 in ${what}: GIDs of ISO and the ID columns, no layers of CSV files, system files said once`, {
    source: (here) => pathOf(writeGadm2(join(here, 'NPL_adm'))),
    counts: [1, 2],
    'lv1 GID_1': ['NPL.1', 'NPL.2'],
    'lv1 columns': ['fid', 'ID_0', 'ISO', 'NAME_0', 'ID_1', 'NAME_1', 'GID_1'],
    'release.levels.1.gidColumns': ['ISO', 'GID_1'],
    'release.levels.0.nameColumn': 'NAME_0',
    'release.levels.1.nameColumn': 'NAME_1',
    quality: { 'system-files': [/^lv0 system-files 4 NPL_adm(_shp\.zip)?\/\.DS_Store$/] },
    besides: ({ release }) => assert.match(release.attribution.join(), /^GADM, https:\/\/gadm\.org/),
  });

test('a dataset that is recognised gives its credit and licence', () => {
  for (const [expected, ofDataset, name, ...columns] of [
    [/^GADM, .*no redistribution/, GADM_LICENCE, 'ADM_0'],
    [/^GADM,/, GADM_LICENCE, 'a', 'ID_0', 'ISO', 'NAME_0'],
    [/^Made with Natural Earth/, NATURAL_EARTH, 'ne_10m_admin_0_countries'],
    [/^geoBoundaries, .*CC BY 4\.0/, 'CC-BY-4.0', 'a', 'shapeGroup', 'shapeID', 'shapeType'],
    [/EuroGeographics/, GISCO, 'a', 'NUTS_ID', 'LEVL_CODE'],
    [/^OCHA/, undefined, 'a', 'ADM0_PCODE'],
    [/^OCHA/, undefined, 'a', 'admin1Pcod'],
  ] as [RegExp, string | undefined, string, ...string[]][]) {
    const path = join(temporaryFolder(), name === 'ADM_0' ? 'gadm_4.gpkg' : 'file.gpkg');
    writeDataset(path, 'GPKG', [squares(name, ['GID_0', ...columns], ['AAA', ...columns.map(() => 'x')])]);
    const { credits, licence } = describeDataset({ source: [path], levels: LEVELS });
    assert.match(credits.join('\n'), expected);
    assert.deepEqual([credits.length, licence], [1, ofDataset]);
  }
});

testSource('--attribution and --licence replace the credit and the licence of a recognised dataset', {
  source: squares('gadm_4', ['GID_0', 'ID_0', 'ISO', 'NAME_0'], ['AAA', 'x', 'x', 'x']),
  options: { licence: 'CC0-1.0' },
  '--attribution Mine': { 'release.attribution': ['Mine'], 'release.licence': 'CC0-1.0' },
});

testSource('of a dataset that is not recognised there is a remark', {
  source: squares('a', ['GID_0'], ['AAA']),
  'release.attribution': [],
  'release.licence': undefined,
  says: { attribution: [/^no attribution: .*--attribution TEXT/] },
});

const [OWNERS, CREDITS] = [
  ['© Everybody', 'lv1=© Regions, lv0 too', 'lv0=© Countries'],
  ['© Everybody', '© Countries', '© Regions, lv0 too'],
];

test('a level has the attribution that is given for it, which the service says, its TileJSON and its collection alone', async () => {
  const out = join(folder, 'attribution');
  const source = pathsOf(
    filesOf(
      squares('countries', ['GID_0', 'NAME_0'], ['A', 'Aa']),
      squares('regions', ['GID_0', 'GID_1', 'NAME_1'], ['A', 'A.1', 'North']),
    ),
  );
  const release = await buildRelease(source, out, { attribution: OWNERS, tiles: 0 });
  const ofLevels = [
    ['© Everybody', '© Countries'],
    ['© Everybody', '© Regions, lv0 too'],
  ];
  assert.deepEqual([release.attribution, release.options['attribution']], [CREDITS, OWNERS]);
  assert.deepEqual(
    release.levels.slice(0, 3).map((level) => level.attribution),
    [...ofLevels, undefined],
  );
  const service = await startService(out, { explorer: true });
  const read = async (path: string) => JSON.parse(textOf(await send(service, path)));
  const { attribution: all, levels } = await read('/api/v1/');
  assert.deepEqual(all, CREDITS);
  assert.deepEqual(
    levels.map((level: { attribution: string[] }) => level.attribution),
    ofLevels,
  );
  assert.equal((await read('/api/v1/tiles/lv1.json')).attribution, '© Everybody; © Regions, lv0 too');
  assert.equal((await read('/api/v1/ogc/collections/lv0')).attribution, '© Everybody\n© Countries');
});

const DESCRIBED = {
  attribution: ['World', 'Spain'],
  credits: ['GADM'],
  owners: [
    { level: 0, attribution: ['World'], credits: [] },
    { level: 1, attribution: ['World', 'Spain'], credits: ['GADM'] },
  ],
} as const;

test('without texts for levels a release credits as before, and levels only what their own layers have', () => {
  assert.throws(() => attributionOf(['x'.repeat(10_001)], DESCRIBED), {
    name: 'BuildError',
    message: /^the attribution has a text of 10001 characters, at most 10000 are possible/,
  });
  const spain = { level: 0, attribution: ['World', 'Spain'] } as const;
  const stated = { ...DESCRIBED, credits: [], owners: [{ ...DESCRIBED.owners[0], ...spain }] };
  for (const [{ release, levels }, all, ofCountries] of [
    [attributionOf([], DESCRIBED), ['World', 'Spain', 'GADM'], ['World']],
    [attributionOf(['© ACME'], DESCRIBED), ['© ACME', 'World', 'Spain'], ['© ACME', 'World']],
    [attributionOf([], stated, [['World']]), ['World', 'Spain'], ['World']],
  ] as const)
    assert.deepEqual([release, [...levels]], [all, [[0, ofCountries]]]);
});

test('a text for a level that there is not is refused; one that only begins so is a text', () => {
  assert.throws(() => attributionsFrom(['lv6=© ACME']), { message: /--attribution lv6: not a level/ });
  assert.deepEqual(attributionsFrom(['level 3 = ACME', 'lv3,lv2=A=B']), [
    { level: undefined, value: 'level 3 = ACME' },
    { level: 3, value: 'A=B' },
    { level: 2, value: 'A=B' },
  ]);
});

/** Types a command of a document in a folder; what it prints. */
async function typedIn(here: string, command: string): Promise<string> {
  const args = [...wordsOf(command.replace(/^npx tsx \S+ /, '')), '--workers', '0', '--no-tiles'];
  const { status, stdout, stderr } = await typed('generator', args, { cwd: here });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("README's first data of one's own is a file of npm with states and counties, one without a shape", async () => {
  const [, section = ''] = /## Publish your own data\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const [, command = ''] = /generator\/main\.ts (build .*?)\nnpx/s.exec(section) ?? [];
  const here = temporaryFolder();
  const unit = (id: string, arcs: number[][]) => ({ type: 'Polygon', arcs, id, properties: { name: id } });
  const geometries = {
    counties: [unit('04015', [[0]]), unit('51610', [])],
    states: [unit('04', [[0]])],
    nation: [{ type: 'Polygon', arcs: [[0]] }],
  };
  const objects = Object.entries(geometries).map(([name, own]) => [
    name,
    { type: 'GeometryCollection', geometries: own },
  ]);
  const arcs = '[[[0,0],[10,0],[10,10],[0,0]]]';
  writeTexts(here, {
    'package/counties-10m.json': `{"type":"Topology","objects":${JSON.stringify(Object.fromEntries(objects))},"arcs":${arcs}}`,
  });
  const stdout = await typedIn(here, command);
  assert.match(stdout, /^lv1 +states +1 .*^lv2 +counties +2 .*^Credit: U\.S\. Census Bureau, public domain$/ms);
  assert.doesNotMatch(section, /gadm/i);
});

test("DATA.md's line for Shapefiles of a country in its national grid gives units in WGS 84", async () => {
  const here = temporaryFolder();
  const place = square(650_000, 6_860_000, 10_000);
  writeFiles(here, 'ESRI Shapefile', [
    { ...layerOf('DEPARTEMENT', ['NOM', 'INSEE_DEP'], [[['Paris', '75'], place]]), epsg: 2154 },
    { ...layerOf('COMMUNE', ['NOM', 'INSEE_COM', 'INSEE_DEP'], [[['Paris', '75056', '75'], place]]), epsg: 2154 },
  ]);
  const stdout = await typedIn(here, codeIn('generator/DATA.md', 'sh', 'DEPARTEMENT.shp'));
  assert.match(stdout, /^lv2 +COMMUNE +1 .* 2\.\d+ 48\.\d+ 2\.\d+ 48\.\d+$/m);
  assert.match(stdout, /^Credit: IGN, ADMIN EXPRESS\nLicence: etalab-2\.0$/m);
});

test("DATA.md's line for Overture makes a level of each subtype, with parents by place", async () => {
  const here = temporaryFolder();
  const divisions = layerOf(
    'divisions',
    ['code', 'name', 'subtype'],
    [
      [['NL', 'Nederland', 'country'], square(0, 0, 10)],
      [['u', 'Utrecht', 'region'], square(0, 0, 5)],
      [['s', 'Soest', 'county'], square(0, 0, 1)],
      [['n', 'a neighborhood', 'neighborhood'], square(0, 0, 1)],
    ],
  );
  writeFiles(here, 'GPKG', [divisions]);
  const stdout = await typedIn(here, codeIn('generator/DATA.md', 'sh', 'divisions.gpkg'));
  assert.match(stdout, /^lv0 +divisions +1 .*^lv1 +divisions +1 .*^lv2 +divisions +1 /ms);
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
  const here = temporaryFolder();
  writeFiles(here, 'GPKG', [squares('gadm41_AAA', ['GID_0', 'COUNTRY'], ['AAA', 'Aland'])]);
  const stdout = await typedIn(here, 'build --source gadm41_AAA.gpkg --release r1');
  const told = `Credit: GADM, ${GADM_LICENCE} \\(.*no redistribution\\)\nLicence: ${GADM_LICENCE}\n.* do not serve .* --public\\.\n`;
  assert.match(stdout, new RegExp(`^${told}`, 'm'));
});
