// Whether work gives way: the longest time in which nothing else was done.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds until some work is done or has failed, and of the longest turn of the event loop until then. */
export async function longestTurn(work: Promise<unknown>): Promise<{ longest: number; whole: number }> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  let longest = 0;
  const begun = performance.now();
  for (let began = begun, now: number; !isDone; began = now) {
    await setImmediate();
    now = performance.now();
    longest = Math.max(longest, now - began);
  }
  return { longest, whole: performance.now() - begun };
}
