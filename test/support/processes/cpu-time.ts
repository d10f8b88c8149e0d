// Time on processors, for the run of the tests and for benchmarks.
import { readFileSync } from 'node:fs';

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;

/** Seconds on a processor, user and system: of a process, and of those of its children that have ended. Needs Linux. */
export function cpuSecondsOf(pid: number | 'self' | undefined): { own: number; children: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime, stime, cutime and cstime are fields 14 to 17; the name before them, in brackets, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) / TICKS_A_SECOND, children: (childUser + childSystem) / TICKS_A_SECOND };
}
