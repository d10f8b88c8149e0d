// Columns with names in languages, and with codes, of published datasets: the build names them, and takes those that are
// asked for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../../format/element-at.ts';
import { releasePath } from '../../../format/layout.ts';
import type { Level } from '../../../format/levels.ts';
import { NAME_FIELDS } from '../../../format/names.ts';
import { build } from '../../../generator/build.ts';
import { forecast } from '../../../generator/estimate/estimate.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { type FixtureLayer, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildOptions } from '../../support/releases/build-release.ts';
import { readNames } from '../../support/releases/read-index.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let builds = 0;

/** Builds with a command line: what was shown before the end, and a level's names after the columns that all have. */
async function built(
  layers: readonly FixtureLayer[],
  args: Parameters<typeof contentOptionsFrom>[0] = {},
  level: Level = 0,
) {
  const name = join(folder, String(builds++));
  // Layers of one level are in files of their own.
  const source = layers.map((layer, i) => writeDataset(`${name}-${i}.gpkg`, 'GPKG', [layer]));
  const shown: string[] = [];
  const report = { ...SILENT, preview: (lines: readonly string[]) => void shown.push(...lines) };
  const release = await build(buildOptions(source, name, { tiles: undefined, ...contentOptionsFrom(args) }), report);
  const names = readNames(join(name, releasePath('r1')), level);
  const [header = [], ...lines] = names.map((line) => line.slice(NAME_FIELDS.length));
  const { nameColumn, nameColumns } = elementAt(release.levels, level);
  return { release, nameColumn, nameColumns, header, lines, shown, source, out: name };
}

/** The lines that say what can be asked for. */
function offers(shown: readonly string[]): string[] {
  return shown.filter((line) => line.includes('published with'));
}

const OCHA = squares(
  'adm0',
  ['ADM0_PCODE', 'ADM0_EN', 'ADM0_FR', 'adm0_ar', 'ADM0_REF'],
  ['TD', 'Chad', 'Tchad', 'تشاد', 'x'],
  ['CM', 'Cameroon', null, 'NA', 'x'],
);

test("the build names OCHA's languages and takes none by itself", async () => {
  const { release, header, shown } = await built([OCHA]);
  assert.deepEqual(offers(shown), ['names in ar, fr: published with --languages ar,fr, or all']);
  assert.deepEqual([header, release.languages, release.levels[0]?.nameColumns], [[], [], undefined]);
});

test('--languages takes columns by their tags, the language of the default names with them, and is recorded', async () => {
  const { release, header, lines, shown, nameColumn, nameColumns, source, out } = await built([OCHA], {
    languages: ['FR'],
  });
  assert.deepEqual([nameColumn, nameColumns], ['ADM0_EN', { en: 'ADM0_EN', fr: 'ADM0_FR' }]);
  assert.deepEqual(header, ['name:en', 'name:fr']);
  assert.deepEqual(lines, [
    ['Chad', 'Tchad'],
    ['Cameroon', null],
  ]);
  assert.deepEqual([release.languages, release.options], [['en', 'fr'], { languages: ['fr'] }]);
  assert.ok(shown[0]?.includes('names in ADM0_EN (and in en, fr)'), shown[0]);
  assert.deepEqual(offers(shown), ['names in ar: published with --languages ar, or all']);
  await assertAsSource(elementAt(source, 0), out);
});

test('all takes every language; a column that --name-column names comes before a known one', async () => {
  const all = await built([OCHA], { languages: ['all'], 'name-column': ['lv0=ADM0_FR', 'lv0:ar=ADM0_REF'] });
  assert.deepEqual([all.header, offers(all.shown)], [['name:ar', 'name:en', 'name:fr'], []]);
  assert.deepEqual(all.lines, [
    ['x', 'Chad', 'Tchad'],
    ['x', 'Cameroon', null],
  ]);
});

test("Natural Earth's names and codes are known; -99 and X01~ are no codes, and what ends in EH comes first", async () => {
  const countries = squares(
    'ne_10m_admin_0_countries',
    ['ADM0_A3', 'NAME', 'NAME_EN', 'name_zht', 'ISO_A2', 'ISO_A2_EH', 'ISO_A3', 'FIPS'],
    ['FRA', 'Fr.', 'France', '法國', '-99', 'FR', 'FRA', 'FR0'],
    ['XKO', 'Kosovo', 'Kosovo', null, '-99', '-99', '-99', 'KV'],
  );
  const states = squares(
    'ne_10m_admin_1_states',
    ['adm1_code', 'adm0_a3', 'name', 'name_en', 'iso_a2', 'iso_3166_2'],
    ['FRA-1', 'FRA', 'Nord', 'Nord', 'FR', 'FR-59'],
    ['KOS-1', 'XKO', 'Peć', 'Peja', '-99', '-99-X01~'],
    ['FRA-2', 'FRA', 'Clipperton', 'Clipperton', 'FR', 'FR-X02~'],
  );
  const gids = { 'gid-column': ['lv0=ADM0_A3', 'lv1=adm1_code', 'lv1:lv0=adm0_a3'], 'name-column': ['lv0=NAME'] };
  const plain = await built([countries, states], gids);
  assert.deepEqual(offers(plain.shown), [
    'names in en, zh-Hant: published with --languages en,zh-Hant, or all',
    'codes iso-3166-2, iso2, iso3: published with --codes iso-3166-2,iso2, or all',
  ]);
  const { header, lines, release } = await built([countries, states], {
    ...gids,
    languages: ['zh-hant'],
    codes: ['iso2,iso-3166-2'],
  });
  assert.deepEqual(header, ['code:iso2', 'name:zh-Hant']);
  assert.deepEqual(lines, [
    ['FR', '法國'],
    [null, null],
  ]);
  assert.deepEqual(release.levels[1]?.codeColumns, { 'iso-3166-2': 'iso_3166_2' });
  const { header: keys, lines: codes } = await built([countries, states], { ...gids, codes: ['iso-3166-2'] }, 1);
  assert.deepEqual([keys, codes], [['code:iso-3166-2'], [['FR-59'], [null], [null]]]);
});

test("GADM's local names are of no language: und, of several the first; its codes are known by their keys", async () => {
  const units = squares(
    'ADM_1',
    ['GID_0', 'GID_1', 'NAME_1', 'NL_NAME_1', 'HASC_1', 'CC_1', 'ISO_1'],
    ['CHN', 'CHN.1_1', 'Anhui', '安徽|安徽省', 'CN.AH', 'NA', 'CN-AH'],
    ['CHN', 'CHN.2_1', 'Hunan', 'NA', 'CN.HN', '43', ''],
  );
  const { header, lines } = await built([units], { languages: ['all'], codes: ['all'] }, 1);
  assert.deepEqual(header, ['code:cc', 'code:hasc', 'code:iso-3166-2', 'name:und']);
  assert.deepEqual(lines, [
    [null, 'CN.AH', 'CN-AH', '安徽'],
    ['43', 'CN.HN', null, null],
  ]);
});

test('a level that is made from another keeps its languages, also where the features of most units differ', async () => {
  const names = [
    ['TD01', 'North', 'Nord'],
    ['TD01', 'North', 'Nord'],
    ['TD02', 'South', 'Sud'],
    ['TD02', 'South', 'Midi'],
    ['TD03', 'East', 'Est'],
    ['TD03', 'East', 'Orient'],
  ];
  const districts = squares(
    'adm2',
    ['ADM0_PCODE', 'ADM2_PCODE', 'ADM1_PCODE', 'ADM1_EN', 'ADM1_FR'],
    ...names.map((own, i) => ['TD', `TD${i}`, ...own]),
  );
  const { lines } = await built([districts], { languages: ['fr'], dissolve: ['lv1=lv2'] }, 1);
  assert.deepEqual(lines, [
    ['North', 'Nord'],
    ['South', null],
    ['East', null],
  ]);
});

test("a level that is made from another has none of the codes and names that are its pieces' own", async () => {
  const counties = squares(
    'counties',
    ['STATEFP', 'GEOID', 'STATE'],
    ['11', '11001', 'District of Columbia'],
    ['10', '10001', 'Delaware'],
    ['10', '10003', 'Delaware'],
  );
  const census = { 'gid-column': ['lv0=STATEFP', 'lv1=GEOID'], 'name-column': ['lv0=STATE'], dissolve: ['lv0=lv1'] };
  assert.deepEqual(offers((await built([counties], census)).shown), []);
  await assert.rejects(built([counties], { ...census, codes: ['geoid'] }), {
    message: '--codes geoid: no layer has a column of codes geoid that is known and published',
  });
  const provinces = squares(
    'ne_10m_admin_1_states',
    ['adm1_code', 'adm0_a3', 'admin', 'name', 'name_fr', 'iso_a2', 'iso_3166_2'],
    ['MCO-1', 'MCO', 'Monaco', 'Fontvieille', 'Fontvieille', 'MC', 'MC-FO'],
    ['ESP-1', 'ESP', 'Spain', 'Sevilla', 'Séville', 'ES', 'ES-SE'],
    ['ESP-2', 'ESP', 'Spain', 'Navarra', 'Navarre', 'ES', 'ES-NA'],
  );
  const earth = {
    'gid-column': ['lv0=adm0_a3', 'lv1=adm1_code'],
    'name-column': ['lv0=admin'],
    dissolve: ['lv0=lv1'],
  };
  const countries = await built([provinces], { ...earth, languages: ['all'], codes: ['all'] });
  assert.deepEqual([countries.header, countries.lines], [['code:iso2'], [['MC'], ['ES']]]);
  assert.deepEqual(countries.release.levels[1]?.nameColumns, { fr: 'name_fr' });
  assert.deepEqual(countries.release.levels[1]?.codeColumns, { 'iso-3166-2': 'iso_3166_2' });
});

test("the languages and codes of all levels of GADM's single layer are named, and taken when they are asked for", async () => {
  const layer = squares(
    'gadm_410',
    ['GID_0', 'NAME_0', 'GID_1', 'NAME_1', 'NL_NAME_1', 'ISO_1', 'GID_2', 'NAME_2', 'CC_2'],
    ['CHN', 'China', 'CHN.1_1', 'Anhui', '安徽', 'CN-AH', 'CHN.1.1_1', 'Hefei', '3401'],
    ['CHN', 'China', 'CHN.1_1', 'Anhui', '安徽', 'CN-AH', 'CHN.1.2_1', 'Wuhu', '3402'],
    ['CHN', 'China', 'CHN.2_1', 'Macau', '澳门', 'CN-MO', '', '', ''],
  );
  assert.deepEqual(offers((await built([layer])).shown), [
    'names in und: published with --languages und, or all',
    'codes cc, iso-3166-2: published with --codes cc,iso-3166-2, or all',
  ]);
  const { header, lines, release } = await built([layer], { languages: ['und'], codes: ['cc,iso-3166-2'] }, 1);
  assert.deepEqual(header, ['code:iso-3166-2', 'name:und']);
  assert.deepEqual(lines, [
    ['CN-AH', '安徽'],
    ['CN-MO', '澳门'],
  ]);
  assert.deepEqual(release.levels[2]?.codeColumns, { cc: 'CC_2' });
  await assert.rejects(built([layer], { languages: ['und'], 'tile-languages': ['fr'] }), {
    remedy: 'it has und: add --languages fr, or leave it out',
  });
  await assert.rejects(built([layer], { 'name-column': ['lv1:fr=NL_NAME'] }), {
    message: /--name-column lv1=NL_NAME: .*layer gadm_410 has no such column/,
  });
});

test('a dry run refuses a language of tiles that the release does not have, as the build does', async () => {
  const source = [writeDataset(join(folder, 'dry.gpkg'), 'GPKG', [OCHA])];
  const options = buildOptions(source, join(folder, 'dry'), contentOptionsFrom({ 'tile-languages': ['fr'] }));
  await assert.rejects(forecast(options, SILENT), {
    message: '--tile-languages fr: the release has no names in fr',
    remedy: 'it has none in any language: add --languages fr, or leave it out',
  });
});

test('codes that are the GIDs of the level are no codes beside them', async () => {
  const regions = squares('nuts', ['NUTS_ID', 'NAME_LATN', 'FIPS'], ['ES', 'España', 'SP']);
  const { shown, header } = await built([regions], { 'gid-column': ['lv0=NUTS_ID'], codes: ['all'] });
  assert.deepEqual([header, offers(shown)], [['code:fips'], []]);
});

test('of several layers the first that has a column decides; those without it have none, and the build says so', async () => {
  const other = squares('adm0', ['ADM0_PCODE', 'ADM0_EN', 'admin0Name_fr'], ['NG', 'Nigeria', 'Nigéria']);
  const { shown, lines } = await built([OCHA, other], { languages: ['fr'] });
  assert.deepEqual(lines.at(-1), ['Nigeria', null]);
  const [said, ...others] = shown.filter((line) => line.includes('no column'));
  assert.match(said ?? '', /^lv0: no column ADM0_FR in \d+-1\.gpkg: layer adm0: its units have no name in fr$/);
  assert.deepEqual(others, []);
});

test('a language or a code that no published column has is refused with those that there are', async () => {
  for (const [args, message, remedy] of [
    [
      { languages: ['de'] },
      '--languages de: no layer has a column of names in de that is known and published',
      'use some of ar, en, fr; or name the column with --name-column lv1:fr=COLUMN',
    ],
    [
      { languages: ['fr'], columns: ['-ADM0_FR'] },
      '--languages fr: no layer has a column of names in fr that is known and published',
      'use some of ar, en; or name the column with --name-column lv1:fr=COLUMN',
    ],
    [
      { codes: ['all'] },
      '--codes all: no layer has a column of codes that is known and published',
      'name the column with --code-column lv3:ine=COLUMN',
    ],
    [
      { languages: ['fr,ar'], 'tile-languages': ['all'] },
      '--tile-languages all: the release has no names in all',
      'it has ar, en, fr: name those that tiles are to have',
    ],
  ] as const)
    await assert.rejects(built([OCHA], args), { message, remedy });
  for (const args of [{ languages: ['fr_FR'] }, { codes: ['ISO2'] }, { languages: ['fr,'] }])
    assert.throws(() => contentOptionsFrom(args), /is not a (language tag|key)/);
  await assert.rejects(built([squares('ADM_0', ['GID_0'], ['SAU'])], { languages: ['all'] }), {
    message: '--languages all: no layer has a column of names in languages that is known and published',
  });
});

test('a code that two units of a level have is said, by its key and both units; one of two levels is not', async () => {
  const columns = ['GID_0', 'GID_1', 'CC_1'];
  const rows = [
    ['AAA', 'A.1', '07'],
    ['AAA', 'A.2', 'NA'],
    ['AAA', 'A.3', '07'],
    ['AAA', 'A.4', 'NA'],
  ];
  const countries = squares('ADM_0', ['GID_0', 'CODE'], ['AAA', '07']);
  const asked = { codes: ['cc'], 'code-column': ['lv0:un=CODE'] };
  const { release } = await built([countries, squares('ADM_1', columns, ...rows)], asked);
  const found = release.quality.filter(({ kind }) => kind === 'duplicate-codes');
  assert.deepEqual(
    found.map(({ level, count, example }) => [level, count, example.replace(/^.*?, /, '')]),
    [[1, 1, 'fid 3 has the cc 07 of fid 1']],
  );
});

test('names of 10,000 characters and more, and right-to-left ones, are names in a language as others are', async () => {
  const [long, arabic] = ['ن'.repeat(10_000), 'المملكة (العربية) السعودية'];
  const countries = squares(
    'ADM_0',
    ['GID_0', 'NAME_0', 'AR'],
    ['SAU', 'Saudi Arabia', arabic],
    ['AAA', 'A', `${long}!`],
  );
  const { lines, release, source, out } = await built([countries], { 'name-column': ['lv0:ar=AR'] });
  assert.deepEqual(lines, [[arabic], [long]]);
  assert.deepEqual(
    release.quality.filter(({ kind }) => kind === 'long-texts').map(({ count }) => count),
    [1],
  );
  // The properties have them whole; the oracle has compared words.
  await assertAsSource(elementAt(source, 0), out);
});

test('a build says by how many bytes its languages and codes make names and words larger, and nothing without', async () => {
  const grown = (shown: readonly string[]): string[] => shown.filter((line) => line.includes('languages and codes'));
  const [plain, all] = [await built([OCHA]), await built([OCHA], { languages: ['all'] })];
  const bytesOf = (of: typeof plain, file: 'names' | 'words'): number =>
    of.release.levels.reduce((sum, level) => sum + level[file].bytes, 0);
  const [names, words] = (['names', 'words'] as const).map(
    (file) => `${bytesOf(all, file) - bytesOf(plain, file)} of ${bytesOf(all, file)} bytes of ${file}`,
  );
  assert.deepEqual([grown(plain.shown), grown(all.shown)], [[], [`languages and codes take ${names}, ${words}`]]);
  assert.ok(bytesOf(all, 'words') > bytesOf(plain, 'words'));
});
