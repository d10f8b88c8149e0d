// Waits for what the event loop or another process brings about; a test never waits without a bound.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 10;
/**
 * Far more than anything that is waited for takes. Polls are counted, not seconds: a process that is kept from running
 * polls less often, and waits longer by as much.
 */
const POLLS_MAX = 3000;

/**
 * Asks until the answer is yes.
 * @param what says what did not happen; a function is called for it after the wait
 * @param pauseMs between two polls: longer where a poll starts programs
 * @throws AssertionError after 3,000 polls
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  pauseMs = PAUSE_MS,
): Promise<void> {
  for (let polls = 0; !(await holds()); polls++) {
    if (polls === POLLS_MAX) assert.fail(`asked ${polls} times: ${typeof what === 'string' ? what : what()}`);
    await setTimeout(pauseMs);
  }
}
