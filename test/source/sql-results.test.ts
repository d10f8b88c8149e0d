// Results of SQL that the garbage collector frees while their dataset is in use: without a remedy the process stands still.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compile } from '../support/processes/compile.ts';

test('a dataset can be asked with SQL however often, whatever becomes of the results', () => {
  const program = compile('test/support/processes/sql-results.ts');
  const args = ['--max-semi-space-size=1', program];
  const { status, stderr } = spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
