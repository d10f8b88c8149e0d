// Readers of cells and of neighbours in Python, which know the specification alone, find the same units at points and in
// boxes, and the same neighbours.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { encodeNeighbours } from '../../format/write/neighbours.ts';
import {
  makeLevel,
  neighboursOfUnits,
  patchwork,
  pointsNear,
  star,
  type Units,
} from '../support/datasets/made-up-levels.ts';
import { dice } from '../support/dice.ts';
import { DECIMALS, inBox, placedLevel } from '../support/places.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const READER = 'test/format/read_cells.py';
const skip = without('python3 --version');

function readCells(file: string, points: readonly (readonly string[])[]): { stdout: string; stderr: string } {
  const input = points.map((point) => `${point.join()}\n`).join('');
  return spawnSync('python3', ['-I', '-S', READER, file], { encoding: 'utf8', input });
}

/** What the published text says of made-up units, each of which is one polygon. */
function placedUnits(units: Units, precision: number) {
  const features = units.map((rings) => {
    const coordinates = rings.map((ring) => ring.map(([x, y]) => [x / 10 ** precision, y / 10 ** precision]));
    const [xs, ys] = [0, 1].map((axis) => coordinates.flat().map((position) => position[axis] ?? NaN));
    const bbox = [Math.min(...(xs ?? [])), Math.min(...(ys ?? [])), Math.max(...(xs ?? [])), Math.max(...(ys ?? []))];
    return JSON.stringify({ bbox, geometry: { type: 'Polygon', coordinates } });
  });
  return placedLevel(features, precision);
}

test('a reader of cells in Python, which knows the specification alone, finds the same units at points and in boxes', {
  skip,
}, () => {
  const folder = temporaryFolder();
  const roll = dice(12);
  const overlapping = Array.from({ length: 9 }, (_, i) => [star(1.79e9, 0, 500 + i, 9e7, roll)]);
  for (const [precision, units] of [
    [3, patchwork(3, 4, 6, 20, roll)],
    [7, overlapping],
    [12, patchwork(12, 4, 6, 20, roll)],
  ] as const) {
    const level = makeLevel(units, precision);
    const points = [...pointsNear(units, precision, 320, roll), ['180', '90'] as const];
    const file = join(folder, `${precision}.bin`);
    writeFileSync(file, level.bytes);
    const { stdout, stderr } = readCells(file, points);
    const expected = points.map((point) => `${JSON.stringify(level.unitsAt(...point))}\n`);
    assert.deepEqual([stderr, stdout.replaceAll(' ', '')], ['', expected.join('')]);
    const placed = placedUnits(units, precision);
    const cut = (decimal = ''): string => decimal.slice(0, decimal.indexOf('.') + 1 + DECIMALS);
    const boxes = points.slice(1, 17).map((corner, i) => {
      const [x = '', y = '', east = '', north = ''] = [...corner, ...elementAt(points, i)].map(cut);
      const ordered = Number(y) < Number(north) ? [y, north] : [north, y];
      return [x, elementAt(ordered, 0), i % 4 === 0 ? x : east, elementAt(ordered, i % 4 === 1 ? 0 : 1)];
    });
    const inBoxes = boxes.map((box) => `${JSON.stringify(inBox(placed, box.join()))}\n`);
    assert.equal(readCells(file, boxes).stdout.replaceAll(' ', ''), inBoxes.join(''), `${precision} decimals`);
  }
  const { cells, bytes } = makeLevel(patchwork(7, 2, 3, 20, dice(19)), 7);
  const file = join(folder, 'damaged.bin');
  for (const [at, problem] of [
    [0, 'does not begin like a file of cells'],
    [8, 'format version 6, expected 7'],
    [20, 'the directory is damaged'],
    [cells.bytes - 1, 'the directory is damaged'],
  ] as const) {
    writeFileSync(file, bytes.with(at, elementAt(bytes, at) ^ 1));
    assert.equal(readCells(file, [['1.5', '1.5']]).stderr, `error: ${problem}\n`);
  }
  writeFileSync(
    file,
    Buffer.concat([bytes.subarray(0, cells.bytes), bytes.subarray(cells.bytes).map((byte) => byte ^ 1)]),
  );
  assert.match(readCells(file, [['1.5', '1.5']]).stderr, /^error: cell \d+ is damaged\n$/);
});

test('a reader of neighbours in Python, which knows the specification alone, finds the same neighbours', {
  skip,
}, () => {
  const file = join(temporaryFolder(), 'neighbours.bin');
  const made = neighboursOfUnits(patchwork(7, 6, 8, 5, dice(40)), 7);
  const bytes = encodeNeighbours(made.arrays);
  const read = (content: Uint8Array) => {
    writeFileSync(file, content);
    return spawnSync('python3', ['-I', '-S', 'test/format/read_neighbours.py', file], { encoding: 'utf8' });
  };
  const lines = Array.from({ length: 48 }, (_, position) => {
    const lengths = made.lengthsOf(position);
    return `${JSON.stringify(Array.from(made.of(position), (other, i) => [other, elementAt(lengths, i)]))}\n`;
  });
  const { stdout, stderr } = read(bytes);
  assert.deepEqual([stderr, stdout.replaceAll(' ', '')], ['', lines.join('')]);
  assert.match(read(bytes.with(8, 6)).stderr, /^error: format version 6, expected 7\n$/);
  assert.match(read(bytes.subarray(0, -4)).stderr, /^error: another length\n$/);
  assert.match(read(bytes.with(-1, 7)).stderr, /^error: the border of positions \d+ and \d+ has one side\n$/);
});
