// What a newcomer's data meets in the first hour: columns that are no codes, files that share a column, texts in another
// encoding. No advice publishes something wrong in silence when it is followed with data for which it is wrong.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from '../../../generator/build.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { type FixtureLayer, layerOf, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildOptions } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();

function file(name: string, layer: FixtureLayer): string {
  return writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [{ ...layer, name }]);
}

/** Builds with a command line: what was shown before the end, and the error if there is one. */
async function tried(source: string[], args: Parameters<typeof contentOptionsFrom>[0]) {
  const shown: string[] = [];
  const report = { ...SILENT, preview: (lines: readonly string[]) => void shown.push(...lines) };
  const options = buildOptions(source, join(temporaryFolder(), 'out'), contentOptionsFrom(args));
  try {
    await build(options, report);
    return { shown };
  } catch (error) {
    assert.ok(error instanceof BuildError, String(error));
    return { shown, error };
  }
}

const CODES = { 'gid-column': ['lv1=code'], 'name-column': ['lv1=name'] };
const provinces = squares(
  'provinces',
  ['code', 'name', 'id', 'country'],
  ['AE02', 'Al Dhahira', 'OM1', 'OM'],
  ['AE02', 'Ajman', 'AE1', 'AE'],
  ['AE03', 'Dubai', 'AE2', 'AE'],
);

test('for a column that is no code, --dissolve is not offered; columns without repetition are', async () => {
  const { error } = await tried([file('provinces', provinces)], CODES);
  assert.match(error?.message ?? '', /lv1: 1 unit has the GID of another unit /);
  assert.match(
    error?.remedy ?? '',
    /^code is probably no code of level 1: AE02 is Al Dhahira and Ajman; columns without repetition: id, e\.g\. --gid-column lv1=id; or fix/,
  );
  const { counts } = await published(
    join(folder, 'provinces.gpkg'),
    contentOptionsFrom({ ...CODES, 'gid-column': ['lv1=id'] }),
  );
  assert.equal(counts[1], 3);
});

test('a column whose name a shell would divide is advised as one word', async () => {
  const columns = ['code', 'name', "the region's id", 'part'];
  const rows = [
    ['1', 'Aa', 'x', 'A'],
    ['1', 'Bb', 'y', 'B'],
  ];
  const source = file('spaced', squares('spaced', columns, ...rows));
  const { error } = await tried([source], CODES);
  assert.ok(error?.remedy.includes(String.raw`e.g. --gid-column 'lv1=the region'\''s id'; or `), error?.remedy);
});

test('codes that repeat in each parent are to be composed, which the remedy says', async () => {
  const source = file('repeated', squares('repeated', ['part', 'code', 'name'], ['A', '1', 'Aa'], ['B', '1', 'Bb']));
  const args = { 'gid-column': ['lv1=part', 'lv2=code'], layer: ['lv2=repeated'], 'name-column': ['lv2=name'] };
  const { error } = await tried([source], args);
  assert.match(
    error?.remedy ?? '',
    /^code is no code of its own: 1 is in A and in B; compose it: --gid-column lv2=part\+code; or /,
  );
  // Composed, the codes of these would repeat, too.
  const twice = file(
    'twice',
    squares('twice', ['part', 'code', 'name'], ['A', '1', 'Aa'], ['A', '1', 'Ab'], ['B', '1', 'Bb']),
  );
  const other = await tried([twice], { ...args, layer: ['lv2=twice'] });
  assert.match(other.error?.remedy ?? '', /^code is probably no code of level 2: 1 is Aa and Ab; or /);
  const composed = contentOptionsFrom({ ...args, 'gid-column': ['lv1=part', 'lv2=part+code'] });
  assert.deepEqual((await published(source, composed)).gidsOf(2, 'GID_2'), ['A.1', 'B.1']);
});

test('the columns of all files are shown at once, and a column without any value is no code', async () => {
  const [one, two] = [
    file('one', squares('one', ['id', 'empty'], ['1', null])),
    file('two', squares('two', ['nr'], ['2'])),
  ];
  const { error } = await tried([one, two], {});
  assert.deepEqual(error?.lines.slice(1), [
    `${one}: no layer has GID columns (GID_0 .. GID_5); it has one (id, empty)`,
    `${two}: no layer has GID columns (GID_0 .. GID_5); it has two (nr)`,
  ]);
  const empty = await tried([one], { 'gid-column': ['lv1=empty'] });
  assert.match(
    empty.error?.remedy ?? '',
    /^no unit of level 1 has a value in empty: name another column; columns without repetition: id, /,
  );
});

test('a row without a code that has a name is probably a unit: the remedy does not leave it out', async () => {
  const rows = [
    ['A', 'Aa', 'x'],
    [null, 'Bb', 'y'],
  ];
  const source = file('uncoded', squares('uncoded', ['code', 'name', 'id'], ...rows));
  const { error } = await tried([source], CODES);
  assert.match(
    error?.remedy ?? '',
    /^Bb has no code, and is probably a unit: code is then not the code of level 1; columns without repetition: id, e\.g\. --gid-column lv1=id; or fix/,
  );
});

test('pieces with different names stop --dissolve before anything is united, unless they are accepted', async () => {
  const source = file('pieces', provinces);
  const dissolve = { ...CODES, dissolve: ['lv1'] };
  const { error } = await tried([source], dissolve);
  assert.equal(
    error?.message,
    'pieces.gpkg: not united, because of the data:\n' +
      '  lv1: 1 unit has pieces with different names (pieces.gpkg: layer pieces, fids 1 and 2: AE02 is Al Dhahira and Ajman). They may be different units, which the release has as one.',
  );
  assert.match(error?.remedy ?? '', /columns without repetition: name, id; .* --accept disagreeing-pieces$/);
  const { quality, valuesOf } = await published(source, {
    ...contentOptionsFrom(dissolve),
    accept: ['disagreeing-pieces'],
  });
  assert.deepEqual(valuesOf(1, 'code', 'name'), [
    ['AE02', null],
    ['AE03', 'Dubai'],
  ]);
  assert.ok(
    quality.some((line) => line.startsWith('lv1 disagreeing-pieces 1 ')),
    quality.join('\n'),
  );
});

test('without a column of names, pieces that agree in no other text are no pieces of one unit', async () => {
  const rows = [
    ['A', 'North', 'x'],
    ['A', 'South', 'y'],
    ['B', 'East', 'x'],
    ['B', 'West', 'x'],
  ];
  const source = file('unnamed', squares('unnamed', ['code', 'label', 'kind'], ...rows));
  const { error } = await tried([source], { 'gid-column': ['lv1=code'], dissolve: ['lv1'] });
  assert.match(
    error?.message ?? '',
    /different names \(unnamed\.gpkg: layer unnamed, fids 1 and 2: A is North and South\)/,
  );
});

test('a level whose code is its name is made of units that have names of their own', async () => {
  const rows = [
    ['Here', '1', 'Aa'],
    ['Here', '2', 'Bb'],
    ['There', '3', 'Cc'],
  ];
  const source = file('regions-in-towns', squares('regions-in-towns', ['region', 'code', 'name'], ...rows));
  const args = {
    'gid-column': ['lv1=region', 'lv2=code'],
    'name-column': ['lv1=region', 'lv2=name'],
    dissolve: ['lv1=lv2'],
  };
  assert.deepEqual((await published(source, contentOptionsFrom(args))).gidsOf(1, 'region'), ['Here', 'There']);
});

test('files that share a column are shown as one level before they are read, with the options that tell them apart', async () => {
  const regions = file('regions', squares('regions', ['id', 'name'], ['1', 'All']));
  const towns = file('towns', squares('towns', ['id', 'name'], ['1', 'Left'], ['2', 'Right']));
  const args = { 'gid-column': ['lv1=id'], 'name-column': ['lv1=name'] };
  const { shown, error } = await tried([towns, regions], args);
  const advice =
    'lv1 is of 2 layers; if each is a level of its own, tell them apart: --layer lv1=regions lv2=towns --gid-column lv1=id lv2=id, and --parent-by-place where no column has the parents';
  assert.deepEqual(shown.slice(0, 2), [
    'lv1: 3 units, of towns.gpkg, regions.gpkg: layers towns, regions; GIDs in id, names in name; EPSG:4326',
    advice,
  ]);
  assert.ok(
    error?.remedy.startsWith(`${advice}; or id is probably no code of level 1: 1 is Left and All`),
    error?.remedy,
  );
  assert.doesNotMatch(`${error?.message} ${error?.remedy}`, /--dissolve|part-/);
  const apart = { 'gid-column': ['lv1=id', 'lv2=id'], layer: ['lv1=regions', 'lv2=towns'], 'parent-by-place': ['lv2'] };
  assert.deepEqual((await published([towns, regions], contentOptionsFrom(apart))).counts.slice(0, 4), [0, 1, 2, 0]);
});

test('how many features a condition leaves out is shown before the rest is read', async () => {
  const source = file('left', squares('left', ['code', 'name'], ['A', 'Aa'], ['B', 'Bb'], ['C', 'Cc']));
  const { shown } = await tried([source], { ...CODES, where: ["lv1=code <> 'B'"] });
  assert.match(shown[0] ?? '', /^lv1: 2 units \(--where leaves out 1\), of left\.gpkg: layer left; /);
});

test('points and lines in one layer with the areas are left out by the statement that the remedy has', async () => {
  const mixed = layerOf(
    'mixed',
    ['GID_0', 'NAME_0'],
    [
      [['A', 'Aa'], square(0, 0)],
      [['B', 'Bb'], 'POINT(5 5)'],
      [['C', 'Cc'], 'LINESTRING(1 1,2 2)'],
    ],
  );
  const source = file('mixed', mixed);
  const { error } = await tried([source], {});
  const [, sql = ''] = /--sql "(lv0=.*?)"; or/.exec(error?.remedy ?? '') ?? [];
  assert.deepEqual((await published(source, contentOptionsFrom({ sql: [sql] }))).gidsOf(0), ['A']);
});

const NAMES = ['أدرار', 'الشلف', 'Alger'];

/** A Shapefile that does not say its encoding. */
function shapefile(name: string, encoding: string, names: readonly string[]): string {
  const layer = squares(name, ['GID_0', 'NAME_0'], ...names.map((text, i) => [`A${i}`, text]));
  const source = writeDataset(join(folder, `${name}.shp`), 'ESRI Shapefile', [{ ...layer, encoding }]);
  rmSync(source.replace('.shp', '.cpg'), { force: true });
  const table = readFileSync(source.replace('.shp', '.dbf'));
  // The byte of the language driver, by which GDAL knows the encoding.
  table[29] = 0;
  writeFileSync(source.replace('.shp', '.dbf'), table);
  return source;
}

test('of a text in an encoding that is not said, the remedy has those that read all of it, with two names as each does', async () => {
  const source = shapefile('arabic', 'CP1256', NAMES);
  const { error } = await tried([source], {});
  assert.match(
    error?.remedy ?? '',
    /^say its encoding, the one that reads names as they are: --encoding CP1252: ÃÏÑÇÑ, ÇáÔáÝ; /,
  );
  assert.match(error?.remedy ?? '', /; --encoding CP1256: أدرار, الشلف; /);
  // Of one they are parts of frames, in the other no text.
  assert.doesNotMatch(error?.remedy ?? '', /CP866|EUC-KR/);
  for (const [encoding, first] of [
    ['CP1256', 'أدرار'],
    ['CP1252', 'ÃÏÑÇÑ'],
  ] as const) {
    const { shown } = await tried([source], { encoding: [encoding] });
    const named = shown.find((line) => line.startsWith('lv0: names such as '));
    assert.ok(named?.includes(first), `${encoding}: ${shown.join('\n')}`);
  }
  assert.deepEqual((await published(source, { encoding: 'CP1256' })).gidsOf(0, 'NAME_0'), NAMES);
});

test('an encoding that is said of all files is refused for one that is in UTF-8 throughout', async () => {
  const layer = squares('modern', ['GID_0', 'NAME_0'], ...NAMES.map((name, i) => [`A${i}`, name]));
  const source = writeDataset(join(folder, 'modern.shp'), 'ESRI Shapefile', [layer]);
  const { error } = await tried([source], { encoding: ['CP1256'] });
  assert.match(error?.message ?? '', /lv0: 2 units have text that is not in the encoding of the file /);
  assert.match(error?.remedy ?? '', /--encoding UTF-8: أدرار, الشلف/);
  const alike = await published(source, { encoding: 'UTF-8' });
  assert.deepEqual(alike.gidsOf(0, 'NAME_0'), NAMES);
});

test('an encoding that GDAL does not know is refused by its name, and one in which bytes are no text stops the build', async () => {
  const source = shapefile('other', 'CP1256', NAMES);
  const unknown = await tried([source], { encoding: ['foo'] });
  assert.match(unknown.error?.message ?? '', /^--encoding foo: GDAL knows no such encoding/);
  // GDAL leaves out the bytes without a message.
  const wrong = await tried([source], { encoding: ['EUC-KR'] });
  assert.match(
    wrong.error?.message ?? '',
    /lv0: (1 unit has|2 units have) text that is not in the encoding of the file /,
  );
  writeFileSync(source.replace('.shp', '.cpg'), 'EUC-KR');
  const stated = await tried([source], {});
  assert.match(stated.error?.remedy ?? '', /--encoding CP1256: أدرار, الشلف/);
});

test('a build says before it reads that its data is another dataset than the one that the output folder has', async () => {
  const source = file('another', squares('another', ['code', 'name'], ['A', 'Aa']));
  const out = join(temporaryFolder(), 'out');
  const notesOf = async (release: string, args: Parameters<typeof contentOptionsFrom>[0], path: string) => {
    const notes: string[] = [];
    const report = { ...SILENT, note: (text: string) => void notes.push(text) };
    await build({ ...buildOptions([path], out, contentOptionsFrom(args)), release }, report);
    return notes.filter((note) => note.includes('one dataset with versions'));
  };
  assert.deepEqual(await notesOf('first', CODES, source), []);
  assert.deepEqual(await notesOf('second', CODES, source), []);
  const gadm = file('gadm', squares('gadm', ['GID_0', 'NAME_0'], ['A', 'Aa']));
  const [note, ...others] = await notesOf('third', {}, gadm);
  assert.match(note ?? '', /out has release second, whose units have other columns, and which this one will replace/);
  assert.deepEqual(others, []);
});
