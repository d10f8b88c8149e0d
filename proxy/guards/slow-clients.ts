// Bodies that clients have not taken yet: how many bytes they may be, and which connections are cut because they take
// too little. A client has a limit of its own. At the limit of all together: 1. the longest idle connection is cut; 2.
// if none is idle, a client that would hold more than any other gets 503; 3. otherwise the slowest connection of the
// client that holds most is cut. Public files are in memory anyway and are not counted.
import type { ServerResponse } from 'node:http';
import { CHUNK_BYTES, type Held as HeldBodies } from '../http/guards.ts';
import { overloaded } from '../http/problem.ts';
import { MACHINE_TIME, type Time } from '../http/time.ts';

/** What may be held, and the pace that clients must keep. */
export interface HeldLimits {
  /** Bytes of all bodies together. */
  totalBytes: number;
  /** Bytes of the bodies of one client. */
  clientBytes: number;
  /**
   * A connection that takes less than PACE_BYTES in this time is idle: it is cut if its client holds more than half of
   * what it may, or all together do. Where there is no room for a body, it is idle after a NEEDED part of this time.
   */
  paceMs: number;
  /** How often that is looked at. */
  checkMs: number;
}

const MIB = 1024 * 1024;
const LIMITS: HeldLimits = { totalBytes: 128 * MIB, clientBytes: 32 * MIB, paceMs: 10_000, checkMs: 500 };
/** Of a stream, at most this is in memory at a time: two pieces of origin.ts, of which one is read. */
const STREAM_BYTES: number = MIB;
/** Part of the time after which a connection is idle. */
const NEEDED = 1 / 20;
const PACE_BYTES = CHUNK_BYTES;

/** A response that a client has not taken. */
interface Held {
  holder: Holder;
  body: object;
  /** What the body counts besides a chunk. */
  bytes: number;
  /** Bytes that the client had taken at a time from which its pace is measured. */
  taken: number;
  since: number;
}

/** What one client holds. */
interface Holder {
  readonly principal: string;
  bytes: number;
  /** How many connections are sent each body: one from the response cache is in memory once. */
  readonly bodies: Map<object, number>;
}

/** The bodies that are being read for clients, or wait for them to read. */
export class HeldBytes implements HeldBodies {
  readonly #limits: HeldLimits;
  readonly #time: Time;
  readonly #held = new Map<ServerResponse, Held>();
  readonly #clients = new Map<string, Holder>();
  #total = 0;
  #cancelCheck: (() => void) | undefined;

  constructor(limits: HeldLimits = LIMITS, time: Time = MACHINE_TIME) {
    this.#limits = limits;
    this.#time = time;
  }

  /** Bytes of all bodies. */
  get total(): number {
    return this.#total;
  }

  /**
   * Is there room for another body of a client, possibly in the place of idle connections? One that holds nothing, or
   * with this body no more than another one, is admitted in any case: then that one is cut.
   * @param bytes the body's length
   * @param own bytes of it that are in memory until it is sent
   * @throws Problem overloaded if not
   */
  admit(principal: string, bytes: number, own = 0): void {
    const { clientBytes, totalBytes } = this.#limits;
    const held = this.#clients.get(principal)?.bytes ?? 0;
    if (held >= clientBytes) throw overloaded();
    const more = CHUNK_BYTES + countedOf(bytes, own);
    while (this.#total + more > totalBytes)
      if (!this.#cutIdle()) {
        if (held > 0 && held + more > (this.#largest?.bytes ?? 0)) throw overloaded();
        return;
      }
  }

  /**
   * Counts a body until its response has ended: a chunk for each connection, and the body once for each client.
   * @param body what is in memory once for all connections with the same
   * @param bytes its length
   * @param own bytes of it that are in memory until it is sent
   */
  hold(principal: string, body: object, bytes: number, res: ServerResponse, own = 0): void {
    if (res.closed || this.#held.has(res)) return;
    // One wrong number would count for ever.
    if (!Number.isSafeInteger(bytes)) throw new RangeError(`a body of ${bytes} bytes`);
    const holder = this.#clients.get(principal) ?? { principal, bytes: 0, bodies: new Map() };
    this.#clients.set(principal, holder);
    const counted = countedOf(bytes, own);
    const connections = holder.bodies.get(body) ?? 0;
    holder.bodies.set(body, connections + 1);
    this.#held.set(res, { holder, body, bytes: counted, taken: takenOf(res), since: this.#time.now() });
    this.#count(holder, CHUNK_BYTES + (connections === 0 ? counted : 0));
    res.once('close', () => this.#release(res));
    this.#cancelCheck ??= this.#time.after(this.#limits.checkMs, this.#check);
    while (this.#total > this.#limits.totalBytes && (this.#cutIdle() || this.#cutLargest()));
  }

  #release(res: ServerResponse): void {
    const held = this.#held.get(res);
    if (held === undefined) return;
    this.#held.delete(res);
    const { holder, body, bytes } = held;
    const others = (holder.bodies.get(body) ?? 0) - 1;
    if (others > 0) holder.bodies.set(body, others);
    else holder.bodies.delete(body);
    this.#count(holder, -CHUNK_BYTES - (others > 0 ? 0 : bytes));
    if (holder.bodies.size === 0) this.#clients.delete(holder.principal);
    if (this.#held.size > 0) return;
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  #count(holder: Holder, bytes: number): void {
    holder.bytes += bytes;
    this.#total += bytes;
  }

  /** The client that holds most. */
  get #largest(): Holder | undefined {
    let largest: Holder | undefined;
    for (const holder of this.#clients.values()) if (holder.bytes > (largest?.bytes ?? 0)) largest = holder;
    return largest;
  }

  /** Cuts the connection that has been idle for longest, whoever it belongs to. @returns false if none is */
  #cutIdle(): boolean {
    const now = this.#time.now();
    return this.#cutSlowest((res, held) => this.#isIdle(res, held, now, NEEDED * this.#limits.paceMs));
  }

  /** Cuts the slowest connection of the client that holds most. @returns false if nothing is being sent to it */
  #cutLargest(): boolean {
    const largest = this.#largest;
    return this.#cutSlowest((res, { holder }) => holder === largest && res.headersSent);
  }

  #cutSlowest(isMeant: (res: ServerResponse, held: Held) => boolean): boolean {
    let slowest: [ServerResponse, Held] | undefined;
    for (const [res, held] of this.#held)
      if (isMeant(res, held) && held.since < (slowest?.[1].since ?? Number.POSITIVE_INFINITY)) slowest = [res, held];
    if (slowest === undefined) return false;
    this.#cut(slowest[0]);
    return true;
  }

  #cut(res: ServerResponse): void {
    this.#release(res);
    res.destroy();
  }

  /** Has a client taken too little for too long? */
  #isIdle(res: ServerResponse, held: Held, now: number, paceMs = this.#limits.paceMs): boolean {
    const taken = takenOf(res);
    // Nothing has been sent yet, or all that was is taken: the client waits for the service.
    if (!res.headersSent || res.writableLength === 0 || taken - held.taken >= PACE_BYTES) {
      held.taken = taken;
      held.since = now;
    }
    return now - held.since >= paceMs * Math.max(1, (res.socket?.writableLength ?? 0) / PACE_BYTES);
  }

  /** Cuts idle connections where much is held, by their client or by all. */
  readonly #check = (): void => {
    const { clientBytes, totalBytes, checkMs } = this.#limits;
    this.#cancelCheck = this.#time.after(checkMs, this.#check);
    const now = this.#time.now();
    for (const [res, held] of this.#held)
      if (this.#isIdle(res, held, now) && (2 * held.holder.bytes > clientBytes || 2 * this.#total > totalBytes))
        this.#cut(res);
  };
}

/** What a body counts besides a chunk. */
function countedOf(bytes: number, own: number): number {
  return Math.max(0, Math.min(bytes, STREAM_BYTES) + own - CHUNK_BYTES);
}

/** Bytes that the socket of a response has handed to the operating system, in whole chunks. */
function takenOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}
