// Worker processes parse the metadata of a new release one after the other.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../support/processes/compile.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TURN_TAKER = compile('test/support/processes/turn-taker.ts');

test('worker processes take turns one at a time, also when one of them ends in its turn', () => {
  const file = join(temporaryFolder(), 'turns');
  execFileSync(process.execPath, [TURN_TAKER, file], { timeout: 60_000 });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  // Two workers have two turns, the third one has one.
  assert.equal(lines.length, 10);
  for (const [i, line] of lines.entries()) {
    const begin = lines[i - (i % 2)]?.split(' ');
    assert.deepEqual(line.split(' '), [i % 2 === 0 ? 'begin' : 'end', begin?.[1]]);
  }
});
