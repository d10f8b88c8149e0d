// What was read and found right a moment ago: bytes by name, the least lately used forgotten first.
// Files of a release never change, so nothing kept here goes stale.
import type { TextSum } from '../format/gzip.ts';
import type { Origin } from './origin.ts';

/** Bytes that may be kept for one origin. */
const PAGES_MAX_BYTES = 32 * 1024 * 1024;
const PIECES_MAX_BYTES = 32 * 1024 * 1024;

/** A bounded store of values that hold bytes. */
export class ByteCache<Value extends { readonly bytes: Buffer }> {
  readonly #kept = new Map<string, Value>();
  readonly #max: number;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The value of that name, now the most lately used. */
  find(name: string): Value | undefined {
    const value = this.#kept.get(name);
    if (value === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, value);
    return value;
  }

  /** Keeps a value and forgets what no longer fits. One larger than a tenth of the whole is not kept. */
  keep(name: string, value: Value): void {
    if (value.bytes.length > this.#max / 10 || this.#kept.has(name)) return;
    this.#kept.set(name, value);
    this.#bytes += value.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#max) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

/** A stretch of text as slices need it: deflated so that it can stand beside any other, and what joining it takes. */
export interface CachedPiece {
  bytes: Buffer;
  sum: TextSum;
  /** Of the text's length, see `joinSums`. */
  shift: number;
}

/** What is kept of one origin: whole pages as stored, and features that were cut out of blocks. */
export interface OriginCache {
  pages: ByteCache<{ bytes: Buffer }>;
  pieces: ByteCache<CachedPiece>;
}

const caches = new WeakMap<Origin, OriginCache>();

/** The cache of an origin. */
export function cacheOf(origin: Origin): OriginCache {
  const known = caches.get(origin);
  if (known !== undefined) return known;
  const made = {
    pages: new ByteCache<{ bytes: Buffer }>(PAGES_MAX_BYTES),
    pieces: new ByteCache<CachedPiece>(PIECES_MAX_BYTES),
  };
  caches.set(origin, made);
  return made;
}
