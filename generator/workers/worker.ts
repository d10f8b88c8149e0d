// The child process of a command: runs the jobs of its parent one by one and sends back each result.
import { Session } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { BuildError } from '../report/errors.ts';
import { type Cost, measured } from '../report/phases.ts';
import { type Job, perform } from './tasks.ts';

/** The message to the parent: the result of a job and what it took, or its error. */
export type Answer = { result: unknown; cost: Cost } | { failure: Failure };

/** An error as plain data. */
export interface Failure {
  /** With the stack, if the cause is unknown. */
  message: string;
  /** Of a BuildError, as is its remedy. */
  lines?: readonly string[] | undefined;
  remedy?: string | undefined;
  /** Of an error of the operating system: its code and, if it has one, the path. */
  code?: string | undefined;
  path?: string | undefined;
}

const CHECK_EVERY_MS = 200;

// A thread has an event loop apart from that of GDAL's thread. Plain JavaScript: no loader of TypeScript starts in it.
const THREAD = `
const { workerData: { parent, every } } = require('node:worker_threads');
const check = () => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); };
check();
setInterval(check, every);
`;
/** Megabytes; the thread needs less. */
const MEMORY = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

/**
 * Ends this process when its parent has ended, even while it is in a long call of GDAL: watches the parent from a
 * thread, and kills this process within a second of the parent's end. On Windows, where a process keeps the id of its
 * parent, it has no effect.
 * @param parent id of the parent as the parent passed it: it may have ended before this process starts
 */
function endWithParent(parent: number): void {
  const workerData = { parent, every: CHECK_EVERY_MS };
  new Worker(THREAD, { eval: true, workerData, execArgv: [], resourceLimits: MEMORY }).unref();
}

async function answer(job: Job, idleMax: number): Promise<Answer> {
  try {
    const { result, cost } = await measured(() => perform(job));
    if (cost.heldBytes > idleMax) await giveBack();
    return { result, cost: { ...cost, heldBytes: process.memoryUsage.rss() } };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Gives back the memory that this process has and does not use: V8 itself does so only when it lacks memory. */
async function giveBack(): Promise<void> {
  const session = new Session();
  session.connect();
  await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()));
  session.disconnect();
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack = message } = error;
  if (error instanceof BuildError) return { message, lines: error.lines, remedy: error.remedy };
  if (!('syscall' in error && 'code' in error)) return { message: stack };
  return { message, code: String(error.code), path: 'path' in error ? String(error.path) : undefined };
}

// The pool passes its process id, and how much memory a process may have that waits.
const [parent = 0, idleMax = 0] = process.argv.slice(-2).map(Number);
endWithParent(parent);
process.on('message', async (job: Job) => {
  // If the parent has ended, the message cannot be sent, and 'disconnect' follows.
  process.send?.(await answer(job, idleMax), undefined, undefined, () => {});
});
// The parent has ended, on Windows too. At once: an ordinary exit stops the thread above first, and may then wait for
// GDAL.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Signals to the whole process group: the parent receives them as well, and ends its child processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
