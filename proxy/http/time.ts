// The time by which the limits of clients are measured. Tests have one that passes only when they say so. And the time
// after which an attempt counts as cut off, for keys and releases.

/** A clock and its timer. */
export interface Time {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls a function after so many milliseconds, for which the process does not stay. @returns prevents that */
  after(ms: number, run: () => void): () => void;
}

/**
 * What has not come by then, in milliseconds, does not come: it is tried again beside. Workers may cancel an attempt
 * together with the request that began it.
 */
export const STUCK_MS = 10_000;

/** That of the machine. */
export const MACHINE_TIME: Time = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
