// Run by builders.ci.ts in a process of its own: a pool whose child process is in a long call, as of GDAL.
import { writeSync } from 'node:fs';
import { openPool } from '../../../generator/workers/pool.ts';

const BLOCKED_MS = 120_000;

/** The job: says that it has begun, and blocks its thread. */
export function block(_: undefined): void {
  writeSync(1, 'blocked');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
}

// The child process loads this module, too.
if (process.send === undefined)
  await openPool(1).run<typeof block>({ module: import.meta.url, name: 'block', phase: 'blocked' }, undefined);
