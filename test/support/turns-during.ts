// Whether work gives way to what else there is: how many turns of the event loop it leaves to others. On a busy machine
// there are not fewer.
import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop until some work is done or has failed. It must wait for no file and no socket. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  return turns;
}
