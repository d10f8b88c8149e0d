// Columns with names in languages, and with codes, of published datasets: the build names them, and takes those that are
// asked for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildOptions } from '../../support/releases/build-release.ts';
import { filesOf, published, testSource, typedOptions } from '../../support/releases/source-cases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The lines that say what can be asked for. */
const offers = (...lines: string[]) => ({ 'published with': lines });

const OCHA = squares(
  'adm0',
  ['ADM0_PCODE', 'ADM0_EN', 'ADM0_FR', 'adm0_ar', 'ADM0_REF'],
  ['TD', 'Chad', 'Tchad', 'تشاد', 'x'],
  ['CM', 'Cameroon', null, 'NA', 'x'],
);

testSource("the build names OCHA's languages and takes none by itself", {
  source: OCHA,
  says: offers('names in ar, fr: published with --languages ar,fr, or all'),
  'lv0 names': ['', '', ''],
  'release.languages': [],
  'release.levels.0.nameColumns': undefined,
});

testSource('--languages takes columns by their tags, and that of the default names; it is recorded', {
  source: OCHA,
  '--languages FR': {
    says: {
      'names in ADM0_EN (and in en, fr)': [/^lv0: /],
      ...offers('names in ar: published with --languages ar, or all'),
    },
    'lv0 names': ['name:en, name:fr', 'Chad, Tchad', 'Cameroon, null'],
    'release.levels.0.nameColumn': 'ADM0_EN',
    'release.levels.0.nameColumns': { en: 'ADM0_EN', fr: 'ADM0_FR' },
    'release.languages': ['en', 'fr'],
    'release.options': { languages: ['fr'] },
  },
});

testSource('all takes every language; a column that --name-column names comes before a known one', {
  source: OCHA,
  '--languages all --name-column lv0=ADM0_FR lv0:ar=ADM0_REF': {
    says: offers(),
    'lv0 names': ['name:ar, name:en, name:fr', 'x, Chad, Tchad', 'x, Cameroon, null'],
  },
});

const EARTH = '--gid-column lv0=ADM0_A3 lv1=adm1_code lv1:lv0=adm0_a3 --name-column lv0=NAME';

testSource("Natural Earth's names and codes are known; -99 and X01~ are no codes, and what ends in EH comes first", {
  source: filesOf(
    squares(
      'ne_10m_admin_0_countries',
      ['ADM0_A3', 'NAME', 'NAME_EN', 'name_zht', 'ISO_A2', 'ISO_A2_EH', 'ISO_A3', 'FIPS'],
      ['FRA', 'Fr.', 'France', '法國', '-99', 'FR', 'FRA', 'FR0'],
      ['XKO', 'Kosovo', 'Kosovo', null, '-99', '-99', '-99', 'KV'],
    ),
    squares(
      'ne_10m_admin_1_states',
      ['adm1_code', 'adm0_a3', 'name', 'name_en', 'iso_a2', 'iso_3166_2'],
      ['FRA-1', 'FRA', 'Nord', 'Nord', 'FR', 'FR-59'],
      ['KOS-1', 'XKO', 'Peć', 'Peja', '-99', '-99-X01~'],
      ['FRA-2', 'FRA', 'Clipperton', 'Clipperton', 'FR', 'FR-X02~'],
    ),
  ),
  [EARTH]: {
    says: offers(
      'names in en, zh-Hant: published with --languages en,zh-Hant, or all',
      'codes iso-3166-2, iso2, iso3: published with --codes iso-3166-2,iso2, or all',
    ),
  },
  [`${EARTH} --languages zh-hant --codes iso2,iso-3166-2`]: {
    'lv0 names': ['code:iso2, name:zh-Hant', 'FR, 法國', 'null, null'],
    'lv1 names': ['code:iso-3166-2', 'FR-59', 'null', 'null'],
    'release.levels.1.codeColumns': { 'iso-3166-2': 'iso_3166_2' },
  },
});

const regions = squares(
  'ADM_1',
  ['GID_0', 'GID_1', 'NAME_1', 'NL_NAME_1', 'HASC_1', 'CC_1', 'ISO_1'],
  ['CHN', 'CHN.1_1', 'Anhui', '安徽|安徽省', 'CN.AH', 'NA', 'CN-AH'],
  ['CHN', 'CHN.2_1', 'Hunan', 'NA', 'CN.HN', '43', ''],
);

testSource("GADM's local names are und, of several the first; its codes are known by their keys", {
  source: regions,
  '--languages all --codes all': {
    'lv1 names': ['code:cc, code:hasc, code:iso-3166-2, name:und', 'null, CN.AH, CN-AH, 安徽', '43, CN.HN, null, null'],
  },
});

const districts = squares(
  'adm2',
  ['ADM0_PCODE', 'ADM2_PCODE', 'ADM1_PCODE', 'ADM1_EN', 'ADM1_FR'],
  ['TD', 'TD0', 'TD01', 'North', 'Nord'],
  ['TD', 'TD1', 'TD01', 'North', 'Nord'],
  ['TD', 'TD2', 'TD02', 'South', 'Sud'],
  ['TD', 'TD3', 'TD02', 'South', 'Midi'],
  ['TD', 'TD4', 'TD03', 'East', 'Est'],
  ['TD', 'TD5', 'TD03', 'East', 'Orient'],
);

testSource('a level made from another keeps its languages, also where its features differ', {
  source: districts,
  '--languages fr --dissolve lv1=lv2': {
    'lv1 names': ['name:en, name:fr', 'North, Nord', 'South, null', 'East, null'],
  },
});

const CENSUS = '--gid-column lv0=STATEFP lv1=GEOID --name-column lv0=STATE --dissolve lv0=lv1';

const counties = squares(
  'counties',
  ['STATEFP', 'GEOID', 'STATE'],
  ['11', '11001', 'District of Columbia'],
  ['10', '10001', 'Delaware'],
  ['10', '10003', 'Delaware'],
);

testSource("a level made from another has none of its pieces' own codes", {
  source: counties,
  [CENSUS]: { says: offers() },
  [`${CENSUS} --codes geoid`]: '--codes geoid: no layer has a column of codes geoid that is known and published',
});

const provinces = squares(
  'ne_10m_admin_1_states',
  ['adm1_code', 'adm0_a3', 'admin', 'name', 'name_fr', 'iso_a2', 'iso_3166_2'],
  ['MCO-1', 'MCO', 'Monaco', 'Fontvieille', 'Fontvieille', 'MC', 'MC-FO'],
  ['ESP-1', 'ESP', 'Spain', 'Sevilla', 'Séville', 'ES', 'ES-SE'],
  ['ESP-2', 'ESP', 'Spain', 'Navarra', 'Navarre', 'ES', 'ES-NA'],
);

testSource("a level made from another has none of its pieces' own names, and the codes that all have", {
  source: provinces,
  '--gid-column lv0=adm0_a3 lv1=adm1_code --name-column lv0=admin --dissolve lv0=lv1 --languages all --codes all': {
    'lv0 names': ['code:iso2', 'MC', 'ES'],
    'release.levels.1.nameColumns': { fr: 'name_fr' },
    'release.levels.1.codeColumns': { 'iso-3166-2': 'iso_3166_2' },
  },
});

const single = squares(
  'gadm_410',
  ['GID_0', 'NAME_0', 'GID_1', 'NAME_1', 'NL_NAME_1', 'ISO_1', 'GID_2', 'NAME_2', 'CC_2'],
  ['CHN', 'China', 'CHN.1_1', 'Anhui', '安徽', 'CN-AH', 'CHN.1.1_1', 'Hefei', '3401'],
  ['CHN', 'China', 'CHN.1_1', 'Anhui', '安徽', 'CN-AH', 'CHN.1.2_1', 'Wuhu', '3402'],
  ['CHN', 'China', 'CHN.2_1', 'Macau', '澳门', 'CN-MO', '', '', ''],
);

testSource("GADM's single layer: languages and codes of all levels are named, and taken if asked for", {
  source: single,
  says: offers(
    'names in und: published with --languages und, or all',
    'codes cc, iso-3166-2: published with --codes cc,iso-3166-2, or all',
  ),
  '--languages und --codes cc,iso-3166-2': {
    'lv1 names': ['code:iso-3166-2, name:und', 'CN-AH, 安徽', 'CN-MO, 澳门'],
    'release.levels.2.codeColumns': { cc: 'CC_2' },
  },
  '--languages und --tile-languages fr': { remedy: 'it has und: add --languages fr, or leave it out' },
  '--name-column lv1:fr=NL_NAME': /--name-column lv1=NL_NAME: .*layer gadm_410 has no such column/,
});

test('a dry run refuses a language of tiles that the release does not have, as the build does', async () => {
  const folder = temporaryFolder();
  const source = writeDataset(join(folder, 'dry.gpkg'), 'GPKG', [OCHA]);
  await assert.rejects(forecast(buildOptions(source, folder, typedOptions('--tile-languages fr')), SILENT), {
    message: '--tile-languages fr: the release has no names in fr',
    remedy: 'it has none in any language: add --languages fr, or leave it out',
  });
});

testSource('codes that are the GIDs of the level are no codes beside them', {
  source: [squares('nuts', ['NUTS_ID', 'NAME_LATN', 'FIPS'], ['ES', 'España', 'SP'])],
  '--gid-column lv0=NUTS_ID --codes all': { says: offers(), 'lv0 names': ['code:fips', 'SP'] },
});

testSource('of several layers the first that has a column decides; those without it have none, and the build says so', {
  source: filesOf(OCHA, squares('other', ['ADM0_PCODE', 'ADM0_EN', 'admin0Name_fr'], ['NG', 'Nigeria', 'Nigéria'])),
  '--languages fr': {
    says: { 'no column': ['lv0: no column ADM0_FR in other.gpkg: layer other: its units have no name in fr'] },
    'lv0 names': ['name:en, name:fr', 'Chad, Tchad', 'Cameroon, null', 'Nigeria, null'],
  },
});

testSource('a language or a code that no published column has is refused with those that there are', {
  source: OCHA,
  '--languages de': {
    refused: '--languages de: no layer has a column of names in de that is known and published',
    remedy: 'use some of ar, en, fr; or name the column with --name-column lv1:fr=COLUMN',
  },
  '--languages fr --columns=-ADM0_FR': {
    refused: '--languages fr: no layer has a column of names in fr that is known and published',
    remedy: 'use some of ar, en; or name the column with --name-column lv1:fr=COLUMN',
  },
  '--languages all --columns ADM0_PCODE':
    '--languages all: no layer has a column of names in languages that is known and published',
  '--codes all': {
    refused: '--codes all: no layer has a column of codes that is known and published',
    remedy: 'name the column with --code-column lv3:ine=COLUMN',
  },
  '--languages fr,ar --tile-languages all': {
    refused: '--tile-languages all: the release has no names in all',
    remedy: 'it has ar, en, fr: name those that tiles are to have',
  },
  '--languages fr_FR': /is not a language tag/,
  '--languages fr,': /is not a language tag/,
  '--codes ISO2': /is not a key/,
});

testSource('a code that two units of a level have is said, by its key and both units; one of two levels is not', {
  source: [
    squares('ADM_0', ['GID_0', 'CODE'], ['AAA', '07']),
    squares('ADM_1', ['GID_0', 'GID_1', 'CC_1'], ...['07', 'NA', '07', 'NA'].map((code, i) => ['AAA', `A.${i}`, code])),
  ],
  '--codes cc --code-column lv0:un=CODE': {
    quality: { 'duplicate-codes': ['lv1 duplicate-codes 1 ADM_0.gpkg: layer ADM_1, fid 3 has the cc 07 of fid 1'] },
  },
});

const ARABIC = 'المملكة (العربية) السعودية';
const LONG = 'ن'.repeat(10_000);

testSource('names of 10,000 characters and more, and right-to-left ones, are names in a language as others are', {
  source: [squares('ADM_0', ['GID_0', 'NAME_0', 'AR'], ['SAU', 'Saudi Arabia', ARABIC], ['AAA', 'A', `${LONG}!`])],
  '--name-column lv0:ar=AR': {
    'lv0 names': ['name:ar', ARABIC, LONG],
    'lv0 AR': [ARABIC, `${LONG}!`],
    quality: { 'long-texts': [/^lv0 long-texts 1 /] },
  },
});

test('a build says by how many bytes its languages and codes make names and words larger, and nothing without', async () => {
  const source = writeDataset(join(temporaryFolder(), 'ocha.gpkg'), 'GPKG', [OCHA]);
  const said: string[][] = [[], []];
  const [plain, all] = [await published(source, {}, said[0]), await published(source, { languages: ['all'] }, said[1])];
  const bytesOf = (of: typeof plain, file: 'names' | 'words'): number =>
    of.release.levels.reduce((sum, level) => sum + level[file].bytes, 0);
  const [names, words] = (['names', 'words'] as const).map(
    (file) => `${bytesOf(all, file) - bytesOf(plain, file)} of ${bytesOf(all, file)} bytes of ${file}`,
  );
  const grown = said.map((lines) => lines.filter((line) => line.includes('languages and codes')));
  assert.deepEqual(grown, [[], [`languages and codes take ${names}, ${words}`]]);
  assert.ok(bytesOf(all, 'words') > bytesOf(plain, 'words'));
});
