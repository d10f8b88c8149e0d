// Work that is done in turns, between which other events are handled. Used for what takes more than a millisecond.
import { setImmediate } from 'node:timers/promises';

/** Other events are handled after this time of work, in milliseconds. */
const TURN_MS = 1;

/** Runs to the end, with other events between the turns. */
export async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  const turns = new Turns();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turns.give();
  }
}

/** Lets other events be handled from time to time. */
export class Turns {
  #began = performance.now();

  async give(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
