// One client connection: its requests are handled one at a time, and a refused connection is closed in bounded time.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '../http/time.ts';

/** Parsed requests that wait on one connection. One packet can contain thousands; further ones are dropped. */
const WAITING_MAX = 32;
/** Time for a client to read the last answer and to close a connection that the server has ended. */
const LINGER_MS = 1_000;

/** Handles a request whose turn has come. */
export type Respond = (req: IncomingMessage, res: ServerResponse, connection: Connection) => void;

/** The requests of one connection, and how it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #respond: Respond;
  readonly #time: Time;
  /** Requests that wait for the response in progress. */
  readonly #waiting: { req: IncomingMessage; res: ServerResponse }[] = [];
  /** The last response that was begun. */
  #current: ServerResponse | undefined;
  #isListening = false;
  #hasDropped = false;
  #refusal: Buffer | undefined;
  /** When it was last read from again, and the end of the time for a request that came in part before it was paused. */
  #resumedAt = Number.NEGATIVE_INFINITY;
  #cancelDeadline: (() => void) | undefined;

  constructor(socket: Socket, respond: Respond, time: Time) {
    this.#socket = socket;
    this.#respond = respond;
    this.#time = time;
  }

  /** Must the response in progress close the connection, because requests after it were dropped? */
  get hasDropped(): boolean {
    return this.#hasDropped && !this.hasWaiting;
  }

  /** Are there requests that wait for the response in progress? */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Responds to a request when all earlier responses have ended. While a request waits, nothing more is read from the
   * connection: clients that do not read their responses cannot fill the memory with requests.
   */
  add(req: IncomingMessage, res: ServerResponse): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    if (!this.#isBusy && this.#waiting.length === 0) this.#begin(req, res);
    else if (this.#waiting.length < WAITING_MAX && !this.#hasDropped) {
      this.#waiting.push({ req, res });
      this.#pause();
      this.#listen();
    } else this.#hasDropped = true;
  }

  /**
   * Sends the last answer of the connection, after the responses in progress, and closes it. Later calls do nothing.
   */
  refuse(answer: Buffer): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = answer;
    if (this.#isBusy) {
      this.#socket.pause();
      this.#listen();
    } else this.#close(answer);
  }

  /**
   * Refuses a request that did not arrive in time. The time goes on while the connection is paused: then it has as much
   * again, since the rest of the request may have arrived long ago.
   * @param timeMs for a request, in milliseconds
   */
  refuseLate(answer: Buffer, timeMs: number): void {
    if (this.hasWaiting || this.#time.now() - this.#resumedAt < timeMs)
      this.#cancelDeadline ??= this.#time.after(timeMs, () => {
        this.#cancelDeadline = undefined;
        this.refuseLate(answer, timeMs);
      });
    else if (!this.#socket.destroyed) this.refuse(answer);
  }

  /** Refuses a connection that node:http has given up: responses in progress cannot continue. */
  refuseDetached(answer: Buffer): void {
    if (this.#isBusy) this.#socket.destroy();
    else this.refuse(answer);
  }

  get #isBusy(): boolean {
    return this.#current !== undefined && !this.#current.closed;
  }

  #begin(req: IncomingMessage, res: ServerResponse): void {
    this.#current = res;
    this.#respond(req, res, this);
  }

  /** Not at once: node:http resumes a socket when a message is complete, just after it has handed over the request. */
  #pause(): void {
    process.nextTick(() => {
      if (this.#waiting.length > 0) this.#socket.pause();
    });
  }

  /** Waits for the end of the response in progress. Only then: most clients send one request at a time. */
  #listen(): void {
    if (this.#isListening || this.#current === undefined) return;
    this.#isListening = true;
    this.#current.once('close', () => {
      this.#isListening = false;
      this.#next();
    });
  }

  #next(): void {
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next.req, next.res);
      if (this.#waiting.length > 0 || this.#refusal !== undefined) {
        this.#pause();
        if (this.#isBusy) this.#listen();
        else this.#next();
      } else {
        this.#resumedAt = this.#time.now();
        this.#socket.resume();
      }
    } else if (this.#refusal !== undefined) this.#close(this.#refusal);
  }

  #close(answer: Buffer): void {
    const socket = this.#socket;
    // The client may have disconnected; an error without a listener would end the process.
    socket.on('error', () => {});
    socket.end(answer);
    if (socket.readableEnded) {
      socket.destroySoon();
      return;
    }
    // What the client still sends is read: otherwise closing would reset the connection, and the answer may be lost.
    socket.once('end', () => socket.destroySoon()).resume();
    const cancel = this.#time.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
