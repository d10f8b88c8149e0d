// A reader of cells in Python, which knows the specification alone, finds the same units.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { dice } from '../support/dice.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeLevel, type PointText, patchwork, pointsNear, star } from './made-up-levels.ts';

const READER = 'test/format/read_cells.py';
const skip = without('python3 --version');

function readCells(file: string, points: readonly PointText[]): { stdout: string; stderr: string } {
  const input = points.map((point) => `${point.join()}\n`).join('');
  return spawnSync('python3', ['-I', '-S', READER, file], { encoding: 'utf8', input });
}

test('the reader in Python, which knows the specification alone, finds the same units', { skip }, () => {
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
  }
  const { cells, bytes } = makeLevel(patchwork(7, 2, 3, 20, dice(19)), 7);
  const file = join(folder, 'damaged.bin');
  for (const [at, problem] of [
    [0, 'does not begin like a file of cells'],
    [8, 'format version 4, expected 5'],
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
