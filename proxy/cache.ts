// What was read and found right a moment ago: bytes by name, what was not used for longest forgotten first.
// Files of a release never change, so no bytes kept here go stale.
import type { TextSum } from '../format/gzip.ts';
import type { Manifest } from '../format/manifest.ts';
import type { LoadedRelease } from './catalogue.ts';
import type { Origin } from './origin.ts';

/** Bytes that may be kept for one origin. */
const ANSWERS_MAX_BYTES = 32 * 1024 * 1024;
const PIECES_MAX_BYTES = 64 * 1024 * 1024;
/** What an entry takes beside its bytes, generously: names and headers, or sums. */
const ANSWER_BYTES = 4096;
const PIECE_BYTES = 512;

/** How many names that were offered once are remembered. */
const OFFERED_MAX = 4096;

/** A kept value, and whether it was asked for since room was last made. */
interface Entry<Value> {
  value: Value;
  isUsed: boolean;
}

/** A bounded store of values that hold bytes. Room is made by the clock algorithm, which comes close to least lately used. */
export class ByteCache<Name, Value extends { readonly bytes: Buffer }> {
  readonly #kept = new Map<Name, Entry<Value>>();
  readonly #offered = new Set<Name>();
  readonly #max: number;
  readonly #each: number;
  #bytes = 0;

  /** @param each how many bytes an entry counts beside those of its value */
  constructor(max: number, each: number) {
    this.#max = max;
    this.#each = each;
  }

  /** The value of that name. */
  find(name: Name): Value | undefined {
    const entry = this.#kept.get(name);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Keeps a value in place of any other of that name, and forgets what no longer fits. Not one above a tenth of all. */
  keep(name: Name, value: Value): void {
    this.drop(name);
    if (value.bytes.length > this.#max / 10) return;
    this.#kept.set(name, { value, isUsed: false });
    this.#bytes += value.bytes.length + this.#each;
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= this.#max) return;
      if (entry.isUsed) {
        // A second round: it goes behind all others.
        entry.isUsed = false;
        this.#kept.delete(oldest);
        this.#kept.set(oldest, entry);
      } else this.drop(oldest);
    }
  }

  /** Keeps a value when it is offered again, so that what is asked for once takes the place of nothing. */
  offer(name: Name, value: Value): void {
    if (this.#offered.delete(name)) {
      this.keep(name, value);
    } else {
      if (this.#offered.size >= OFFERED_MAX) this.#offered.clear();
      this.#offered.add(name);
    }
  }

  /** Forgets the value of that name. */
  drop(name: Name): void {
    const entry = this.#kept.get(name);
    if (entry === undefined) return;
    this.#kept.delete(name);
    this.#bytes -= entry.value.bytes.length + this.#each;
  }
}

/** An answer with status 200, ready to be sent again to whoever asks the same. */
export interface CachedAnswer {
  bytes: Buffer;
  /** Names and values in turn. */
  headers: string[];
  release: LoadedRelease;
  /** Does it answer a cursor, and so stay right as long as the release is hosted? */
  isPinned: boolean;
  /** The path that it answers. */
  route: string;
}

/** A stretch of text as slices need it: deflated so that it can stand beside any other, and what joining it takes. */
export interface CachedPiece {
  bytes: Buffer;
  sum: TextSum;
  /** Of the text's length, see `joinSums`. */
  shift: number;
}

/** What is kept of one origin: answers by what was asked, and pieces of bodies that are cut to measure. */
export interface OriginCache {
  answers: ByteCache<string, CachedAnswer>;
  pieces: ByteCache<number, CachedPiece>;
}

const caches = new WeakMap<Origin, OriginCache>();

/** The cache of an origin. */
export function cacheOf(origin: Origin): OriginCache {
  const known = caches.get(origin);
  if (known !== undefined) return known;
  const made: OriginCache = {
    answers: new ByteCache(ANSWERS_MAX_BYTES, ANSWER_BYTES),
    pieces: new ByteCache(PIECES_MAX_BYTES, PIECE_BYTES),
  };
  caches.set(origin, made);
  return made;
}

// Names of pieces are numbers, given out manifest by manifest: small numbers are found sooner than texts.
const firstNames = new WeakMap<Manifest, number>();
let nextName = 0;

/** The name of the piece that is the feature at a position. */
export function pieceName(manifest: Manifest, position: number): number {
  let first = firstNames.get(manifest);
  if (first === undefined) {
    first = nextName;
    nextName += 2 * manifest.features;
    firstNames.set(manifest, first);
  }
  return first + 2 * position;
}

/** The name of the piece that is the whole block whose first feature is at a position. */
export function blockName(manifest: Manifest, position: number): number {
  return pieceName(manifest, position) + 1;
}
