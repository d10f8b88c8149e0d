// The queue of work that is not done at once: reads that leave the event loop, inflating, bodies that are large or
// streamed. It bounds how much runs at a time and how much waits, and shares the event loop with everything else. Used by
// Reads (origin/origin.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { overloaded } from '../http/problem.ts';

/** Maximum concurrent tasks: most wait for reads. */
const RUNNING_MAX = 64;
/** Tasks that wait; further ones are refused. More than all clients together may hold, so that none fills it for others. */
const WAITING_MAX = 4096;
/** What may be done in one turn of the event loop, in bytes that are read: some 5 ms. */
const TURN_BYTES = 4 * 1024 * 1024;
/** A read costs as much as this many bytes besides its own. */
const READ_BYTES = 32 * 1024;
/** A task costs as much as this many bytes: it may inflate some 256 kB of text. */
const TASK_BYTES = 512 * 1024;

/** How much a queue does at a time. */
export interface WorkLimits {
  running: number;
  waiting: number;
}

/** A queue of tasks; between them, the event loop handles other events, health checks among them. */
export class WorkQueue {
  readonly #waitingMax: number;
  readonly #limit: LimitFunction;
  /** Bytes that were read at once, and that tasks stand for, in this turn of the event loop. */
  #turnBytes = 0;
  readonly #endTurn = (): void => {
    this.#turnBytes = 0;
  };

  constructor({ running, waiting }: WorkLimits = { running: RUNNING_MAX, waiting: WAITING_MAX }) {
    this.#limit = pLimit(running);
    this.#waitingMax = waiting;
  }

  /** Takes a turn for reading so many bytes at once; false once much has been done in this turn of the event loop. */
  takeTurn(bytes: number): boolean {
    if (this.#turnBytes === 0) setImmediate(this.#endTurn);
    this.#turnBytes += bytes + READ_BYTES;
    return this.#turnBytes <= TURN_BYTES;
  }

  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks wait
   */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#limit.pendingCount >= this.#waitingMax) return Promise.reject(overloaded());
    return this.#limit(async () => {
      while (!this.takeTurn(TASK_BYTES)) await nextTurn();
      return task();
    });
  }
}
