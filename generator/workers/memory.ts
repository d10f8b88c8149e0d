// The memory of this machine, and how much of it the tasks of a command may hold together: for the pool of a build.
import { totalmem } from 'node:os';

/** What a child process has with its modules, GDAL and a page or two, as measured. */
const PROCESS_BYTES = 120e6;

/** What one has after a small task, as measured: not all has been given back yet. */
const IDLE_BYTES = 180e6;
/** What one may have kept besides of earlier tasks, with however much memory. */
const KEPT_MAX_BYTES = 200e6;

/** Of tasks that hold no more besides nothing is counted: it is in `PROCESS_BYTES`, and they wait for nobody. */
const SMALL_BYTES = 20e6;

/** What a task asks for that holds so many bytes. */
export function askedBytes(held: number): number {
  return held > SMALL_BYTES ? held : 0;
}

/** Bytes that this process and its children may have: a control group (version 1 or 2) may limit them. */
export function machineMemory(total = totalmem(), limit = process.constrainedMemory()): number {
  return limit > 0 ? Math.min(total, limit) : total;
}

/** The default of --memory: the other half is for the files that the system keeps in memory, and for other programs. */
export function defaultMemory(): number {
  return Math.floor(machineMemory() / 2);
}

/** What is left for that which tasks hold, when each process has its own; 0 if that is too much already. */
export function memoryForTasks(memory: number, workers: number): number {
  return Math.max(0, memory - (workers + 1) * PROCESS_BYTES);
}

/**
 * Bytes that a process may have while it waits for its next task: with more it gives back what it does not use, which
 * takes a tenth of a second, and if that is not enough it is replaced, which takes half a second. Nobody counts what it
 * has kept of earlier tasks: in all processes that is at most a quarter of the memory for tasks.
 * @param memory that tasks may hold together
 */
export function idleMemory(memory: number, workers: number): number {
  return IDLE_BYTES + Math.min(memory / (4 * workers), KEPT_MAX_BYTES);
}
