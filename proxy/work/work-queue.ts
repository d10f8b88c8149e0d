// Whose turn is next. Requests that come while much is being done, and tasks that are not done at once (reads that leave the
// event loop, inflating, bodies that are large or streamed), wait by client, and clients take turns: who asks for much waits
// for himself. Used by handler.ts for requests, by Reads (origin/origin.ts) for tasks.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { overloaded } from '../http/problem.ts';

/** Maximum concurrent tasks: most wait for reads. */
const RUNNING_MAX = 64;
/** Tasks of one client that wait; further ones are refused. Of all there is no maximum: each has a connection, which costs more. */
const WAITING_MAX = 512;
/**
 * What may be done in one turn of the event loop, in milliseconds and in bytes that are read. A turn accepts one connection:
 * while it is short, thousands that are opened at the same time do not keep a new client waiting for long.
 */
const TURN_MS = 2;
const TURN_BYTES = 4 * 1024 * 1024;
/** A request or a read costs as much as this many bytes besides its own. */
const READ_BYTES = 32 * 1024;
/** A task costs as much as this many bytes: it may inflate some 256 kB of text. */
const TASK_BYTES = 512 * 1024;

/** How much a queue does at a time. */
export interface WorkLimits {
  running: number;
  /** Of one client. */
  waiting: number;
}

/** The queue of all work for clients, whom it knows by the names of their principals. */
export class WorkQueue {
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

  /** Takes a turn for reading so many bytes at once; false once much has been done in this turn of the event loop. */
  takeTurn(bytes: number): boolean {
    if (this.#turnBytes === 0) {
      setImmediate(this.#endTurn);
      this.#turnBegan = performance.now();
    }
    this.#turnBytes += bytes + READ_BYTES;
    return this.#turnBytes <= TURN_BYTES && performance.now() - this.#turnBegan <= TURN_MS;
  }

  /** Is it the turn of a request that has just come? Otherwise it must `wait`. */
  isNext(client: string): boolean {
    return this.#requests.of(client) === 0 && this.takeTurn(0);
  }

  /** Resolves when it is the turn of a request. None is refused: what waits is one request for each connection. */
  wait(client: string): Promise<void> {
    return new Promise((resolve) => {
      this.#requests.add(client, resolve);
      void this.#serve();
    });
  }

  /**
   * Runs a task when it is its turn.
   * @throws Problem overloaded if too many tasks of the client wait
   */
  run<Result>(client: string, task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#tasks.of(client) >= this.#limits.waiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.#tasks.add(client, async () => {
        this.#running++;
        await Promise.resolve().then(task).then(resolve, reject);
        this.#running--;
        this.#begin();
      });
      this.#begin();
    });
  }

  /** Bytes that are being read by a task, when it is time for what it does with them: many may arrive at once. */
  async paced(reading: Promise<Buffer>): Promise<Buffer> {
    const bytes = await reading;
    while (!this.takeTurn(Math.min(bytes.length, TASK_BYTES))) await nextTurn();
    return bytes;
  }

  get #canBegin(): boolean {
    return this.#tasks.size > 0 && this.#running < this.#limits.running;
  }

  #begin(): void {
    while (this.#canBegin && this.takeTurn(TASK_BYTES)) void this.#tasks.next()?.();
    if (this.#canBegin) void this.#serve();
  }

  /** In each turn of the event loop as much as it may have, of each client in turn, at least one request and one task. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#requests.size > 0 || this.#canBegin) {
      await nextTurn();
      this.#endTurn();
      while (this.#requests.size > 0 && this.takeTurn(0)) {
        this.#requests.next()?.();
        await settled();
      }
      this.#endTurn();
      while (this.#canBegin && this.takeTurn(TASK_BYTES)) {
        void this.#tasks.next()?.();
        await settled();
      }
    }
    this.#isServing = false;
  }
}

/** Resolves when all has been done that follows from what was just done, such as sending an answer: it counts in the turn. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** What waits, by client; the client whose turn is next comes first. */
class Rotation<Entry> {
  readonly #clients = new Map<string, Entry[]>();
  #size = 0;

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** How many of them are of a client. */
  of(client: string): number {
    return this.#clients.get(client)?.length ?? 0;
  }

  add(client: string, entry: Entry): void {
    const waiting = this.#clients.get(client);
    if (waiting === undefined) this.#clients.set(client, [entry]);
    else waiting.push(entry);
    this.#size++;
  }

  /** Takes the oldest entry of the client whose turn it is. */
  next(): Entry | undefined {
    for (const [client, waiting] of this.#clients) {
      this.#clients.delete(client);
      if (waiting.length > 1) this.#clients.set(client, waiting);
      this.#size--;
      return waiting.shift();
    }
    return undefined;
  }
}
