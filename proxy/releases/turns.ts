// Turns: work that is done one at a time. Releases are parsed in turns, so that memory and processor time of two loads
// do not add up. config/load-turns.ts has turns for all worker processes.

/** Runs `work` when it is its turn; the next turn begins when it has settled. */
export type TakeTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Turns within this process. */
export function processTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Shares runs of `work` between callers: each call gets a run that begins after it. Runs never overlap, and begin at
 * least `pauseMs` milliseconds apart.
 * @param now milliseconds of a monotonic clock
 */
export function shareRuns(work: () => Promise<void>, pauseMs: number, now: () => number): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let begun = Number.NEGATIVE_INFINITY;
  let next: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const waitMs = begun + pauseMs - now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    next = undefined;
    begun = now();
    await work();
  };
  return () => {
    if (next !== undefined) return next;
    next = last.then(run);
    last = next.catch(() => {});
    return next;
  };
}
