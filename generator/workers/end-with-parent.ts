// Ends a child process when its parent has ended, even while the child is in a long call of GDAL. Used by worker.ts.
import { Worker } from 'node:worker_threads';

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
 * Watches the parent from a thread, and kills this process within a second of the parent's end. On Windows, where a
 * process keeps the id of its parent, it has no effect.
 * @param parent id of the parent as the parent passed it: it may have ended before this process starts
 */
export function endWithParent(parent: number): void {
  const workerData = { parent, every: CHECK_EVERY_MS };
  new Worker(THREAD, { eval: true, workerData, execArgv: [], resourceLimits: MEMORY }).unref();
}
