// What the garbage collector frees of GDAL at a wrong moment: without a remedy the process stands still or crashes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../support/processes/compile.ts';
import { runProgram } from '../../support/processes/programs.ts';

/** So many seconds on a processor are far more than it needs, on a machine of any load. */
const CPU_MAX = 60;
/** A process that stands still takes none: it is ended after so many milliseconds. */
const STILL_MS = 600_000;

/** Asserts that node ends as it should with these arguments, and prints nothing. */
async function assertEnds(...args: readonly string[]): Promise<void> {
  const limited = ['-c', `ulimit -t ${CPU_MAX} && exec "$0" "$@"`, process.execPath];
  const ended = await runProgram('sh', [...limited, ...args], { timeout: STILL_MS });
  assert.deepEqual(ended, { status: 0, text: '' }, args.join(' '));
}

test('a dataset can be asked with SQL however often, whatever becomes of the results', () =>
  assertEnds('--max-semi-space-size=1', compile('test/support/processes/sql-results.ts')));

test('a process that ends while the collector is at work ends as it should, whatever it finds', async () => {
  const program = compile('test/support/processes/geometries-at-exit.ts');
  // The collector is always at work. How far it comes depends on the number.
  for (const geometries of ['500', '1000', '1500', '2000', '2500'])
    await assertEnds('--stress-incremental-marking', '--no-incremental-marking-task', program, geometries);
});
