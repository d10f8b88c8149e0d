// Where the files of releases are read from: the interface of the other files of this folder, and how reads for clients
// use it: at once where that takes microseconds, otherwise in the queue of work, and never for a client that has gone.
// Paths come from format/layout.ts with data of an index, never from the text of a request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone, NO_TURNS, type Turns } from '../http/guards.ts';
import { type BodyBuffers, circularMemory } from '../work/body-buffers.ts';

/** A range of bytes of a file. */
export interface ByteRange {
  /** Of the first byte. */
  offset: number;
  /** In bytes. */
  length: number;
}

/** The client that a page is read for. */
export interface Recipient {
  /** The name of its principal, whose turn the work is; empty on platforms without a queue. */
  readonly principal: string;
  /** Has the response ended, completely or not? */
  readonly isClosed: boolean;
  /** Of node:http, for http-proxy; undefined on other platforms. */
  readonly exchange: { req: IncomingMessage; res: ServerResponse } | undefined;
  /** Is aborted when the response has ended; undefined on platforms that end what is read by themselves. */
  readonly gone?: AbortSignal | undefined;
}

/** A client for what others may wait for, too: whether or not the request that asks first stays. */
export function lastingClient(principal: string): Recipient {
  return { principal, isClosed: false, exchange: undefined };
}

/** For what several clients wait for. */
export const NOBODY: Recipient = lastingClient('');

/** A client that is connected by node:http. */
export type Exchange = NonNullable<Recipient['exchange']>;

/** Whom a file is read for. */
export interface ReadOptions {
  /** Reading ends when it is aborted. */
  readonly gone?: AbortSignal | undefined;
  /** The range is a whole file, a stored page, which is sent to this client as it is read. */
  readonly page?: Recipient;
}

/** A source of files. */
export interface Origin {
  /**
   * Exactly the bytes of a range, or a whole file.
   * @param extent the range, or the length that the whole file may have at most
   * @throws OriginError if the file is missing, shorter than the range, or cannot be read
   * @throws ClientGone possibly, if the reader has gone
   */
  read(path: string, extent: ByteRange | number, reader?: ReadOptions): Promise<Buffer>;
  /**
   * Reads exactly the bytes of a range into `target` without waiting.
   * @param at where in `target`
   * @param staysOpen will other ranges of the file be read soon?
   * @returns false if that would block the event loop: then `read` must be used
   * @throws OriginError as `read` does
   */
  readNow?(path: string, range: ByteRange, target: Buffer, at: number, staysOpen: boolean): boolean;
  /**
   * Closes open files: one file that is damaged and may be replaced, all files of the folder of a release that is no
   * longer hosted, or with an empty path everything, connections too.
   */
  close?(path: string): void;
}

/**
 * A file of the origin does not match the index, or did not arrive in time. The message contains the path:
 * it is for the log only, not for clients.
 */
export class OriginError extends Error {
  /**
   * `unreachable`: the host did not answer, or has an outage. `busy`: this process or machine has no file descriptor
   * left.
   */
  readonly reason: 'missing' | 'unreadable' | 'unreachable' | 'damaged' | 'slow' | 'busy';
  /** Relative to the origin. */
  readonly path: string;

  /** Is a release that has been removed or replaced a possible cause? */
  get mayBeGone(): boolean {
    return this.reason === 'missing' || this.reason === 'damaged';
  }

  /** @param cause an error, or text for the message */
  constructor(reason: OriginError['reason'], path: string, cause?: unknown) {
    super(`${path}: ${reason}${typeof cause === 'string' ? `, ${cause}` : ''}`, { cause });
    this.name = 'OriginError';
    this.reason = reason;
    this.path = path;
  }
}

/**
 * Maximum length of a read on the event loop: at most 100 microseconds from the page cache. A page of 1,000 units
 * without geometry has less.
 */
const NOW_MAX_BYTES = 256 * 1024;
/**
 * A request that has come to its turn makes its small reads, however long the turn has become: later each would cost
 * many times as much, just when there is much to do. The next request waits for the next turn.
 */
const SMALL_MAX_BYTES = 16 * 1024;
/**
 * Of a stream so much is read at a time: at once; from a host, where a stream has two pieces in memory, one that is
 * sent and one that is read; and on platforms that limit the number of requests, and memory by themselves.
 */
const PIECE_BYTES = { now: 128 * 1024, host: 512 * 1024, alone: 1024 * 1024 } as const;

/** Reads of stored files for clients, in their turns. */
export class QueuedReads {
  readonly origin: Origin;
  readonly #turns: Turns;
  /** Reads of a host in progress: a piece of a body has up to eight, and a stream reads when its client takes more. */
  readonly #hostReads: Turns | undefined;
  readonly #buffers: BodyBuffers | undefined;
  #ofTask: TaskReads | undefined;

  /**
   * @param buffers for bodies that are sent before the next one is read
   * @param hostReads the turns of its reads, where a host is not limited by the platform
   */
  constructor(origin: Origin, turns: Turns = NO_TURNS, buffers?: BodyBuffers, hostReads?: Turns) {
    this.origin = origin;
    this.#turns = turns;
    this.#buffers = buffers;
    this.#hostReads = hostReads;
  }

  /** Takes memory for the pieces of one stream that is sent as it is: it may be used again, see `circularMemory`. */
  pieceMemory(): (bytes: number) => Buffer {
    return this.#buffers === undefined ? Buffer.allocUnsafe : circularMemory();
  }

  /** How much of a stream is read at a time. */
  get pieceBytes(): number {
    if (this.origin.readNow !== undefined) return PIECE_BYTES.now;
    return this.#hostReads === undefined ? PIECE_BYTES.alone : PIECE_BYTES.host;
  }

  /** The error of a file whose bytes are not those of the index. It is closed: the operator may replace it. */
  damaged(path: string, cause?: string): OriginError {
    this.origin.close?.(path);
    return new OriginError('damaged', path, cause);
  }

  /** Those of what has come to its turn. */
  get ofTask(): TaskReads {
    this.#ofTask ??= new TaskReads(
      this.origin,
      { ...NO_TURNS, pace: (...bytes) => this.#turns.pace(...bytes) },
      undefined,
      this.#hostReads,
    );
    return this.#ofTask;
  }

  /**
   * Memory for a body that is read without waiting: the next call may return the same, unless `keep` is called before.
   */
  buffer(bytes: number): Buffer {
    return this.#buffers?.take(bytes) ?? Buffer.allocUnsafe(bytes);
  }

  /** Leaves its memory to a body that could not be sent at once. @returns the size of that memory */
  keep(body: Buffer): number {
    return this.#buffers?.keep(body) ?? body.length;
  }

  /** Reads a range into `target` without waiting, as `Origin.readNow`; false if it must wait. */
  now(path: string, range: ByteRange, target: Buffer, at: number, staysOpen: boolean): boolean {
    const { origin } = this;
    if (origin.readNow === undefined || range.length > NOW_MAX_BYTES) return false;
    const isInTurn = this.#turns.charge(range.length);
    if (!isInTurn && range.length > SMALL_MAX_BYTES) return false;
    return origin.readNow(path, range, target, at, staysOpen);
  }

  /**
   * Reads a range in the thread pool or from a host, as `Origin.read`.
   * @param reader where it is not the client alone
   */
  async read(
    path: string,
    range: ByteRange,
    client: Recipient,
    reader: ReadOptions = { gone: client.gone },
  ): Promise<Buffer> {
    const read = (): Promise<Buffer> => this.origin.read(path, range, reader);
    const bytes = await (this.#hostReads?.run(client.principal, read, client.gone) ?? read());
    await this.pace(client, bytes.length);
    return bytes;
  }

  /** Waits until it is time for what is done with bytes that have been read. */
  pace({ principal }: Recipient, bytes: number): Promise<void> {
    return this.#turns.pace(principal, bytes);
  }

  /** A range in memory that is taken for it, if that is read without waiting; otherwise in memory of its own. */
  async range(
    path: string,
    range: ByteRange,
    client: Recipient,
    take: (bytes: number) => Buffer,
    staysOpen: boolean,
  ): Promise<Buffer> {
    const memory = this.origin.readNow && take(range.length);
    const isRead = memory !== undefined && this.now(path, range, memory, 0, staysOpen);
    return isRead ? memory : this.read(path, range, client);
  }

  /**
   * Runs a task that leaves the event loop, inflates, or has much to do. It reads with what it is given.
   * @throws Problem overloaded if too many tasks of the client wait
   * @throws ClientGone when the client has disconnected before its turn
   */
  later<Result>(client: Recipient, task: (reads: TaskReads) => Result | Promise<Result>): Promise<Result> {
    const unlessGone = (): Result | Promise<Result> => {
      if (client.isClosed) throw new ClientGone();
      return task(this.ofTask);
    };
    return this.#turns.run(client.principal, unlessGone, client.gone);
  }
}

/** The reads of a task: what it begins `later` goes on at once, as a task never waits for another one. */
export class TaskReads extends QueuedReads {
  override get ofTask(): this {
    return this;
  }
}
