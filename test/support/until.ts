// Waits for what the event loop or another process brings about; a test never waits without a bound.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Far longer than anything that is waited for takes, on a busy machine too. */
const WAIT_MAX_MS = 30_000;
const PAUSE_MS = 10;

/**
 * Asks until the answer is yes.
 * @param what says what did not happen; a function is called for it after the wait
 * @throws AssertionError after 30 seconds
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string | (() => string)): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await holds())) {
    if (performance.now() > deadline)
      assert.fail(`after ${WAIT_MAX_MS / 1000} s: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(PAUSE_MS);
  }
}
