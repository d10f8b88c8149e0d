// Refusals and findings that name the cause: rows that are no units, the same layer twice, names that are all empty,
// layers that nothing uses, what was dissolved, and levels whose box cannot be right.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { nearestFirst } from '../../../format/command-line/nearest-names.ts';
import { buildTable } from '../../../generator/cli/tables.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();
const gids = contentOptionsFrom({ 'gid-column': ['lv1=code'] });
const towns = squares('towns', ['code', 'name'], ['A', ''], ['B', '']);

function file(name: string, layer = towns): string {
  return writeDataset(join(folder, `${name}.gpkg`), 'GPKG', [layer]);
}

async function remedyOf(source: string[], options = gids): Promise<string> {
  try {
    await buildRelease(source, join(temporaryFolder(), 'out'), options);
  } catch (error) {
    assert.ok(error instanceof BuildError);
    return error.remedy;
  }
  return assert.fail('it was built');
}

test('names of columns are offered the nearest first, one that a Shapefile has cut before all', () => {
  const names = ['id', 'navn', 'kommunenavn', 'kommunenum'];
  assert.deepEqual(nearestFirst(names, 'kommunenummer').slice(0, 2), ['kommunenum', 'kommunenavn']);
  assert.equal(nearestFirst(names, 'Navm')[0], 'navn');
});

test('rows without a GID are left out by the condition that the refusal names, quoted where it must be', async () => {
  const rows = squares('towns', ['my code'], ['A'], [null]);
  const source = [file('rows', rows)];
  const options = contentOptionsFrom({ 'gid-column': ['lv1=my code'] });
  const [, where = ''] = /--where "(.*?)"; or/.exec(await remedyOf(source, options)) ?? [];
  assert.equal(where, 'lv1=\\"my code\\" IS NOT NULL');
  const condition = contentOptionsFrom({ where: [where.replaceAll('\\', '')] });
  assert.equal((await published(source, { ...options, ...condition })).counts[1], 1);
});

test('a layer that two files have is named, instead of units in pieces', async () => {
  // Of these dissolve.test.ts has the remedy.
  const remedy = await remedyOf([file('one'), file('two')]);
  assert.match(remedy, /^one\.gpkg and two\.gpkg both have layer towns of level 1: leave one out of --source; or fix/);
});

test('a column of names without one name is a finding, and so are all layers that are not used, by name', async () => {
  const unused = ['roads', 'rivers', 'rails'].map((name) => squares(name, ['class'], ['x']));
  const source = writeDataset(join(folder, 'many.gpkg'), 'GPKG', [towns, ...unused]);
  const { quality } = await published(source, gids);
  assert.ok(quality.includes('lv1 no-names 2 many.gpkg: layer towns: column name has none'), quality.join('\n'));
  const named = ['roads', 'rivers', 'rails'].map((name) => `many.gpkg: ${name}`).join(', ');
  assert.ok(quality.includes(`lv1 unused-layers 3 ${named}`), quality.join('\n'));
});

test('what --dissolve made is said to be of the file of the source', async () => {
  const pieces = squares('towns', ['code', 'name'], ['A', 'Aa'], ['A', 'Aa'], ['B', 'Bb']);
  const bow = { fid: 9, values: ['C', 'Cc'], wkt: 'POLYGON((10 0,11 1,11 0,10 0.5,10 0))' };
  const source = file('pieces', { ...pieces, features: [...pieces.features, bow] });
  const { quality } = await published(source, { ...gids, ...contentOptionsFrom({ dissolve: ['lv1'] }) });
  assert.match(quality.join('\n'), /invalid-polygons 1 pieces\.gpkg: layer towns, fid \d+, GID C$/m);
  assert.doesNotMatch(quality.join('\n'), /part-/);
});

test('build prints the box of each level, and says when one has less than a kilometre', async () => {
  const { release } = await published(file('box'), gids);
  assert.match(buildTable(release), /^lv1 .* {2}0 0 2 1$/m);
  assert.doesNotMatch(buildTable(release), /metres in all/);
  const small = { ...towns, features: [{ fid: 1, values: ['A', 'Aa'], wkt: square(10, 60, 0.002) }] };
  const tiny = buildTable((await published(file('tiny', small), gids)).release);
  assert.match(tiny, /^lv1 .* {2}10 60 10\.002 60\.002$/m);
  assert.match(tiny, /^lv1 has 222 metres in all: are its CRS and its coordinates right\?$/m);
});
