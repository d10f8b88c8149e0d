// Waits for what the event loop or another process brings about; a test never waits without a bound.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Far longer than anything that is waited for takes, on a busy machine too. */
const WAIT_MAX_MS = 30_000;
const PAUSE_MS = 10;

/**
 * Asks until the answer is yes.
 * @param what says what did not happen; a function is called for it after the wait
 * @param waitMs the longest wait, where more than one program is waited for
 * @throws AssertionError after the longest wait
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  waitMs = WAIT_MAX_MS,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      assert.fail(`after ${waitMs / 1000} s: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(PAUSE_MS);
  }
}
