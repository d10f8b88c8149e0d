// Pieces of files that were read and checked, of all files of an origin together: those that were used last.
import { LRUCache } from 'lru-cache';
import type { Origin } from '../origin/origin.ts';

/** Size of the pieces that are kept. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Upper estimate of the size of an entry besides its bytes. */
const ENTRY_BYTES = 256;
/** More pieces than a file has, and so few that keys stay whole numbers for the first 33 million files. */
const PIECES = 2 ** 28;

class KeptPieces {
  readonly #kept = new LRUCache<number, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });

  get(file: number, piece: number): Buffer | undefined {
    return this.#kept.get(file * PIECES + piece);
  }

  /** @returns the bytes */
  set(file: number, piece: number, bytes: Buffer): Buffer {
    this.#kept.set(file * PIECES + piece, bytes);
    return bytes;
  }
}

let files = 0;

/** The number of one more file: under the path of another one there may be other bytes. */
export function nextFile(): number {
  return files++;
}

const kept = new WeakMap<Origin, KeptPieces>();

/** Those of the files of an origin. */
export function keptPiecesOf(origin: Origin): KeptPieces {
  const known = kept.get(origin) ?? new KeptPieces();
  kept.set(origin, known);
  return known;
}
