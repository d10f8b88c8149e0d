// What became of the units between two releases: each class from what was done to a small dataset, noise that is none,
// and the files beside the releases.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChangeRow } from '../../../format/changes.ts';
import { elementAt } from '../../../format/element-at.ts';
import { featureFilePath, namesPath, releasePath } from '../../../format/layout.ts';
import { compareReleases } from '../../../generator/changes/changes.ts';
import { equalShapes } from '../../../generator/changes/compare-shapes.ts';
import { BuildError } from '../../../generator/report/errors.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { box, type FixtureFeature, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { dice } from '../../support/dice.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { readRelease } from '../../support/releases/read-index.ts';
import { packPage, resealRelease, textOf as textIn } from '../../support/releases/reseal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const out = join(folder, 'output');
const pool = openPool(0);
let built = 0;

/** A unit: GID, name and shape. */
type Given = readonly [gid: string | null, name: string, wkt: string | null];

/** Builds a release of units of level 0 and gives its id. */
async function release(units: readonly Given[], geometries: readonly ('full' | 'medium')[] = ['full']) {
  const id = `r${++built}`;
  const features = units.map(([gid, name, wkt], i): FixtureFeature => ({ fid: i + 1, values: [gid, name], wkt }));
  const file = writeDataset(join(folder, `${id}.gpkg`), 'GPKG', [
    { name: 'ADM_0', columns: ['GID_0', 'COUNTRY'], features },
  ]);
  const accept = ['duplicate-gids', 'null-gids', 'empty-geometries', 'fewer-units'] as const;
  await buildUnchecked(file, out, { release: id, geometries, accept });
  return id;
}

/** The rows of level 0 as texts, shares in three decimals. */
async function rowsOf(from: string, to: string): Promise<string[]> {
  const [level] = await compareReleases({ out, from, to }, pool, SILENT);
  return level?.rows.map(textOf) ?? [];
}

function textOf({ fromGid, toGid, class: own, shareOfFrom, shareOfTo }: ChangeRow): string {
  return `${own} ${fromGid}>${toGid} ${shareOfFrom.toFixed(3)} ${shareOfTo.toFixed(3)}`;
}

/** A rectangle from (west, 0), counter-clockwise, with a vertex every half degree. */
function bar(west: number, width: number, south = 0): string {
  const steps = Array.from({ length: 2 * width + 1 }, (_, i) => west + i / 2);
  const ring = [...steps.map((x) => [x, south]), ...steps.toReversed().map((x) => [x, south + 1]), [west, south]];
  return `POLYGON((${ring.map((position) => position.join(' ')).join(',')}))`;
}

const OLD: readonly Given[] = [
  ['same', 'Same', bar(0, 1)],
  ['m1', 'One', bar(2, 1)],
  ['m2', 'Two', bar(3, 1)],
  ['keeps', 'Keeps', bar(5, 1)],
  ['joins', 'Joins', bar(6, 1)],
  ['parts', 'Parts', bar(8, 2)],
  ['old-name', 'Old', bar(11, 1)],
  ['old-code', 'Code', bar(13, 1)],
  ['grows', 'Grows', bar(15, 1)],
  ['g1', 'G1', bar(18, 1)],
  ['g2', 'G2', bar(19, 1)],
  ['g3', 'G3', bar(20, 1)],
  ['sinks', 'Sinks', bar(22, 1)],
  ['gives', 'Gives', bar(30, 3)],
  ['takes', 'Takes', bar(33, 1)],
  ['twice', 'Twice', bar(36, 1)],
  ['twice', 'Twice', bar(37, 1)],
  ['crosses', 'Crosses', `MULTIPOLYGON(((179 0,180 0,180 1,179 1,179 0)),((-180 0,-179 0,-179 1,-180 1,-180 0)))`],
  ['nowhere', 'Nowhere', null],
  ['vanishes', 'Vanishes', bar(40, 1)],
];

const NEW: readonly Given[] = [
  ['same', 'Same', bar(0, 1)],
  ['m', 'Both', bar(2, 2)],
  ['keeps', 'Keeps', bar(5, 2)],
  ['p1', 'P1', bar(8, 0.5)],
  ['p2', 'P2', bar(8.5, 1.5)],
  ['old-name', 'New', bar(11, 1)],
  ['new-code', 'Code', bar(13, 1)],
  ['grows', 'Grows', bar(15, 2)],
  ['h1', 'H1', bar(18, 1.5)],
  ['h2', 'H2', bar(19.5, 1.5)],
  ['rises', 'Rises', bar(24, 1)],
  ['gives', 'Gives', bar(30, 1.5)],
  ['takes', 'Takes', bar(31.5, 2.5)],
  ['twice', 'Twice', bar(36, 2)],
  ['crosses', 'Crosses', 'POLYGON((179 0,-179 0,-179 1,179 1,179 0))'],
  ['nowhere', 'Nowhere', null],
  ['vanishes', 'Vanishes', null],
];

const DONE = [
  'renamed old-name>old-name 1.000 1.000',
  'merged m1>m 1.000 0.500',
  'merged m2>m 1.000 0.500',
  'merged keeps>keeps 1.000 0.500',
  'merged joins>keeps 1.000 0.500',
  'split parts>p1 0.250 1.000',
  'split parts>p2 0.750 1.000',
  'recoded old-code>new-code 1.000 1.000',
  'redrawn grows>grows 1.000 0.500',
  'regrouped g1>h1 1.000 0.667',
  'regrouped g2>h1 0.500 0.333',
  'regrouped g2>h2 0.500 0.333',
  'regrouped g3>h2 1.000 0.667',
  'gone sinks> 0.000 0.000',
  'redrawn gives>gives 0.500 1.000',
  'redrawn gives>takes 0.500 0.600',
  'redrawn takes>takes 1.000 0.400',
  'new >rises 0.000 0.000',
];

/** The units with each vertex moved by up to so many degrees, those that two units share apart. */
function shaken(units: readonly Given[], degrees: number): Given[] {
  const roll = dice(70);
  const moved = (text = ''): number => {
    const value = Number(text);
    // A position beyond 180 degrees would be another one.
    return Math.abs(value) > 178 ? value : value + (roll(2001) / 1000 - 1) * degrees;
  };
  const movedRing = (_: string, ring: string): string => {
    const open = ring.split(',').slice(0, -1);
    const positions = open.map((position) => position.split(' ').map(moved).join(' '));
    return `(${[...positions, positions[0]].join(',')})`;
  };
  return units.map(([gid, name, wkt]) => [gid, name, wkt?.replaceAll(/\(([^()]+)\)/g, movedRing) ?? null]);
}

const old = await release(OLD, ['full', 'medium']);

test('changes of 600 units take as many tasks, each of which reads the index, as those of 6', async () => {
  const tasksOf = async (count: number): Promise<string[]> => {
    const units = (width: number): Given[] =>
      Array.from({ length: count }, (_, i) => [`u${i}`, 'U', square((i % 100) * 2, Math.floor(i / 100) * 2, width)]);
    const [from, to] = [await release(units(1)), await release(units(1.2))];
    const own = openPool(0);
    await compareReleases({ out, from, to }, own, SILENT);
    return own.phases.list().map(({ phase, tasks }) => `${phase} ${tasks}`);
  };
  assert.deepEqual(await tasksOf(600), await tasksOf(6));
});

test('units that all have one shape are paired in order, and none is looked at again for each of the others', (t) => {
  const shapes = Array.from({ length: 1000 }, () => 'one');
  const noted = t.mock.method(Map.prototype, 'set');
  const links = equalShapes(shapes, [...shapes, 'other', ''], new Set([0]), new Set([1]));
  const sets = noted.mock.callCount();
  noted.mock.restore();
  assert.deepEqual([links.length, sets], [999, 2]);
  assert.deepEqual(
    links.slice(0, 3).map(({ from, to }) => [from, to]),
    [
      [1, 0],
      [2, 2],
      [3, 3],
    ],
  );
});

test('names that are a bomb are inflated no further than release.json says', async () => {
  const bombed = await release([['a', 'A', bar(0, 1)]]);
  const root = join(out, releasePath(bombed));
  const [names, after] = [namesPath(0), await release([['b', 'B', bar(3, 1)]])];
  const { textBytes } = elementAt(readRelease(root).levels, 0).names;
  writeFileSync(join(root, names), packPage([`${textIn(root, names)}${' '.repeat(1 << 24)}`]));
  resealRelease(root, (described) => described);
  await assert.rejects(compareReleases({ out, from: bombed, to: after }, pool, SILENT), (error) => {
    assert.ok(error instanceof BuildError);
    assert.match(error.message, new RegExp(`names\\.jsonl\\.gz: inflates to more than ${textBytes} bytes$`));
    return true;
  });
});

test('changes are exactly what was done to the units: merged, split, renamed, recoded, redrawn, regrouped, gone, new', async () => {
  assert.deepEqual(await rowsOf(old, await release(NEW, ['full', 'medium'])), DONE);
});

test('changes are the same where the source has moved every vertex by a metre', async () => {
  const after = await release(shaken(NEW, 1e-5));
  assert.deepEqual(await rowsOf(old, after), DONE);
  assert.deepEqual(await rowsOf(old, await release(shaken(OLD, 1e-5))), []);
});

test('borders that a source drew anew are the same by overlap or by drift, unless a unit that only one release has took some', async () => {
  const strip = (shift: number): string => bar(50, 20, shift).replaceAll(`${1 + shift}`, `${0.02 + shift}`);
  const units = (shift: number, others = shift): Given[] => [
    ['strip', 'Strip', strip(shift)],
    ['other', 'Other', bar(80, 1, others)],
    ['third', 'Third', bar(90, 1, others)],
  ];
  const [before, after] = [await release(units(0)), await release(units(0.005))];
  // Of the strip a quarter lies elsewhere, of the others 0.5 %: all by some 300 metres.
  assert.deepEqual(await rowsOf(before, after), []);
  // Where the others stayed, the strip alone was moved.
  assert.deepEqual(await rowsOf(before, await release(units(0.005, 0))), ['redrawn strip>strip 0.750 0.750']);
  const thief = bar(50, 1, 0.005).replaceAll('1.005', '0.02');
  const withThief = await release([...units(0.005), ['thief', 'Thief', thief]]);
  assert.deepEqual(await rowsOf(before, withThief), ['split strip>strip 0.750 0.750', 'split strip>thief 0.037 1.000']);
});

test('what a unit that stayed takes in is merged, what several take split; slivers of borders that were drawn anew are none', async () => {
  const units = (...list: [gid: string, west: number, east: number][]): Given[] =>
    list.map(([gid, west, east]) => [gid, gid, box(west, 0, east, 1)]);
  // A hundredth of the town: the town is the same by its shape, as is the unit on the other side.
  const before = await release(units(['town', 0, 9.9], ['village', 9.9, 10], ['other', 10, 20]));
  const after = units(['town', 0, 10], ['other', 10, 20]);
  assert.deepEqual(await rowsOf(before, await release(after)), ['merged village>town 1.000 0.010']);
  const METRES_30 = 2.7e-4;
  const [row = '', ...others] = await rowsOf(before, await release(shaken(after, METRES_30)));
  assert.match(row, /^merged village>town (1\.000|0\.99\d) 0\.010$/);
  assert.deepEqual(others, []);

  const between = await release(units(['west', 0, 9.9], ['village', 9.9, 10.1], ['east', 10.1, 20]));
  const halves = await release(units(['west', 0, 10], ['east', 10, 20]));
  assert.deepEqual(await rowsOf(between, halves), ['split village>west 0.500 0.010', 'split village>east 0.500 0.010']);
  const withNew = await release(units(['west', 0, 10], ['new', 10, 10.1], ['east', 10.1, 20]));
  assert.deepEqual(await rowsOf(between, withNew), ['split village>new 0.500 1.000', 'split village>west 0.500 0.010']);
  // Four fifths to the one, a fifth to the other, some 220 metres wide.
  const strip = units(['west', 0, 9.995], ['strip', 9.995, 10.005], ['east', 10.005, 20]);
  const parts = units(['west', 0, 10.003], ['east', 10.003, 20]);
  const far = (shift: number): Given[] =>
    units(['a', 30 + shift, 31 + shift], ['b', 32 + shift, 33 + shift], ['c', 34 + shift, 35 + shift]);
  const whole = await release([...strip, ...far(0)]);
  // A fifth is a sliver where borders of most units were drawn anew by a hundred metres, and none where they stayed.
  assert.deepEqual(await rowsOf(whole, await release([...parts, ...far(0.001)])), ['merged strip>west 0.800 0.001']);
  assert.deepEqual(await rowsOf(whole, await release([...parts, ...far(0)])), [
    'split strip>west 0.800 0.001',
    'split strip>east 0.200 0.000',
  ]);
});

test('a renumbering is recoded, also where codes are used again; a code that went elsewhere is gone and new', async () => {
  const at = (names: readonly string[], from = 0): Given[] =>
    names.map((gid, i) => [gid, `${gid}`, bar(from + 2 * i, 1)]);
  const named = (units: Given[]): Given[] => units.map(([gid, , wkt], i) => [gid, `Unit ${i}`, wkt]);
  const [before, after] = [await release(named(at(['1', '2', '3']))), await release(named(at(['1', '3', '4'])))];
  assert.deepEqual(await rowsOf(before, after), ['recoded 2>3 1.000 1.000', 'recoded 3>4 1.000 1.000']);
  const elsewhere = await release([...at(['1', '2']), ['3', '3', bar(60, 1)]]);
  assert.deepEqual(await rowsOf(await release(at(['1', '2', '3'])), elsewhere), [
    'gone 3> 0.000 0.000',
    'new >3 0.000 0.000',
  ]);
});

test('invalid polygons are made valid and counted; units without a GID, and levels that one release has alone, are said', async () => {
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => notes.push(text) };
  const bow = 'POLYGON((0 0,2 2,2 0,0 1,0 0))';
  const before = await release([
    ['bow', 'Bow', bow],
    ['a', 'A', bar(5, 1)],
    [null, 'Nobody', bar(7, 1)],
  ]);
  const halves = 'MULTIPOLYGON(((0 0,0.6667 0.6667,0 1,0 0)),((0.6667 0.6667,2 0,2 2,0.6667 0.6667)))';
  const after = await release([
    ['bow', 'Bow', halves],
    ['a', 'A', bar(5, 1)],
  ]);
  const [level] = await compareReleases({ out, from: before, to: after }, pool, report);
  assert.deepEqual(level?.rows, []);
  assert.deepEqual(notes, [
    `lv0 of ${before}: units without a GID are not compared`,
    `lv0 of ${before}: 1 invalid units were made valid to be compared`,
  ]);
  const deep = writeDataset(join(folder, 'deep.gpkg'), 'GPKG', countryLayers());
  await buildUnchecked(deep, out, { release: 'deep', accept: ['fewer-units'] });
  notes.length = 0;
  const shared = await release([
    ['AAA', 'Aland', square(0, 0, 4)],
    ['BBB', 'Beland', square(10, 0, 4)],
  ]);
  const levels = await compareReleases({ out, from: shared, to: 'deep' }, pool, report);
  const rows = levels.flatMap(({ rows }) => rows);
  assert.deepEqual(rows, []);
  assert.deepEqual(notes, ['lv1 is not compared: only deep has it', 'lv2 is not compared: only deep has it']);
});

test('refuses a release twice, one of another dataset, ids with .., one that is missing, and a damaged one', async () => {
  const refused = (from: string, to: string, message: RegExp, remedy = /./) =>
    assert.rejects(compareReleases({ out, from, to }, pool, SILENT), { name: 'BuildError', message, remedy });
  await refused(old, old, /is given twice/);
  await refused(old, await release([['zz', 'Z', bar(100, 1)]]), /have no unit and no area in common/);
  await refused(old, 'a..b', /as \.\. stands between two releases/);
  await refused(old, 'r0', /no such release$/, new RegExp(`^use one of: .*${old}`));
  const damaged = await release([['same', 'Other', bar(0, 1)]]);
  const file = join(out, 'releases', damaged, featureFilePath(0, 0));
  writeFileSync(file, readFileSync(file).subarray(0, 40));
  await refused(
    old,
    damaged,
    /000001\.geojsonl\.gz: fid 1: its file ends after/,
    new RegExp(`verify --release ${damaged}`),
  );
});
