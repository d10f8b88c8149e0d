// What is brought into memory when it is first asked for: once for all that ask, and again some time after an error.
// Holds releases (hosted-releases.ts), what is signed of them (signed-origin.ts), parts of levels (loaded-release.ts), and
// levels where memory is little (load-on-demand.ts).

import { STUCK_MS } from '../http/time.ts';

/** What could not be loaded is tried again after this time, in milliseconds. */
const RETRY_MS = 5000;

/** Milliseconds of a monotonic clock. */
export type Clock = () => number;

/** A value in memory, or one that is being loaded. */
interface Slot<Value> {
  /** Undefined until it is loaded. */
  value: Value | undefined;
  /** The last attempt, or the first one that succeeded. */
  loading: Promise<Value>;
  /** Attempts that have not ended. */
  running: number;
  /** When it is loaded again unless it has been loaded. */
  retryAt: number;
  usedAt: number;
  /** Of all uses of all values the number of its last one. */
  use: number;
}

/** What may differ between what is loaded. */
export interface LoadedOptions<Key> {
  /** Milliseconds until what could not be loaded is tried again; RETRY_MS where it is undefined. */
  retryMs?: (key: Key, error: unknown) => number | undefined;
  /** Is called when a value is freed, also one that could not be loaded: something of it may be open. */
  onFree?: (key: Key) => void;
}

/** Values by key. */
export class Loaded<Key, Value> {
  readonly #now: Clock;
  readonly #options: LoadedOptions<Key>;
  readonly #slots = new Map<Key, Slot<Value>>();
  #uses = 0;

  constructor(now: Clock, options: LoadedOptions<Key> = {}) {
    this.#now = now;
    this.#options = options;
  }

  /** A value; undefined if it is not in memory. It counts as used now. */
  get(key: Key): Value | undefined {
    return this.#use(key)?.value;
  }

  /**
   * Brings a value into memory.
   * After STUCK_MS the next one who asks starts a second attempt, after twice as long a third, and so on. The first to
   * succeed wins: who waits for another one gets the same value when that ends, too.
   * @param begin loads it; rejects if it cannot be loaded, for everyone until the next attempt. If it throws, nothing
   * is begun
   */
  load(key: Key, begin: () => Promise<Value>): Promise<Value> {
    const known = this.#use(key);
    if (known !== undefined && this.#now() < known.retryAt) return known.loading;
    const loading = begin().then((value) => slot.value ?? value);
    const fresh = { value: undefined, running: 0, retryAt: 0, usedAt: this.#now(), use: ++this.#uses };
    const slot: Slot<Value> = known ?? { ...fresh, loading };
    this.#slots.set(key, slot);
    slot.loading = loading;
    slot.retryAt = this.#now() + STUCK_MS * 2 ** slot.running++;
    loading.then(
      (value) => {
        Object.assign(slot, { value, loading, retryAt: Number.POSITIVE_INFINITY });
      },
      (error: unknown) => {
        if (--slot.running > 0 || slot.value !== undefined) return;
        slot.retryAt = this.#now() + (this.#options.retryMs?.(key, error) ?? RETRY_MS);
      },
    );
    return loading;
  }

  /** What is in memory, the least recently used first. */
  entries(): [Key, Value][] {
    const slots = [...this.#slots].sort(([, a], [, b]) => a.use - b.use);
    return slots.flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]]));
  }

  free(key: Key): void {
    if (this.#slots.delete(key)) this.#options.onFree?.(key);
  }

  /** Frees what has not been used for so many milliseconds. */
  freeUnused(ms: number): void {
    for (const [key, { usedAt }] of this.#slots) if (this.#now() - usedAt >= ms) this.free(key);
  }

  /** What could not be loaded may be tried again now. */
  forgetFailures(): void {
    for (const slot of this.#slots.values()) if (slot.running === 0 && slot.value === undefined) slot.retryAt = 0;
  }

  #use(key: Key): Slot<Value> | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.usedAt = this.#now();
    slot.use = ++this.#uses;
    return slot;
  }
}
