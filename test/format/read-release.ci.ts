// Releases read by a program that shares no code with this one: test/format/read_release.py, written from
// format/README.md.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { foldText } from '../../format/fold-text.ts';
import { featureFilePath, indexPath, manifestPath, releasePath } from '../../format/layout.ts';
import { type Geometry, LEVELS, type Level, OTHER_GEOMETRIES } from '../../format/levels.ts';
import { foldedNames } from '../../format/words.ts';
import { ODD_GIDS, readStored } from '../support/datasets/large-dataset.ts';
import { layerOf, square } from '../support/datasets/write-dataset.ts';
import { anyListing, type Listing, linesOf } from '../support/listings.ts';
import { without } from '../support/processes/programs.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { linesIn } from '../support/releases/features-in.ts';
import { readIndex } from '../support/releases/read-index.ts';
import { replaceLevelFile } from '../support/releases/reseal.ts';
import { worldOutput } from '../support/releases/world.ts';
import { assertReads, type Reader, startReader } from './python-reader.ts';

const skip = without('python3 -V');
const read: Reader = skip === false ? startReader() : async () => assert.fail('python3 is not installed here');
const world = await worldOutput({ pages: 'none' });
/** One with a unit without geometry, and the first and the last. */
const SOME_LEVELS: readonly Level[] = [0, 2, 5];
/** Listings that are drawn, of which filters and geometry count. */
const LISTINGS = 60;
type Drawn = Pick<Listing, 'level' | 'filters' | 'geometry'>;

function rootOf(out: string): string {
  return join(out, releasePath('r1'));
}

test('every level reads as gunzip reads its feature files, with each geometry', { skip }, async () => {
  for (const level of LEVELS) {
    await assertReads(read, [world, level], linesIn(world, level));
    for (const geometry of SOME_LEVELS.includes(level) ? OTHER_GEOMETRIES : [])
      await assertReads(read, [world, level, `geometry=${geometry}`], linesIn(world, level, geometry));
  }
});

test('filters must all hold and GIDs match exactly, with each geometry; a GID that does not occur gives nothing', {
  skip,
}, async () => {
  const stored = readStored(world, 'r1');
  const drawn = fc.sample(anyListing(stored), { seed: 1, numRuns: LISTINGS });
  const odd = [...ODD_GIDS, 'Same', ''].map((gid): Drawn => ({ level: 2, filters: { 'gid-1': gid } }));
  for (const { level, filters, geometry } of [...drawn, ...odd]) {
    const gids = Object.entries(filters ?? {}).map((filter) => filter.join('='));
    const args = [...gids, ...(geometry === undefined ? [] : [`geometry=${geometry}`])];
    const expected = linesOf({ level, filters: filters ?? {}, geometry }, stored);
    await assertReads(read, [world, level, ...args], expected.join(''));
    const count = `${expected.length} of ${elementAt(stored, level).units.length}\n`;
    await assertReads(read, [world, level, ...args, '--count'], count);
  }
});

/** Builds a release of three units at level 1, one of them without geometry. */
function buildSmall(geometries: readonly Geometry[]): Promise<string> {
  const shapes = [square(1, 1), null, square(-170.123456789, -80)];
  const layer = layerOf(
    'ADM_1',
    ['GID_0', 'GID_1'],
    shapes.map((wkt, i) => [['A', `U${i}`], wkt]),
  );
  return buildLayers([layer], { geometries, precision: 9, accept: ['empty-geometries'] });
}

/** Flips a bit of a file. @param at place of the byte, from the end if it is negative */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const place = (at + bytes.length) % bytes.length;
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(path, bytes);
}

async function assertRefuses(out: string, args: readonly string[], error: RegExp): Promise<void> {
  const run = await read(out, 1, ...args);
  assert.deepEqual([run.status, run.text], [1, '']);
  assert.match(run.error, error);
}

test('a geometry that the release lacks is refused, and damage to one is found without harm to the others', {
  skip,
}, async () => {
  const out = await buildSmall(['full', 'low', 'none']);
  await assertRefuses(out, ['geometry=medium'], /^error: geometry medium: not one of full, low, none\n$/);
  await assertRefuses(out, ['geometry=small'], /^error: geometry small: not one of full, low, none\n$/);
  flip(join(rootOf(out), indexPath(1, 'low')), -1);
  await assertRefuses(
    out,
    ['geometry=low'],
    /^error: .*lv1\/low\/index\.bin: other bytes than release\.json promises\n$/,
  );
  flip(join(rootOf(out), featureFilePath(1, 0, 'none')), 20);
  await assertRefuses(out, ['geometry=none'], /^error: .*lv1\/none position 0 \(fid 1\): damaged\n$/);
  await assertReads(read, [out, 1], linesIn(out, 1));
});

test('the box of a feature is its bbox rounded outward, and any other one is found', { skip }, async () => {
  const out = await buildSmall(['full']);
  const { box } = readIndex(rootOf(out), 1).arrays;
  assert.deepEqual(
    [...box],
    [
      ...[1e7, 1e7, 2e7, 2e7],
      ...[0, 1, 0, 0],
      // West is rounded down, east up.
      ...[-1701234568, -800000000, -1691234567, -790000000],
    ],
  );
  await assertReads(read, [out, 1], linesIn(out, 1));
  const { offset } = JSON.parse(readFileSync(join(rootOf(out), manifestPath(1)), 'utf8')).arrays.box;
  for (const [position, side] of [
    [0, 0],
    [1, 1],
    [2, 2],
    [2, 3],
  ] as const) {
    const at = offset + 16 * position + 4 * side;
    const change = (bytes: Buffer): Buffer => {
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return bytes;
    };
    replaceLevelFile(rootOf(out), 1, 'index', change);
    const { status, error } = await read(out, 1);
    assert.equal(status, 1);
    assert.match(error, new RegExp(`position ${position} \\(fid ${position + 1}\\): another box\\n$`));
    replaceLevelFile(rootOf(out), 1, 'index', change);
  }
  await assertReads(read, [out, 1], linesIn(out, 1));
});

test('the units with a word that begins with a text are those whose names say so, in any case and without marks', {
  skip,
}, async () => {
  const out = world;
  const texts = linesIn(out, 3).split(/(?<=\n)/);
  const named = texts.map((text) => ({
    text,
    names: foldedNames(String(JSON.parse(text).properties['NAME_3'] ?? '')),
  }));
  const nobodys = ['Línea', 'x y z'];
  for (const wanted of ['UNIT 1', 'unit 11', 'È東', '1', 'שלום', 'fi', ...nobodys]) {
    const folded = foldText(wanted);
    const found = named.filter(({ names }) => names.some((name) => ` ${name}`.includes(` ${folded}`)));
    assert.equal(found.length === 0, nobodys.includes(wanted), wanted);
    await assertReads(read, [out, 3, `words=${wanted}`], found.map(({ text }) => text).join(''));
  }
  await assertReads(read, [out, 5, 'words=qqq'], '');
});

test('units that lack a GID are under no parent, and do not shift the others', { skip }, async () => {
  const gids = [null, 'A', 'A', null, null, 'B', 'A', null];
  const features = gids.map((gid, i) => ({ fid: 2 * i + 1, values: [gid, `U${i}`], wkt: square(i, 0) }));
  const layer = { name: 'ADM_1', columns: ['GID_0', 'GID_1'], features };
  const out = await buildLayers([layer], { accept: ['null-gids'] });
  const lines = linesIn(out, 1).split(/(?<=\n)/);
  for (const gid of ['A', 'B'])
    await assertReads(read, [out, 1, `gid-0=${gid}`], lines.filter((_, i) => gids[i] === gid).join(''));
  await assertReads(read, [out, 1, 'gid-0=A', '--count'], '3 of 8\n');
  await assertReads(read, [out, 1, 'gid-0=None', '--count'], '0 of 8\n');
  await assertReads(read, [out, 1, '--count'], '8 of 8\n');
});
