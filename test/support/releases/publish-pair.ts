// What became of the units between two releases of a folder of tests, published in this process.
import type { KeyObject } from 'node:crypto';
import { publishChanges } from '../../../generator/changes/publish-changes.ts';
import { withLock } from '../../../generator/release/output-lock.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { openPool } from '../../../generator/workers/pool.ts';

/** Publishes the changes of a pair, signed if there is a key. */
export async function publishPair(
  out: string,
  from: string,
  to: string,
  key?: KeyObject,
  report: Report = SILENT,
): Promise<void> {
  await publishChanges({ out, from, to }, key, openPool(0), report, (write) => withLock(out, write));
}
