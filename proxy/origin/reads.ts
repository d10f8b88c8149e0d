// How bodies are read: at once where that takes microseconds, otherwise in the queue of work, and never for a client that
// has gone. Used by pages/ and by http/send.ts.
import type { WorkQueue } from '../limits/work-queue.ts';
import type { ByteRange, Client, Origin } from './origin.ts';

/** Maximum length of a read on the event loop: about 50 microseconds from the page cache. */
const NOW_MAX_BYTES = 128 * 1024;

/** The client has disconnected: nothing was read for it, and nothing can be sent to it. */
export class ClientGone extends Error {
  constructor() {
    super('the client has disconnected');
    this.name = 'ClientGone';
  }
}

/** Reads of stored files for clients. */
export class Reads {
  readonly origin: Origin;
  readonly #queue: WorkQueue | undefined;

  /** @param queue without it work begins at once: some platforms limit it themselves */
  constructor(origin: Origin, queue: WorkQueue | undefined) {
    this.origin = origin;
    this.#queue = queue;
  }

  /** The same without the queue: for a task that has come to its turn. */
  get withoutQueue(): Reads {
    return new Reads(this.origin, undefined);
  }

  /** Reads a range into `target` without waiting, as `Origin.readNow`; false if it must wait. */
  now(path: string, range: ByteRange, target: Buffer, at: number, staysOpen: boolean): boolean {
    const { origin } = this;
    if (origin.readNow === undefined || range.length > NOW_MAX_BYTES) return false;
    if (this.#queue !== undefined && !this.#queue.hasTurn(range.length)) return false;
    return origin.readNow(path, range, target, at, staysOpen);
  }

  /**
   * Runs a task that leaves the event loop, inflates, or has much to do.
   * @throws Problem overloaded if too many tasks wait
   * @throws ClientGone if the client has disconnected before its turn
   */
  later<Result>(client: Client, task: () => Result | Promise<Result>): Promise<Result> {
    const unlessGone = (): Result | Promise<Result> => {
      if (client.isClosed) throw new ClientGone();
      return task();
    };
    return this.#queue === undefined ? Promise.resolve().then(unlessGone) : this.#queue.run(unlessGone);
  }
}
