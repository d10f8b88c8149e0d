// The time by which the limits of clients are measured. Used by server.ts and by what it is made of; tests have one that
// passes only when they say so.

/** A clock and its timer. */
export interface Time {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Calls a function after so many milliseconds, for which the process does not stay. @returns prevents that */
  after(ms: number, run: () => void): () => void;
}

/** That of the machine. */
export const MACHINE_TIME: Time = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
