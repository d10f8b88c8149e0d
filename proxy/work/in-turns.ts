// Work that is done in turns, between which other events are handled. Used for what takes more than a millisecond.
import { nextTurn } from './next-turn.ts';

/** Steps that together take about a millisecond: each some hundred microseconds. */
const TURN_STEPS = 3;

/** Runs to the end, with other events between the turns. */
export async function inTurns<Result>(steps: Generator<void, Result> | AsyncGenerator<void, Result>): Promise<Result> {
  for (let done = 0; ; ) {
    const next = steps.next();
    const step = next instanceof Promise ? await next : next;
    if (step.done) return step.value;
    // By what has been done, not by a clock: a simulation can repeat it.
    if (++done % TURN_STEPS === 0) await nextTurn();
  }
}

/** Bytes of cells that are gone through in about a millisecond. */
const TURN_BYTES = 64 * 1024;

/** Lets other events be handled from time to time: by what has been done, which a simulation can repeat. */
export class Turns {
  #done = 0;

  /** @param bytes that were gone through since the last call */
  async give(bytes: number): Promise<void> {
    this.#done += bytes;
    if (this.#done < TURN_BYTES) return;
    await nextTurn();
    this.#done = 0;
  }
}
