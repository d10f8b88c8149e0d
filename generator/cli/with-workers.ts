// The work of a command in child processes, with its progress.
import { toBuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import { openPool, type Pool } from '../workers/pool.ts';
import { exitOnSignal, type GlobalOptions, reportOf, WORKERS_MAX } from './command.ts';
import { wholeNumber } from './parse-options.ts';

/** Does the work, then ends the child processes. @throws BuildError for errors of the operating system */
export async function withWorkers<Result>(
  { workers, out, ...options }: GlobalOptions & { workers: number; out: string },
  work: (pool: Pool, report: Report) => Promise<Result>,
): Promise<Result> {
  const size = wholeNumber('--workers', workers, 0, WORKERS_MAX);
  if (size > 0) exitOnSignal();
  const [pool, report] = [openPool(size), reportOf(options)];
  try {
    return await work(pool, report);
  } catch (error) {
    throw toBuildError(error, out);
  } finally {
    await pool.close();
    report.end();
  }
}
