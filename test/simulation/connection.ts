// A client's connection to the server in memory: sends one request, takes the response at its own pace, may leave.
import { Duplex } from 'node:stream';
import type { VirtualTime } from './virtual-time.ts';

export interface Response {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Buffer;
  /** Is the body as long as the headers say? */
  isWhole: boolean;
}

export interface Manners {
  paceMs: number;
  /** When it leaves without waiting for the end, in milliseconds; undefined if it stays. */
  leavesMs: number | undefined;
}

/** The other end of it is the server's socket. */
export class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  bytesWritten = 0;
  readonly #time: VirtualTime;
  readonly #paceMs: number;
  readonly #received: Buffer[] = [];
  readonly #isHead: boolean;
  #isLeft = false;

  constructor(time: VirtualTime, request: string, { paceMs, leavesMs }: Manners) {
    super({ allowHalfOpen: false });
    this.#time = time;
    this.#paceMs = paceMs;
    this.#isHead = request.startsWith('HEAD');
    this.push(request);
    if (leavesMs !== undefined)
      time.after(leavesMs, () => {
        this.#isLeft = true;
        this.destroy();
      });
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.bytesWritten += chunk.length;
    // Its memory may be used again, once it is taken.
    this.#received.push(Buffer.from(chunk));
    if (this.#paceMs === 0) taken();
    else this.#time.after(this.#paceMs, taken);
  }

  override _final(done: () => void): void {
    done();
    this.push(null);
  }

  /** What was received; undefined without complete headers. */
  get response(): Response | undefined {
    const all = Buffer.concat(this.#received);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = all.toString('latin1', 0, end).split('\r\n');
    const fields = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
    });
    const headers = new Map(fields);
    const body = all.subarray(end + 4);
    const status = Number(first.split(' ')[1]);
    const length = this.#isHead || status === 304 ? 0 : Number(headers.get('content-length') ?? 0);
    return { status, headers, body, isWhole: body.length === length };
  }
}
