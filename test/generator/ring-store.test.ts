// The rings that the tasks of a build leave for one another come back as they were.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Ranges } from '../../format/positions.ts';
import { Coordinates } from '../../generator/geojson/coordinates.ts';
import { createRingStore, openRingStore } from '../../generator/store/ring-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Ring = [positions: readonly [number, number][], isHole: boolean, area: number];

/** A ring through corners such as `0 0,1 0,1 1,0 0`. */
function ringOf(corners: string, isHole: boolean, area: number): Ring {
  const positions = corners.split(',').map((corner): [number, number] => {
    const [x = NaN, y = NaN] = corner.split(' ').map(Number);
    return [x, y];
  });
  return [positions, isHole, area];
}

/** By fid; at 12 decimals the longitudes that a source may have take 49 bits, and the step between them 50. */
const UNITS: readonly [fid: number, rings: readonly Ring[]][] = [
  [
    2,
    [
      ringOf('-360e12 -90e12,360e12 -90e12,360e12 90e12,-360e12 -90e12', false, 1.296e29),
      ringOf('1 1,-63 64,-64 -65,1 1', true, -16769.5),
    ],
  ],
  [9, []],
  // Powers of two: the 30th and the 31st.
  [5, [ringOf('1073741824 -1073741824,2147483648 2147483648,-2147483648 0,1073741824 -1073741824', false, 0)]],
];

function read(file: string, ranges?: Ranges): Ring[][] {
  const units: Ring[][] = [[]];
  const ring = (positions: Coordinates, isHole: boolean, area: number): void => {
    const all = Array.from({ length: positions.count }, (_, i): [number, number] => [positions.x(i), positions.y(i)]);
    units.at(-1)?.push([all, isHole, area]);
  };
  const reader = openRingStore(file);
  for (const _ of reader.read({ ring }, ranges)) units.push([]);
  reader.close();
  return units.slice(0, -1);
}

test('rings come back as they were, of all units in order of fid or of some, and take a third of two doubles', () => {
  const file = join(temporaryFolder(), 'rings');
  const store = createRingStore(file);
  const positions = new Coordinates();
  for (const [fid, rings] of UNITS) {
    for (const [all, isHole, area] of rings) {
      positions.resize(all.length);
      for (const [i, [x, y]] of all.entries()) positions.set(i, x, y);
      store.ring(positions, isHole, area);
    }
    store.unit(fid);
  }
  store.close();
  const expected = [...UNITS].sort(([a], [b]) => a - b).map(([, rings]) => rings);
  assert.deepEqual(read(file), expected);
  assert.deepEqual(read(file, [1, 2]), expected.slice(1, 2));

  const coast = createRingStore(file);
  positions.resize(10_000);
  for (let i = 0; i < 10_000; i++) positions.set(i, 25_000_000 + 900 * i, 410_000_000 + 700 * (i % 7));
  coast.ring(positions, false, 1);
  coast.unit(1);
  coast.close();
  assert.ok(statSync(file).size < (16 * 10_000) / 3);
});
