// What is brought into memory when it is first asked for: once for all that ask, and again some time after an error. Holds the
// tables of geometries (load-release.ts), and levels where memory is little (load-on-demand.ts).

/** What could not be loaded is tried again after this time, in milliseconds. */
const RETRY_MS = 5000;
/** What takes longer is loaded again: platforms end what a request reads with its client. */
const LOADING_MS = 10_000;

/** Milliseconds of a monotonic clock. */
export type Clock = () => number;

/** A value in memory, or one that is being loaded. */
interface Place<Value> {
  /** Undefined until it is loaded. */
  value: Value | undefined;
  loading: Promise<Value>;
  /** When it is loaded again unless it has been loaded. */
  retryAt: number;
  usedAt: number;
}

/** Values by key. */
export class OnDemand<Key, Value> {
  readonly #now: Clock;
  /** The least recently used first. */
  readonly #places = new Map<Key, Place<Value>>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** A value; undefined if it is not in memory. It counts as used now. */
  get(key: Key): Value | undefined {
    return this.#use(key)?.value;
  }

  /** Brings a value into memory. @param begin loads it; rejects if it cannot be loaded, for everyone until the next attempt */
  load(key: Key, begin: () => Promise<Value>): Promise<Value> {
    const known = this.#use(key);
    if (known !== undefined && this.#now() < known.retryAt) return known.loading;
    const loading = begin();
    const place: Place<Value> = { value: undefined, loading, retryAt: this.#now() + LOADING_MS, usedAt: this.#now() };
    loading.then(
      (value) => {
        place.value = value;
        place.retryAt = Number.POSITIVE_INFINITY;
      },
      () => {
        place.retryAt = this.#now() + RETRY_MS;
      },
    );
    this.#places.set(key, place);
    return loading;
  }

  /** What is in memory, the least recently used first. */
  loaded(): [Key, Value][] {
    return [...this.#places].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]]));
  }

  free(key: Key): void {
    this.#places.delete(key);
  }

  /** Frees what has not been used for so many milliseconds. */
  freeUnused(ms: number): void {
    for (const [key, { usedAt }] of this.#places) if (this.#now() - usedAt >= ms) this.#places.delete(key);
  }

  #use(key: Key): Place<Value> | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    place.usedAt = this.#now();
    this.#places.delete(key);
    this.#places.set(key, place);
    return place;
  }
}
