// Whose turn is next. Requests that come while much is being done, and tasks that are not done at once (reads that
// leave the event loop, inflating, bodies that are large or streamed), wait by client, and clients take turns: who asks
// for much waits for himself.
//
// Who must ask: each request (`next`, else `wait`), as that of its client, or of its address until it has a valid
// token; and whatever it does that leaves the event loop, inflates, or takes more than a millisecond (`run`), by way of
// Reads. Bytes that a task or stream has read are worked on when it is time (`pace`). What stays outside: health
// checks, loading what all clients share (releases, tables, keys), and a small read beyond what a turn may have, of a
// request that has its turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClientGone, type Turns } from '../http/guards.ts';
import { overloaded } from '../http/problem.ts';

/** Maximum concurrent tasks: most wait for reads. */
const RUNNING_MAX = 64;
/**
 * Tasks of one client that wait; further ones are refused. Of all there is no maximum: each has a connection, which
 * costs more.
 */
const WAITING_MAX = 512;
/**
 * What may be done in one turn of the event loop, in milliseconds and in bytes that are read. A turn accepts one
 * connection: while it is short, thousands that are opened at the same time do not keep a new client waiting for long.
 */
const TURN_MS = 2;
const TURN_BYTES = 4 * 1024 * 1024;
/** A request costs as much as this many bytes besides its own. */
const REQUEST_BYTES = 32 * 1024;
/** So does a read. */
const READ_BYTES = 4 * 1024;
/** A task costs as much as this many bytes: it may inflate some 256 kB of text. */
const TASK_BYTES = 512 * 1024;

/** Reads of a host at a time. All that wait are of tasks or streams, whose number is bounded. */
export const HOST_READS: WorkLimits = { running: 64, waiting: Number.POSITIVE_INFINITY };

/** How much a queue does at a time. */
export interface WorkLimits {
  running: number;
  /** Of one client. */
  waiting: number;
}

/**
 * The queue of all work for clients, whom it knows by the names of their principals. A turn costs the bytes that it
 * stands for: READ_BYTES and its own for a read, REQUEST_BYTES for a request, TASK_BYTES for a task, whatever that does
 * later. Once they come to TURN_BYTES, or TURN_MS have passed, the rest waits for the next turn of the event loop, in
 * which at least one request and one task are served: nobody waits for more than one turn of each client before him.
 */
export class WorkQueue implements Turns {
  readonly #limits: WorkLimits;
  readonly #requests = new Rotation<() => void>();
  readonly #tasks = new Rotation<() => Promise<void>>();
  #running = 0;
  #isServing = false;
  /** Bytes that were read at once, and that tasks stand for, in this turn of the event loop; and when it began. */
  #turnBytes = 0;
  #turnBegan = 0;
  readonly #endTurn = (): void => {
    this.#turnBytes = 0;
  };

  constructor(limits: WorkLimits = { running: RUNNING_MAX, waiting: WAITING_MAX }) {
    this.#limits = limits;
  }

  /** Requests and tasks that wait for their turn. */
  get waiting(): number {
    return this.#requests.size + this.#tasks.size;
  }

  /** Takes a turn for a read of so many bytes; false once much has been done in this turn of the event loop. */
  charge(bytes: number): boolean {
    return this.#take(READ_BYTES + bytes);
  }

  /** The same for what costs so many bytes; false once much has been done. */
  #take(bytes: number): boolean {
    if (this.#turnBytes === 0) {
      setImmediate(this.#endTurn);
      this.#turnBegan = performance.now();
    }
    this.#turnBytes += bytes;
    return this.#turnBytes <= TURN_BYTES && performance.now() - this.#turnBegan <= TURN_MS;
  }

  /** Is it the turn of a request that has just come? Otherwise it must `wait`. */
  next(principal: string): boolean {
    return this.#requests.of(principal) === 0 && this.#take(REQUEST_BYTES);
  }

  /**
   * Resolves when it is the turn of a request, or its client has gone. None is refused: what waits is one request for
   * each connection.
   */
  wait(principal: string, gone?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#requests.add(principal, resolve, gone, resolve);
      void this.#serve();
    });
  }

  /** Resolves when it is time for what is done with bytes that have been read for a client: many may arrive at once. */
  async pace(principal: string, bytes: number): Promise<void> {
    if (this.#isServing || !this.charge(Math.min(bytes, TASK_BYTES))) await this.wait(principal);
  }

  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks of the client wait
   * @throws ClientGone when the client has gone before its turn
   */
  run<Result>(principal: string, task: () => Result | Promise<Result>, gone?: AbortSignal): Promise<Result> {
    if (this.#tasks.of(principal) >= this.#limits.waiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        this.#running++;
        await Promise.resolve().then(task).then(resolve, reject);
        this.#running--;
        this.#begin();
      };
      this.#tasks.add(principal, begin, gone, () => reject(new ClientGone()));
      this.#begin();
    });
  }

  get #canBegin(): boolean {
    return this.#tasks.size > 0 && this.#running < this.#limits.running;
  }

  #begin(): void {
    while (this.#canBegin && this.#take(TASK_BYTES)) void this.#tasks.next()?.();
    if (this.#canBegin) void this.#serve();
  }

  /**
   * In each turn of the event loop as much as it may have, of each client in turn, at least one request and one task.
   */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#requests.size > 0 || this.#canBegin) {
      await nextTurn();
      this.#endTurn();
      while (this.#requests.size > 0 && this.#take(REQUEST_BYTES)) {
        this.#requests.next()?.();
        await settled();
      }
      this.#endTurn();
      while (this.#canBegin && this.#take(TASK_BYTES)) {
        void this.#tasks.next()?.();
        await settled();
      }
    }
    this.#isServing = false;
  }
}

/**
 * Resolves when all has been done that follows from what was just done, such as sending an answer: it counts in the
 * turn.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** What waits, and how it leaves when its client has gone. */
interface Waiting<Entry> {
  entry: Entry;
  gone: AbortSignal | undefined;
  leave: () => void;
}

/** What waits, by client; the client whose turn is next comes first. */
class Rotation<Entry> {
  readonly #waiting = new Map<string, Set<Waiting<Entry>>>();
  #size = 0;

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** How many of them are of a client. */
  of(principal: string): number {
    return this.#waiting.get(principal)?.size ?? 0;
  }

  /** @param gone when it is aborted, the entry leaves and `onGone` is called */
  add(principal: string, entry: Entry, gone: AbortSignal | undefined, onGone: () => void): void {
    const waiting = this.#waiting.get(principal) ?? new Set();
    const leave = (): void => {
      if (!waiting.delete(own)) return;
      this.#size--;
      if (waiting.size === 0) this.#waiting.delete(principal);
      onGone();
    };
    const own = { entry, gone, leave };
    this.#waiting.set(principal, waiting.add(own));
    this.#size++;
    if (gone?.aborted) leave();
    else gone?.addEventListener('abort', leave);
  }

  /** Takes the oldest entry of the client whose turn it is. */
  next(): Entry | undefined {
    for (const [principal, waiting] of this.#waiting)
      for (const own of waiting) {
        waiting.delete(own);
        // One client may have thousands of reads, one after the other.
        own.gone?.removeEventListener('abort', own.leave);
        this.#size--;
        this.#waiting.delete(principal);
        if (waiting.size > 0) this.#waiting.set(principal, waiting);
        return own.entry;
      }
    return undefined;
  }
}
