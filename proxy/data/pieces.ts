// A file of a release that is read in pieces, each of which can be checked by itself: those that were read from a host
// are kept for a while, with those of all other files.
import { type ByteRange, NOBODY, OriginError, type QueuedReads, type Recipient } from '../origin/origin.ts';
import { keptPiecesOf, nextFile } from './kept-pieces.ts';
import { Coming } from './known.ts';
import type { Loads } from './loads.ts';

/** Bytes of pieces that are read together, between them at most, and reads at a time: of a folder, and of a host. */
const OF_FOLDERS = { run: 128 * 1024, gap: 4 * 1024, atOnce: 6 } as const;
const OF_HOSTS = { run: 1024 * 1024, gap: 64 * 1024, atOnce: 6 } as const;

/** Pieces that are read together. */
interface Run extends ByteRange {
  pieces: number[];
}

/** A piece that was read and checked. */
interface ReadPiece {
  piece: number;
  bytes: Buffer;
}

/** Where the pieces of a file are, and what they must be. */
export interface PieceDirectory {
  /** The bytes of a piece. */
  rangeOf(piece: number): ByteRange;
  /** Are these the bytes of a piece? */
  hasBytes(piece: number, bytes: Uint8Array): boolean;
}

/** The pieces of a file, by number. */
export class Pieces {
  /** Relative to the origin. */
  readonly path: string;
  readonly #directory: PieceDirectory;
  readonly #keepsAll: boolean;
  /** Its number among all files of which pieces are kept. */
  readonly #file = nextFile();
  /** A platform may cancel a read with the request that began it; then it is begun again. */
  readonly #coming = new Coming<Buffer>();

  /** @param keepsAll also those that could be read at once, as checking one takes long */
  constructor(path: string, directory: PieceDirectory, keepsAll = false) {
    this.path = path;
    this.#directory = directory;
    this.#keepsAll = keepsAll;
  }

  /** The bytes of a piece for a request. @throws OriginError, Problem as `get` does */
  load(piece: number, loads: Loads): Buffer | Promise<Buffer> {
    const bytes = this.get(piece, loads.reads, loads.principal.id);
    return bytes instanceof Promise ? loads.after(bytes) : bytes;
  }

  /**
   * The bytes of a piece: at once if they are kept, or can be read at once.
   * @param principal whose turn the read is; all its requests for the same piece share it
   * @throws OriginError if stored bytes are missing or damaged
   * @throws Problem overloaded if too much of the principal waits
   */
  get(piece: number, reads: QueuedReads, principal: string): Buffer | Promise<Buffer> {
    const known = this.#kept(piece, reads);
    if (known !== undefined) return known;
    const now = this.#readNow(this.rangeOf(piece), reads);
    // What is not as it should be is read later, which says so.
    if (now === undefined || !this.#directory.hasBytes(piece, now))
      return this.#coming.load(String(piece), reads, principal, () => this.#read(piece, reads));
    return this.#keepsAll ? this.#keep(piece, reads, now) : now;
  }

  async #read(piece: number, reads: QueuedReads): Promise<Buffer> {
    const kept = this.#kept(piece, reads);
    if (kept !== undefined) return kept;
    const bytes = await reads.read(this.path, this.rangeOf(piece), NOBODY);
    if (!this.#directory.hasBytes(piece, bytes)) throw reads.damaged(this.path, `piece ${piece}`);
    return this.#keep(piece, reads, bytes);
  }

  #kept(piece: number, { origin }: QueuedReads): Buffer | undefined {
    return keptPiecesOf(origin).get(this.#file, piece);
  }

  #keep(piece: number, { origin }: QueuedReads, bytes: Buffer): Buffer {
    return keptPiecesOf(origin).set(this.#file, piece, bytes);
  }

  /**
   * The bytes of several pieces, those that have some, in any order: neighbours are read together.
   * @param numbers ascending
   * @returns those that are kept or were read at once, and what reads the others; undefined if there are none
   * @throws OriginError if stored bytes are missing or damaged
   */
  several(
    numbers: readonly number[],
    reads: QueuedReads,
    client: Recipient,
  ): { found: ReadPiece[]; readOthers: (() => Promise<ReadPiece[]>) | undefined } {
    const { run, gap, atOnce } = reads.origin.readNow === undefined ? OF_HOSTS : OF_FOLDERS;
    const runs: Run[] = [];
    const found: ReadPiece[] = [];
    for (const piece of numbers) {
      const { offset, length } = this.rangeOf(piece);
      if (length === 0) continue;
      const last = runs.at(-1);
      const kept = this.#kept(piece, reads);
      const end = offset + length;
      if (kept !== undefined) found.push({ piece, bytes: kept });
      else if (last !== undefined && offset - last.offset - last.length <= gap && end - last.offset <= run) {
        last.length = end - last.offset;
        last.pieces.push(piece);
      } else runs.push({ offset, length, pieces: [piece] });
    }
    const later: Run[] = [];
    for (const one of runs) {
      const bytes = this.#readNow(one, reads);
      if (bytes === undefined) later.push(one);
      else found.push(...this.#checked(one, bytes, reads));
    }
    const read = async (one: Run) => this.#checked(one, await reads.read(this.path, one, client), reads);
    const readOthers = async (): Promise<ReadPiece[]> => {
      const others: ReadPiece[] = [];
      for (let at = 0; at < later.length; at += atOnce)
        others.push(...(await Promise.all(later.slice(at, at + atOnce).map(read))).flat());
      return others;
    };
    return { found, readOthers: later.length > 0 ? readOthers : undefined };
  }

  /** The pieces of a run. */
  #checked({ offset, pieces }: Run, bytes: Buffer, reads: QueuedReads): ReadPiece[] {
    return pieces.map((piece) => {
      const own = this.rangeOf(piece);
      const at = own.offset - offset;
      const part = bytes.subarray(at, at + own.length);
      if (!this.#directory.hasBytes(piece, part)) throw reads.damaged(this.path, `piece ${piece}`);
      return { piece, bytes: part };
    });
  }

  /** Bytes of the file; undefined if they must be read later. */
  #readNow(range: ByteRange, reads: QueuedReads): Buffer | undefined {
    if (reads.origin.readNow === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(range.length);
    try {
      return reads.now(this.path, range, bytes, 0, true) ? bytes : undefined;
    } catch (error) {
      if (error instanceof OriginError) return undefined;
      throw error;
    }
  }

  /** Where a piece is in the file. */
  rangeOf(piece: number): ByteRange {
    return this.#directory.rangeOf(piece);
  }
}
