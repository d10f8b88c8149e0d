// Work that is done in turns, between which other events are handled. Used for what takes more than a millisecond.
import { nextTurn } from './next-turn.ts';

/** Steps that together take about a millisecond: each some hundred microseconds. */
const TURN_STEPS = 3;

/** Steps, of which some yield what must have come before the next one. */
export type WaitingSteps<Result> = Generator<void | Promise<void>, Result>;

/** Runs to the end, with other events between the turns. */
export async function inTurns<Result>(steps: WaitingSteps<Result> | AsyncGenerator<void, Result>): Promise<Result> {
  for (let done = 0; ; ) {
    const next = steps.next();
    const step = next instanceof Promise ? await next : next;
    if (step.done) return step.value;
    if (step.value instanceof Promise) await step.value;
    // By what has been done, not by a clock: a simulation can repeat it.
    if (++done % TURN_STEPS === 0) await nextTurn();
  }
}
