// The rings that the tasks of a build leave for one another come back as they were.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { createRingStore, openRingStore } from '../../../generator/store/ring-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Ring = [positions: readonly (readonly [number, number])[], isHole: boolean, area: number];

test('rings come back as they were, of all units in order of fid or of some, and take a third of two doubles', () => {
  const coast = Array.from({ length: 10_000 }, (_, i) => [25e6 + 900 * i, 41e7 + 700 * (i % 7)] as const);
  /** At 12 decimals the longitudes that a source may have take 49 bits, and the step between them 50. */
  const wide = [-360e12, -90e12, 360e12, 2 ** 30, -(2 ** 31), 2 ** 31, 1, -63, 64, -65];
  const rings: Ring[] = [
    [wide.map((x, i) => [x, wide.at(-i) ?? 0]), false, 1.296e29],
    [wide.map((x) => [-x, x]), true, -16769.5],
  ];
  const units: [fid: number, rings: Ring[]][] = [
    [2, rings],
    [9, []],
    [5, [[coast, false, 0]]],
  ];
  const file = join(temporaryFolder(), 'rings');
  const store = createRingStore(file);
  const positions = new Coordinates();
  for (const [fid, own] of units) {
    for (const [all, isHole, area] of own) {
      positions.resize(all.length);
      for (const [i, [x, y]] of all.entries()) positions.set(i, x, y);
      store.ring(positions, isHole, area);
    }
    store.unit(fid);
  }
  store.close();
  const reader = openRingStore(file);
  for (const [first, end] of [
    [0, 3],
    [1, 2],
  ] as const) {
    const read: Ring[][] = [[]];
    const ring = (own: Coordinates, isHole: boolean, area: number): void => {
      const all = Array.from({ length: own.count }, (_, i) => [own.x(i), own.y(i)] as const);
      read.at(-1)?.push([all, isHole, area]);
    };
    for (const _ of reader.read({ ring }, [first, end])) read.push([]);
    assert.deepEqual(read.slice(0, -1), [rings, [[coast, false, 0]], []].slice(first, end));
  }
  reader.close();
  assert.ok(statSync(file).size < (16 * 10_000) / 3);
});
