// Bodies that clients have not taken yet: how many bytes they may be, and which connections are cut because they take too
// little. Each client has a fair share, and who holds most is refused and cut first: nobody takes it from others. Used by
// send.ts. Public files are in memory anyway and are not counted.
import type { ServerResponse } from 'node:http';
import { overloaded } from '../http/problem.ts';

/** What may be held, and the pace that clients must keep. */
export interface HeldLimits {
  /** Bytes of all bodies together. */
  totalBytes: number;
  /** Bytes of the bodies of one client. */
  clientBytes: number;
  /** A client that holds more than half of its share must take PACE_BYTES on each connection in this time. */
  paceMs: number;
  /** How often that is looked at. */
  checkMs: number;
}

const MIB = 1024 * 1024;
const LIMITS: HeldLimits = { totalBytes: 128 * MIB, clientBytes: 32 * MIB, paceMs: 10_000, checkMs: 2_500 };
/** Of a stream, at most about this is in memory at a time. */
const STREAM_BYTES: number = MIB;
/** Length of the chunks in which larger bodies are sent, so that the pace of a client is seen. */
export const CHUNK_BYTES: number = 64 * 1024;
const PACE_BYTES = CHUNK_BYTES;

/** A response that a client has not taken. */
interface Held {
  client: Holder;
  body: object;
  /** What the body counts besides a chunk. */
  bytes: number;
  /** Bytes that the client had taken at a time from which its pace is measured. */
  taken: number;
  since: number;
}

/** What one client holds. */
interface Holder {
  readonly name: string;
  bytes: number;
  /** How many connections are sent each body: one from the response cache is in memory once. */
  readonly bodies: Map<object, number>;
}

/** The bodies that are being read for clients, or wait for them to read. */
export class HeldBytes {
  readonly #limits: HeldLimits;
  readonly #held = new Map<ServerResponse, Held>();
  readonly #clients = new Map<string, Holder>();
  #total = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: HeldLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Bytes of all bodies. */
  get total(): number {
    return this.#total;
  }

  /** What each client may hold while as many others do: a client that holds less is never refused. */
  get #share(): number {
    return Math.min(this.#limits.clientBytes, this.#limits.totalBytes / this.#clients.size);
  }

  /**
   * Is there room for another body of a client?
   * @throws Problem overloaded if not
   */
  admit(client: string): void {
    const holder = this.#clients.get(client);
    if (holder !== undefined && holder.bytes >= this.#share) throw overloaded();
  }

  /**
   * Counts a body until its response has ended: a chunk for each connection, and the body once for each client.
   * @param body what is in memory once for all connections with the same
   * @param bytes its length
   */
  hold(client: string, body: object, bytes: number, res: ServerResponse): void {
    if (res.closed || this.#held.has(res)) return;
    // One wrong number would count for ever.
    if (!Number.isSafeInteger(bytes)) throw new RangeError(`a body of ${bytes} bytes`);
    const holder = this.#clients.get(client) ?? { name: client, bytes: 0, bodies: new Map() };
    this.#clients.set(client, holder);
    const counted = Math.max(0, Math.min(bytes, STREAM_BYTES) - CHUNK_BYTES);
    const connections = holder.bodies.get(body) ?? 0;
    holder.bodies.set(body, connections + 1);
    this.#held.set(res, { client: holder, body, bytes: counted, taken: takenOf(res), since: performance.now() });
    this.#count(holder, CHUNK_BYTES + (connections === 0 ? counted : 0));
    res.once('close', () => this.#release(res));
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkMs).unref();
    while (this.#total > this.#limits.totalBytes && this.#cutOne());
  }

  #release(res: ServerResponse): void {
    const held = this.#held.get(res);
    if (held === undefined) return;
    this.#held.delete(res);
    const { client, body, bytes } = held;
    const others = (client.bodies.get(body) ?? 0) - 1;
    if (others > 0) client.bodies.set(body, others);
    else client.bodies.delete(body);
    this.#count(client, -CHUNK_BYTES - (others > 0 ? 0 : bytes));
    if (client.bodies.size === 0) this.#clients.delete(client.name);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #count(client: Holder, bytes: number): void {
    client.bytes += bytes;
    this.#total += bytes;
  }

  /** Cuts the slowest connection of the client that holds most. @returns false if nothing is being sent to it */
  #cutOne(): boolean {
    const most = [...this.#clients.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a));
    let slowest: [ServerResponse, Held] | undefined;
    for (const [res, held] of this.#held)
      if (held.client === most && res.headersSent && held.since < (slowest?.[1].since ?? Number.POSITIVE_INFINITY))
        slowest = [res, held];
    if (slowest === undefined) return false;
    this.#cut(slowest[0]);
    return true;
  }

  #cut(res: ServerResponse): void {
    this.#release(res);
    res.destroy();
  }

  /** Cuts connections that take too little, of clients that hold more than half of their share. */
  #check(): void {
    const now = performance.now();
    for (const [res, held] of this.#held) {
      const taken = takenOf(res);
      // Nothing has been sent yet: the client waits for the service.
      if (!res.headersSent || taken - held.taken >= PACE_BYTES) {
        held.taken = taken;
        held.since = now;
      }
      const dueMs = this.#limits.paceMs * Math.max(1, (res.socket?.writableLength ?? 0) / PACE_BYTES);
      if (held.client.bytes > this.#share / 2 && now - held.since >= dueMs) this.#cut(res);
    }
  }
}

/** Bytes that the socket of a response has handed to the operating system, in whole chunks. */
function takenOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}
