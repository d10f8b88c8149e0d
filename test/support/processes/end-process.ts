// Ends the programs that tests start.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Until a program that has not ended is told to again. */
const AGAIN_MS = 1_000;
/** So often it is told; then it hangs, and is killed. */
const TOLD_MAX = 10;

/** Ends a program, and resolves when it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  // Varnish forgets a signal that comes while it starts, slurmd one that comes just before it waits for a connection.
  let told = 1;
  const again = setInterval(() => child.kill(told++ < TOLD_MAX ? signal : 'SIGKILL'), AGAIN_MS);
  await exit;
  clearInterval(again);
}
