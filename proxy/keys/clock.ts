// The clock by which keys of issuers age, and on Fetch platforms what is known of current.json.

/** So much the time of day must gain at least: it is rounded, and adjusted by a little now and then. */
const FROZEN_MIN_MS = 1_000;

/**
 * A monotonic clock in milliseconds that goes on while the process is frozen, as functions are between requests and
 * machines that sleep: the clock of `performance` then stands still, the time of day does not.
 */
export function clockThroughFreezes(
  monotonic: () => number = () => performance.now(),
  timeOfDay: () => number = () => Date.now(),
): () => number {
  let ahead = timeOfDay() - monotonic();
  let frozenMs = 0;
  return () => {
    const now = monotonic();
    const gainedMs = timeOfDay() - now - ahead;
    if (gainedMs >= FROZEN_MIN_MS) frozenMs += gainedMs;
    // Small gains add up: many short freezes are a long one. A clock that is set back says nothing.
    if (gainedMs >= FROZEN_MIN_MS || gainedMs < 0) ahead += gainedMs;
    return now + frozenMs;
  };
}
