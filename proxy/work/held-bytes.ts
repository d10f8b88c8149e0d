// Bodies that clients have not taken yet: how many bytes they may be, in all and for one client, and which connections are
// cut because they take too little while others wait. And memory for bodies that are read at once. Used by send.ts.
import type { ServerResponse } from 'node:http';
import { Overloaded } from './work-queue.ts';

/** What may be held, and the pace that clients must keep. */
export interface HeldLimits {
  /** Bytes of all bodies together. */
  totalBytes: number;
  /** Bytes of the bodies of one client. */
  clientBytes: number;
  /** While others wait, a connection that takes nothing for so long is cut. */
  stalledMs: number;
  /** While others wait, a connection that takes fewer than PACE_BYTES in this time is cut. */
  paceMs: number;
  /** How often that is looked at. */
  checkMs: number;
}

const MIB = 1024 * 1024;
const LIMITS: HeldLimits = {
  totalBytes: 128 * MIB,
  clientBytes: 32 * MIB,
  stalledMs: 10_000,
  paceMs: 30_000,
  checkMs: 2_500,
};
/** Of a stream, at most about this is in memory at a time. */
const STREAM_BYTES: number = MIB;
const PACE_BYTES = 64 * 1024;

/** A response that a client has not taken. */
interface Held {
  client: string;
  bytes: number;
  /** Bytes that the client has taken: the last ones seen, when they changed, and those at the beginning of a period. */
  taken: number;
  changedAt: number;
  periodBytes: number;
  periodAt: number;
}

/** The bodies that are being read for clients, or wait for them to read. */
export class HeldBytes {
  readonly #limits: HeldLimits;
  readonly #held = new Map<ServerResponse, Held>();
  readonly #ofClient = new Map<string, number>();
  #total = 0;
  /** Has a request been refused since the last check? */
  #hasRefused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: HeldLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Bytes of all bodies. */
  get total(): number {
    return this.#total;
  }

  /**
   * Is there room for another body of a client?
   * @throws Overloaded if not
   */
  admit(client: string): void {
    if (this.#total === 0) return;
    const { totalBytes, clientBytes } = this.#limits;
    if (this.#total < totalBytes && (this.#ofClient.get(client) ?? 0) < clientBytes) return;
    this.#hasRefused = true;
    throw new Overloaded();
  }

  /** Counts a body until its response has ended. @param bytes its length */
  hold(client: string, bytes: number, res: ServerResponse): void {
    if (res.closed || this.#held.has(res)) return;
    const held = Math.min(bytes, STREAM_BYTES);
    const now = performance.now();
    this.#count(client, held);
    const taken = takenOf(res);
    this.#held.set(res, { client, bytes: held, taken, changedAt: now, periodBytes: taken, periodAt: now });
    res.once('close', () => this.#release(res));
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkMs).unref();
  }

  #release(res: ServerResponse): void {
    const held = this.#held.get(res);
    if (held === undefined) return;
    this.#held.delete(res);
    this.#count(held.client, -held.bytes);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #count(client: string, bytes: number): void {
    this.#total += bytes;
    const own = (this.#ofClient.get(client) ?? 0) + bytes;
    if (own > 0) this.#ofClient.set(client, own);
    else this.#ofClient.delete(client);
  }

  /** Cuts connections that take too little, if others had to wait or soon will. */
  #check(): void {
    const { totalBytes, stalledMs, paceMs } = this.#limits;
    const mustFree = this.#hasRefused || this.#total > totalBytes / 2;
    this.#hasRefused = false;
    const now = performance.now();
    for (const [res, held] of this.#held) {
      const taken = takenOf(res);
      if (taken !== held.taken) {
        held.taken = taken;
        held.changedAt = now;
      }
      if (taken - held.periodBytes >= PACE_BYTES) {
        held.periodBytes = taken;
        held.periodAt = now;
      }
      // Nothing has been sent yet: the client waits for the service.
      if (!mustFree || !res.headersSent) held.periodAt = res.headersSent ? held.periodAt : now;
      else if (now - held.changedAt >= stalledMs || now - held.periodAt >= paceMs) res.destroy();
    }
  }
}

/** Bytes that the socket of a response has handed to the operating system, in whole chunks. */
function takenOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}

/** Maximum size of a body that is sent at once. Larger ones are sent in chunks, and so never in memory that is used again. */
export const AT_ONCE_MAX_BYTES: number = 128 * 1024;

/**
 * Buffers that are used again and again. Where the operating system takes a body at once, the next one is read into the same
 * memory: nothing is allocated, and the memory is in the processor's cache.
 */
export class BodyBuffers {
  /** The free buffer of 2^i bytes. */
  readonly #free: (Buffer | undefined)[] = [];

  /** A buffer for a body. The next call may return the same memory, unless `keep` is called before. */
  take(bytes: number): Buffer {
    if (bytes > AT_ONCE_MAX_BYTES) return Buffer.allocUnsafe(bytes);
    const size = 32 - Math.clz32(bytes);
    this.#free[size] ??= Buffer.allocUnsafeSlow(2 ** size);
    return this.#free[size].subarray(0, bytes);
  }

  /** Leaves its memory to a body that is still being sent. @returns the size of that memory */
  keep(body: Buffer): number {
    const size = this.#free.findIndex((free) => free?.buffer === body.buffer);
    if (size === -1) return body.length;
    this.#free[size] = undefined;
    return 2 ** size;
  }
}
