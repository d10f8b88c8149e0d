// Work that no request waits for, such as refreshing keys: a platform that stops after the response is asked to let it end.
// Used by create-fetch-handler.ts.

/** Work in progress. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  /** Adds work; the same promise. */
  add<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    const remove = (): void => {
      this.#running.delete(work);
    };
    work.then(remove, remove);
    return work;
  }

  /** Resolves when all work has ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
