// Whether small reads are made on the event loop or in the thread pool. A read of the page cache takes microseconds, less
// than the trip to the thread pool; a read of a disk must not block the event loop.

/** A read that takes longer, in milliseconds, waited for a disk; a busy machine alone can cost a few. */
const SLOW_MS = 5;
/** After a slow read, all reads go through the thread pool for this long, in milliseconds. */
const POOL_MS = 250;

/** Reads on the event loop until one is slow. At most one slow read blocks the event loop in POOL_MS. */
export class ReadPace {
  readonly #now: () => number;
  #poolUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds on a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Must reads go through the thread pool? */
  get usesPool(): boolean {
    return this.#now() < this.#poolUntil;
  }

  /** What `read` gives; it is made at once, and timed. */
  time<Result>(read: () => Result): Result {
    const begun = this.#now();
    try {
      return read();
    } finally {
      const ended = this.#now();
      if (ended - begun > SLOW_MS) this.#poolUntil = ended + POOL_MS;
    }
  }
}
