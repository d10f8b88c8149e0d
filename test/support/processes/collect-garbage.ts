// V8's garbage collection on demand, for tests that measure what stays in memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/**
 * Frees everything that is not reachable. V8 gives buffers back in the background; the second collection waits for
 * that.
 */
export function collectGarbage(): void {
  if (typeof collect !== 'function') throw new TypeError('V8 has no gc');
  collect();
  collect();
}

/** What this process holds in its heap and in buffers, without garbage. */
export function heldBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
