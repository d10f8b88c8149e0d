// How much of a level's borders is drawn apart: constructed levels, each with the share that it must have, of 1,000
// places; and what a build says of it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { bordersDrawnApart } from '../../../generator/borders/drawn-apart.ts';
import { bordersOf, patchwork, rectangle, ring, type Units } from '../../support/datasets/made-up-levels.ts';
import { writeUnits } from '../../support/datasets/small-datasets.ts';
import { box } from '../../support/datasets/write-dataset.ts';
import { dice } from '../../support/dice.ts';
import type { Ring } from '../../support/even-odd.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Degrees of about a metre at the equator. */
const METRE = 360 / 40_030_000;

/** How many of the places another unit is near, in both directions of all rings. */
function assertApart(units: Units, expected: number): void {
  for (const isReversed of [false, true]) {
    const rings = units.map((own) => own.map((positions) => (isReversed ? positions.toReversed() : positions)));
    const count = bordersDrawnApart(bordersOf(rings, 7))?.count ?? 0;
    // A place at the end of an edge may belong to the next one.
    assert.ok(Math.abs(count - expected) <= (expected === 0 ? 0 : 1), `${count}, expected ${expected}`);
  }
}

/** Squares of a tenth of a degree on both sides of the equator. @param metres between them */
function four(metres: number): Units {
  const near = (metres / 2) * METRE;
  const starts = [near, -near - 0.1];
  return starts.flatMap((west) => starts.map((south) => [rectangle(7, west, south, west + 0.1, south + 0.1)]));
}

test('of four squares that are drawn apart, half of the borders are, as far as 100 m, and where they overlap', () => {
  for (const metres of [20, 90, -20, -500]) assertApart(four(metres), 500);
  assertApart(four(110), 0);
  // Both sides on one line, with other vertices.
  const whole = rectangle(7, 0, 0, 0.1, 0.1);
  const east = ring(7, [0.1, 0], [0.2, 0], [0.2, 0.1], [0.1, 0.1], [0.1, 0.05]);
  assertApart([[whole], [east]], 250);
  // Of a hole that is filled, with a gap of 3 m around, all of the hole and of what is in it.
  const gap = 3 * METRE;
  const hole = rectangle(7, 0.01, 0.01, 0.09, 0.09);
  assertApart([[whole, hole], [rectangle(7, 0.01 + gap, 0.01 + gap, 0.09 - gap, 0.09 - gap)]], 615);
});

test('borders that are shared do not count, and coasts are not apart, nor are parts of one unit', () => {
  const [one, other] = [rectangle(7, 0, 0, 0.1, 0.1), rectangle(7, 0.1, 0, 0.2, 0.1)];
  assertApart([[one], [other]], 0);
  assertApart([[one], [one]], 0);
  assertApart(patchwork(7, 4, 5, 6, dice(41)), 0);
  assertApart([], 0);
  assertApart([[one], [rectangle(7, 0.11, 0, 0.2, 0.1)], []], 0);
  assertApart([[one, rectangle(7, 0.1 + 50 * METRE, 0, 0.2, 0.1)]], 0);
  // A third square, of which one side of four is apart: of the six sides of the others that nobody shares, one.
  assertApart([[one], [other], [rectangle(7, 0.2 + 50 * METRE, 0, 0.3, 0.1)]], 200);
});

test('at 180 degrees the other side of the map is the outer side', () => {
  const west = rectangle(7, 179.9, 0, 180, 0.1);
  const beside = (metres: number): Ring => rectangle(7, -180 + metres * METRE, 0, -179.9 + metres * METRE, 0.1);
  assertApart([[west], [beside(0)]], 0);
  for (const metres of [50, 99]) assertApart([[west], [beside(metres)]], 250);
  assertApart([[west], [beside(110)]], 0);
  const before = rectangle(7, 179.9 - 20 * METRE, 0, 180 - 20 * METRE, 0.1);
  assertApart([[before], [beside(20)]], 250);
  assertApart([[before], [beside(90)]], 0);
  assertApart([[west], [ring(7, [-180, 0], [-179.9, 0], [-179.9, 0.1], [-180, 0.1], [-180, 0.04])]], 250);
  // One that crosses, drawn as a jump, 50 m north of another that does.
  const across = (south: number): Ring =>
    ring(7, [179.95, south], [-179.95, south], [-179.95, south + 0.1], [179.95, south + 0.1]);
  assertApart([[across(0)], [across(0.1 + 50 * METRE)]], 250);
});

test('a build says how many of 1,000 places are apart, and where the first is; not without neighbours', async () => {
  const source = writeUnits([0, 0.1 + 50 * METRE].map((west) => box(west, 0, west + 0.1, 0.1)));
  const qualityOf = async (options: Parameters<typeof buildRelease>[2]) =>
    (await buildRelease(source, join(temporaryFolder(), 'out'), options)).quality.filter(
      ({ kind }) => kind === 'drawn-apart',
    );
  const example = 'units.gpkg: layer ADM_0, fid 1, GID A0, at 0.1000 0.0004';
  assert.deepEqual(await qualityOf({ neighbours: true, cells: false }), [
    { level: 0, kind: 'drawn-apart', count: 250, example },
  ]);
  assert.deepEqual(await qualityOf({ neighbours: false }), []);
});
