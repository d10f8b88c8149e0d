// What the garbage collector frees of GDAL at a wrong moment: without a remedy the process stands still or crashes.
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

test('a process that ends while the collector is at work ends as it should, whatever it finds', () => {
  const program = compile('test/support/processes/geometries-at-exit.ts');
  // The collector is always at work. How far it comes depends on the number.
  const flags = ['--stress-incremental-marking', '--no-incremental-marking-task'];
  for (const geometries of ['500', '1000', '1500', '2000', '2500']) {
    const args = [...flags, program, geometries];
    const { status, signal, stderr } = spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' });
    assert.deepEqual([status, signal, stderr], [0, null, ''], geometries);
  }
});
