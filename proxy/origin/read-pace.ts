// Decides whether small reads run on the event loop or in the thread pool. A read from the page cache takes
// microseconds, less than the thread pool costs; a read from a disk must not block the event loop.

/** A read that takes longer, in milliseconds, waited for a disk; on a busy machine other reads can take a few, too. */
const SLOW_MS = 5;
/** After a slow read, all reads use the thread pool for this long, in milliseconds. */
const POOL_MS = 250;

/** The decision for one directory. At most one slow read blocks the event loop per POOL_MS. */
export class ReadPace {
  readonly #now: () => number;
  #poolUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Must reads go through the thread pool? */
  get usesPool(): boolean {
    return this.#now() < this.#poolUntil;
  }

  /** Runs `read` now, and measures its time. */
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
