// One client connection: its requests are handled one at a time, and a refused connection is closed in bounded time. Used
// by server.ts.
import type { Socket } from 'node:net';

/** Parsed requests that wait on one connection. One packet can contain thousands; further ones are dropped. */
const WAITING_MAX = 32;
/** Time for a client to read the last answer and to close a connection that the server has ended. */
const LINGER_MS = 1_000;

/** The requests of one connection, and how it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #waiting: ((end: () => void) => void)[] = [];
  #isBusy = false;
  #hasDropped = false;
  #refusal: Buffer | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
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
   * Calls `start` when all earlier responses have ended. While a request waits, nothing more is read from the
   * connection: clients that do not read their responses cannot fill the memory with requests.
   * @param start receives a function to call once, when its response has ended
   */
  add(start: (end: () => void) => void): void {
    if (!this.#isBusy) this.#begin(start);
    else if (this.#waiting.length < WAITING_MAX && !this.#hasDropped) {
      this.#waiting.push(start);
      this.#socket.pause();
    } else this.#hasDropped = true;
  }

  /** Sends the last answer of the connection, after the responses in progress, and closes it. Later calls do nothing. */
  refuse(answer: Buffer): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = answer;
    if (this.#isBusy) this.#socket.pause();
    else this.#close(answer);
  }

  /** Refuses a connection that node:http has given up: responses in progress cannot continue. */
  refuseDetached(answer: Buffer): void {
    if (this.#isBusy) this.#socket.destroy();
    else this.refuse(answer);
  }

  #begin(start: (end: () => void) => void): void {
    this.#isBusy = true;
    start(() => this.#next());
  }

  #next(): void {
    this.#isBusy = false;
    if (this.#socket.destroyed) return;
    const start = this.#waiting.shift();
    if (start !== undefined) this.#begin(start);
    else if (this.#refusal !== undefined) this.#close(this.#refusal);
    else this.#socket.resume();
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
    const deadline = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(deadline));
  }
}
