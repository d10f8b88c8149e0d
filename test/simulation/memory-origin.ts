// An origin in memory whose answers are late, wrong, cut or old, as a seed says: a folder, or a host (memory-host.ts).
// Files of a folder that stay open keep their content when another one takes their place, as descriptors do.
import { CURRENT_PATH } from '../../format/layout.ts';
import { type ByteRange, type Origin, OriginError } from '../../proxy/origin/origin.ts';
import type { Dice } from '../support/dice.ts';
import { memoryHost } from './memory-host.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What goes wrong, each as parts of a thousand reads. */
export interface Weather {
  /** Longest and shortest time of a read, in milliseconds. */
  delay: readonly [least: number, most: number];
  /** Of a host, any of its faults. */
  error: number;
  short: number;
  flip: number;
  stale: number;
  /** Reads that need not wait. */
  now: number;
}

export const CALM: Weather = { delay: [0, 50], error: 0, short: 0, flip: 0, stale: 0, now: 500 };

const THOUSAND = 1000;
/** A host that takes longer is given up. */
const HOST_DELAY_MAX_MS = 9_500;

export class MemoryOrigin {
  weather: Weather = CALM;
  readonly files = new Map<string, Buffer>();
  /** What was read wrongly, or could not be read; when last. */
  faultAt = Number.NEGATIVE_INFINITY;
  /** Responses of a host that are being read. */
  streams = 0;
  readonly #open = new Map<string, Buffer>();
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  #before: Buffer | undefined;

  constructor(time: VirtualTime, dice: Dice) {
    this.#time = time;
    this.#dice = dice;
  }

  /** It as the service gets it: as a folder. */
  get asFolder(): Origin {
    return {
      read: (path, extent) => this.read(path, extent),
      readNow: (path, range, target, at, staysOpen) => this.readNow(path, range, target, at, staysOpen),
      close: (path) => this.close(path),
    };
  }

  get asHost(): Origin {
    return memoryHost({
      time: this.#time,
      dice: this.#dice,
      wait: () => this.#wait(HOST_DELAY_MAX_MS),
      contentOf: (path) => this.#flipped(this.#latestOf(path)),
      fails: () => this.#happens('error') || this.#happens('short'),
      failed: () => {
        this.faultAt = this.#time.now;
      },
      opened: (by) => {
        this.streams += by;
      },
    });
  }

  get open(): string[] {
    return [...this.#open.keys()];
  }

  /** Replaces current.json; a stale copy is the one before. */
  point(text: string): void {
    this.#before = this.files.get(CURRENT_PATH);
    this.files.set(CURRENT_PATH, Buffer.from(text));
  }

  /** Turns a bit of a file where it lies: who has it open sees that, too. */
  damage(path: string): void {
    const content = this.files.get(path);
    const at = this.#dice(content?.length ?? 1);
    if (content !== undefined) content[at] = (content[at] ?? 0) ^ 1;
  }

  async read(path: string, extent: ByteRange | number): Promise<Buffer> {
    await this.#wait();
    const content = this.#latestOf(path);
    if (typeof extent === 'number' && content.length > extent) throw new OriginError('damaged', path, 'too long');
    return this.#taken(path, content, typeof extent === 'number' ? { offset: 0, length: content.length } : extent);
  }

  readNow(path: string, range: ByteRange, target: Buffer, at: number, staysOpen: boolean): boolean {
    if (this.#dice(THOUSAND) >= this.weather.now) return false;
    try {
      const content = this.#open.get(path) ?? this.#contentOf(path);
      // It was damaged while it was open, and another one has its place since: who reads it learns of it now.
      if (this.files.get(path)?.equals(content) === false) this.faultAt = this.#time.now;
      if (staysOpen) this.#open.set(path, content);
      this.#taken(path, content, range).copy(target, at);
    } catch (error) {
      this.#open.delete(path);
      throw error;
    }
    return true;
  }

  close(path: string): void {
    for (const known of this.open)
      if (path === '' || known === path || known.startsWith(`${path}/`)) this.#open.delete(known);
  }

  #contentOf(path: string): Buffer {
    const content = this.files.get(path);
    if (content === undefined) throw new OriginError('missing', path);
    return content;
  }

  /** The same; of current.json possibly the one before. */
  #latestOf(path: string): Buffer {
    const isStale = this.#happens('stale') && path === CURRENT_PATH;
    if (isStale && this.#before === undefined) throw new OriginError('missing', path);
    return isStale && this.#before !== undefined ? this.#before : this.#contentOf(path);
  }

  #taken(path: string, content: Buffer, { offset, length }: ByteRange): Buffer {
    // No host can be asked for no bytes.
    if (length === 0 && content.length > 0) throw new OriginError('unreadable', path, 'status 416');
    if (this.#happens('error')) throw new OriginError(this.#dice(2) === 0 ? 'unreachable' : 'slow', path, 'simulated');
    if (offset + length > content.length || this.#happens('short'))
      throw new OriginError('damaged', path, 'ends early');
    return this.#flipped(content.subarray(offset, offset + length));
  }

  /** A copy, in which a bit may be another one. */
  #flipped(content: Buffer): Buffer {
    const bytes = Buffer.from(content);
    if (this.#happens('flip')) {
      const at = this.#dice(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << this.#dice(8));
    }
    return bytes;
  }

  #happens(what: 'error' | 'short' | 'flip' | 'stale'): boolean {
    const does = this.weather[what] > 0 && this.#dice(THOUSAND) < this.weather[what];
    if (does) this.faultAt = this.#time.now;
    return does;
  }

  #wait(mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    const [least, most] = this.weather.delay;
    return this.#time.passed(Math.min(mostMs, least + this.#dice(most - least + 1)));
  }
}
