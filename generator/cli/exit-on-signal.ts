// Signals to a command that works in child processes. It exits as a program that the signal ended, without a message; the
// pool ends the child processes, and the next build removes what this one has staged.
import { constants } from 'node:os';

/** Exit codes of a program that a signal ended are this and the number of the signal, as in a shell. */
const SIGNAL_EXIT_CODE = 128;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends this process on SIGINT, SIGTERM or SIGHUP. */
export function exitOnSignal(): void {
  for (const signal of SIGNALS) process.on(signal, () => process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]));
}
