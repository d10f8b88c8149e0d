// The synthetic dataset, read back through GDAL: what it holds on purpose, and that it is always the same.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../format/levels.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { attributionOf } from '../../generator/source/open-dataset.ts';
import { type ReadUnit, readUnits, testHierarchy } from '../support/datasets/read-units.ts';
import { SYNTHETIC_ATTRIBUTION, writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { sha256Of } from '../support/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const smallFile = join(folder, 'small.gpkg');
writeSynthetic(smallFile, 60);
const small = readUnits(smallFile);
const middleFile = join(folder, 'middle.gpkg');
const middleCounts = writeSynthetic(middleFile, 2000, { verticesScale: 0.2 });
const middle = readUnits(middleFile);

/** Ranks of the units whose parent is also an earlier unit's, but not that of the one before. */
function strays(level: Level, units: readonly ReadUnit[]): number[] {
  const parents = units.map(({ fields }) => fields[`GID_${level - 1}`]);
  return [...parents.keys()].filter((i) => i > 0 && parents[i] !== parents[i - 1] && parents.indexOf(parents[i]) < i);
}

testHierarchy('a small synthetic dataset', small);
testHierarchy('a synthetic dataset', middle);

test('a synthetic dataset has about as many units as asked for, at all six levels', () => {
  assert.deepEqual(middleCounts, [3, 20, 240, 740, 720, 260]);
  assert.deepEqual(
    middle.map((units) => units.length),
    middleCounts,
  );
  for (const units of small) assert.ok(units.length >= 3);
  assert.ok(small.flat().length < 75);
});

test('even a small synthetic dataset has several parents at each level, gaps in fids and strays', () => {
  for (const level of LEVELS.slice(1)) {
    const units = small[level] ?? [];
    assert.ok(new Set(units.map(({ fields }) => fields[`GID_${level - 1}`])).size > 1);
    assert.ok((units.at(-1)?.fid ?? 0) > units.length, `gaps at level ${level}`);
  }
  assert.ok(LEVELS.slice(1).some((level) => strays(level, small[level] ?? []).length > 0));
});

test('one synthetic unit in two hundred stands away from its siblings', () => {
  for (const level of [3, 4] as const) {
    const apart = strays(level, middle[level] ?? []);
    assert.ok(apart.length > 0 && apart.every((i) => i >= (middle[level]?.length ?? 0) - 4), String(apart));
  }
});

test('some synthetic countries end at level 2', () => {
  const reach = LEVELS.map((level) => new Set(middle[level]?.map(({ fields }) => fields['GID_0'])).size);
  assert.deepEqual(reach, [3, 3, 3, 2, 2, 2]);
});

test('synthetic GIDs hold what breaks paths and URLs', () => {
  const gids = middle.flatMap((units, level) => units.map((unit) => unit.fields[`GID_${level}`] ?? ''));
  for (const odd of [/^\?$/, /\/\.\.\//, /^[a-z]/, / /, /%2F/, /[^\x20-\x7e]/])
    assert.ok(gids.some((gid) => odd.test(gid)));
  const folded = new Set(gids.map((gid) => gid.toLowerCase()));
  assert.ok(folded.size < new Set(gids).size, 'two GIDs that differ only in case');
  assert.ok(middle[2]?.some(({ fields }) => fields['GID_1'] === '?'));
});

test('synthetic names come in every script, with quotes, control characters and emoji, empty and null', () => {
  const names = middle.flatMap((units, level) => units.map(({ fields }) => fields[`NAME_${level}`]));
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u];
  const odd = [/"/, /'/, /\\/, /\t/, /\n/, /\r\n/, /\u2028/, /^\ufeff/, /\p{Emoji_Presentation}/u, /^$/];
  for (const pattern of [...scripts, ...odd])
    assert.ok(
      names.some((name) => name != null && pattern.test(name)),
      String(pattern),
    );
  assert.ok(names.some((name) => name?.includes('\u0007')));
  assert.ok(names.includes(null));
});

test('synthetic geometries are valid; some are null, some have holes, some have parts, some cross the antimeridian', () => {
  const units = middle.flat();
  assert.ok(units.every(({ isValid }) => isValid));
  assert.ok(units.some(({ box }) => box === null));
  assert.ok(units.some(({ parts }) => parts > 1));
  assert.ok(units.some(({ parts, rings }) => rings > parts));
  assert.ok(small.flat().some(({ box }) => box !== null && box.minX === -180 && box.maxX === 180));
  assert.ok(small.flat().some(({ box }) => box === null));
});

test('the same size and seed always give the same bytes, another seed gives others', () => {
  const again = join(folder, 'again.gpkg');
  writeSynthetic(again, 60);
  assert.equal(sha256Of(again), sha256Of(smallFile));
  writeSynthetic(again, 60, { seed: 2, overwrite: true });
  assert.notEqual(sha256Of(again), sha256Of(smallFile));
});

test('progress ends with all features of all', () => {
  const seen: (readonly [number, number])[] = [];
  writeSynthetic(join(folder, 'progress.gpkg'), 2000, {
    verticesScale: 0.1,
    onProgress: (done, total) => seen.push([done, total]),
  });
  assert.deepEqual(seen, [
    [1000, 1983],
    [1983, 1983],
  ]);
});

test('a synthetic dataset says that it is one', () => {
  const dataset = gdal.open(smallFile);
  assert.deepEqual(attributionOf(dataset), SYNTHETIC_ATTRIBUTION);
  dataset.close();
});

test('a dataset that says nothing of it has nobody to be named', () => {
  const file = join(folder, 'plain.geojson');
  writeFileSync(file, '{"type":"FeatureCollection","features":[]}');
  const dataset = gdal.open(file);
  assert.deepEqual(attributionOf(dataset), []);
  dataset.close();
});

test('a file that is there is not replaced unless asked to, and nothing half-written stays', () => {
  const file = join(folder, 'kept.gpkg');
  writeFileSync(file, 'mine');
  assert.throws(() => writeSynthetic(file, 60), /kept\.gpkg exists already/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  const onProgress = (): void => {
    throw new Error('stopped');
  };
  assert.throws(() => writeSynthetic(file, 60, { overwrite: true, onProgress }), /stopped/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.')),
    [],
  );
  writeSynthetic(file, 60, { overwrite: true });
  assert.equal(sha256Of(file), sha256Of(smallFile));
});
