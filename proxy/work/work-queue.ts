// The queue of work that is not done at once: reads that leave the event loop, inflating, bodies that are large or
// streamed. It bounds how much runs at a time and how much waits, and shares the event loop with everything else.
import { overloaded } from '../http/problem.ts';

/** Maximum concurrent tasks: most wait for reads. */
const RUNNING_MAX = 64;
/** Tasks that wait; further ones are refused. More than all clients together may hold, so that none fills it for others. */
const WAITING_MAX = 4096;
/** Time for starting tasks in one turn of the event loop, in milliseconds. */
const TURN_MS = 5;
/** What may be read at once in one turn of the event loop, in bytes: some 5 ms. */
const TURN_BYTES = 4 * 1024 * 1024;
/** A read costs as much as this many bytes besides its own. */
const READ_BYTES = 32 * 1024;

/** How much a queue does at a time. */
export interface WorkLimits {
  running: number;
  waiting: number;
}

/** A queue of tasks; between them, the event loop handles other events, health checks among them. */
export class WorkQueue {
  readonly #limits: WorkLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isScheduled = false;
  /** Bytes that were read at once in this turn of the event loop. */
  #turnBytes = 0;
  readonly #endTurn = (): void => {
    this.#turnBytes = 0;
  };

  constructor(limits: WorkLimits = { running: RUNNING_MAX, waiting: WAITING_MAX }) {
    this.#limits = limits;
  }

  /** Do tasks wait? */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** May so many bytes be read at once? Not once much has been read in this turn of the event loop. */
  hasTurn(bytes: number): boolean {
    if (this.#turnBytes === 0) setImmediate(this.#endTurn);
    this.#turnBytes += bytes + READ_BYTES;
    return this.#turnBytes <= TURN_BYTES;
  }

  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks wait
   */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= this.#limits.waiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        this.#running++;
        // A task that throws at once rejects, too.
        new Promise<Result>((settle) => settle(task())).then(resolve, reject).finally(() => {
          this.#running--;
          this.#schedule();
        });
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#running >= this.#limits.running) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const end = performance.now() + TURN_MS;
      while (this.#running < this.#limits.running && performance.now() < end) {
        const start = this.#waiting.shift();
        if (start === undefined) break;
        start();
      }
      this.#schedule();
    });
  }
}
