// A file of a release that is read in pieces, each of which can be checked by itself: those that were read from a host
// are kept for a while.
import { LRUCache } from 'lru-cache';
import { numberAt } from '../../format/element-at.ts';
import { type ByteRange, lastingClient, OriginError, type QueuedReads, type Recipient } from '../origin/origin.ts';
import { Loaded } from './loaded.ts';

/** Size of the pieces that are kept of each file. */
const KEPT_MAX_BYTES = 1024 * 1024;
/** Upper estimate of the size of an entry. */
const sizeOf = ({ length }: Buffer): number => length + 256;

/** Bytes of pieces that are read together, between them at most, and reads at a time: of a folder, and of a host. */
const OF_FOLDERS = { run: 128 * 1024, gap: 4 * 1024, atOnce: 6 } as const;
const OF_HOSTS = { run: 1024 * 1024, gap: 64 * 1024, atOnce: 6 } as const;

/** Of pieces that are read at once: such small reads are made however long the turn has become. */
const NOW_RUN = 16 * 1024;

/** Where the pieces of a file are, and what they must be. */
interface Directory {
  /** The bytes of a piece: from the first one up to, not including, the last. */
  rangeOf(piece: number): { from: number; to: number };
  /** Are these the bytes of a piece? */
  hasBytes(piece: number, bytes: Uint8Array): boolean;
  /** Are all kept, as checking one takes long? Otherwise those that could not be read at once, as from a host. */
  readonly keepsAll?: true;
}

/** The pieces of a file, by number. */
export class Pieces {
  /** Relative to the origin. */
  readonly path: string;
  readonly #directory: Directory;
  readonly #kept = new LRUCache<number, Buffer>({ maxSize: KEPT_MAX_BYTES, sizeCalculation: sizeOf });
  /**
   * Those that are being read or wait for it, by number and principal: each waits for a turn of its own. A platform may
   * cancel a read with the request that began it; then it is begun again.
   */
  readonly #coming = new Loaded<string, Buffer>(() => performance.now());

  constructor(path: string, directory: Directory) {
    this.path = path;
    this.#directory = directory;
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * The bytes of a piece, until the next call; undefined if `load` must be called first: they must be read later, or
   * are not what they should be, which reading them later says.
   */
  now(piece: number, reads: QueuedReads): Buffer | undefined {
    const known = this.#kept.get(piece);
    if (known !== undefined) return known;
    const bytes = this.#readNow(this.rangeOf(piece), reads);
    if (bytes === undefined || !this.#directory.hasBytes(piece, bytes)) return undefined;
    // The memory of a read is used again.
    if (this.#directory.keepsAll) this.#kept.set(piece, Buffer.from(bytes));
    return bytes;
  }

  /**
   * The bytes of a piece.
   * @param principal whose turn the read is; all its requests for the same piece share it
   * @throws OriginError if stored bytes are missing or damaged
   * @throws Problem overloaded if too much of the principal waits
   */
  load(piece: number, reads: QueuedReads, principal: string): Promise<Buffer> {
    const key = `${piece} ${principal}`;
    const client = lastingClient(principal);
    const read = async (): Promise<Buffer> => {
      // Another principal may have waited for the same.
      const kept = this.#kept.get(piece);
      if (kept !== undefined) return kept;
      const bytes = await reads.read(this.path, this.rangeOf(piece), client);
      if (!this.#directory.hasBytes(piece, bytes)) throw reads.damaged(this.path, `piece ${piece}`);
      this.#kept.set(piece, bytes);
      return bytes;
    };
    return this.#coming.load(key, () => reads.later(client, read)).finally(() => this.#coming.free(key));
  }

  /**
   * Hands over the bytes of several pieces that have some, as long as they are there at once: neighbours are read
   * together. They are right until the next call.
   * @param numbers ascending
   * @param take returns false when no more are wanted
   * @returns false if some were to be read later, or are not what they should be: then `several` says which
   */
  severalNow(numbers: readonly number[], reads: QueuedReads, take: (piece: number, bytes: Buffer) => boolean): boolean {
    for (let first = 0, end = first; first < numbers.length; first = end) {
      const { from, to } = this.#directory.rangeOf(numberAt(numbers, first));
      let last = to;
      for (end = first + 1; end < numbers.length; end++) {
        const next = this.#directory.rangeOf(numberAt(numbers, end));
        if (next.from - last > OF_FOLDERS.gap || next.to - from > NOW_RUN) break;
        last = next.to;
      }
      const bytes = this.#readNow({ offset: from, length: last - from }, reads);
      if (bytes === undefined) return false;
      for (let i = first; i < end; i++) {
        const piece = numberAt(numbers, i);
        const own = this.#directory.rangeOf(piece);
        const part = bytes.subarray(own.from - from, own.to - from);
        if (!this.#directory.hasBytes(piece, part)) return false;
        if (!take(piece, part)) return true;
      }
    }
    return true;
  }

  /**
   * The bytes of several pieces, those that have some, in any order: neighbours are read together.
   * @param numbers ascending
   * @throws OriginError if stored bytes are missing or damaged
   */
  async several(
    numbers: readonly number[],
    reads: QueuedReads,
    client: Recipient,
  ): Promise<{ piece: number; bytes: Buffer }[]> {
    const { run, gap, atOnce } = reads.origin.readNow === undefined ? OF_HOSTS : OF_FOLDERS;
    const runs: { from: number; to: number; pieces: number[] }[] = [];
    const found: { piece: number; bytes: Buffer }[] = [];
    for (const piece of numbers) {
      const { from, to } = this.#directory.rangeOf(piece);
      const last = runs.at(-1);
      if (from === to) continue;
      const kept = this.#kept.get(piece);
      if (kept !== undefined) {
        found.push({ piece, bytes: kept });
        continue;
      }
      if (last !== undefined && from - last.to <= gap && to - last.from <= run) {
        last.to = to;
        last.pieces.push(piece);
      } else runs.push({ from, to, pieces: [piece] });
    }
    const read = async ({ from, to, pieces }: (typeof runs)[number]) => {
      const range = { offset: from, length: to - from };
      const bytes = await reads.range(this.path, range, client, Buffer.allocUnsafe, true);
      return pieces.map((piece) => {
        const own = this.#directory.rangeOf(piece);
        const part = bytes.subarray(own.from - from, own.to - from);
        if (!this.#directory.hasBytes(piece, part)) throw reads.damaged(this.path, `piece ${piece}`);
        return { piece, bytes: part };
      });
    };
    for (let at = 0; at < runs.length; at += atOnce)
      found.push(...(await Promise.all(runs.slice(at, at + atOnce).map(read))).flat());
    return found;
  }

  /** Bytes of the file until the next call; undefined if they must be read later. */
  #readNow(range: ByteRange, reads: QueuedReads): Buffer | undefined {
    const bytes = reads.buffer(range.length);
    try {
      return reads.now(this.path, range, bytes, 0, true) ? bytes : undefined;
    } catch (error) {
      if (error instanceof OriginError) return undefined;
      throw error;
    }
  }

  /** Where a piece is in the file. */
  rangeOf(piece: number): ByteRange {
    const { from, to } = this.#directory.rangeOf(piece);
    return { offset: from, length: to - from };
  }
}
