// A reader of neighbours in Python, which knows the specification alone, finds the same neighbours.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { encodeNeighbours } from '../../format/neighbours.ts';
import { neighboursOf } from '../../generator/write/neighbours.ts';
import { bordersOf, patchwork } from '../generator/made-up-levels.ts';
import { dice } from '../support/dice.ts';
import { without } from '../support/processes/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const skip = without('python3 --version');

test('a reader in Python, which knows the specification alone, finds the same neighbours', { skip }, () => {
  const file = join(temporaryFolder(), 'neighbours.bin');
  const made = neighboursOf(bordersOf(patchwork(7, 6, 8, 5, dice(40)), 7));
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
  assert.match(read(bytes.with(8, 5)).stderr, /^error: format version 5, expected 6\n$/);
  assert.match(read(bytes.subarray(0, -4)).stderr, /^error: another length\n$/);
  assert.match(read(bytes.with(-1, 7)).stderr, /^error: the border of positions \d+ and \d+ has one side\n$/);
});
