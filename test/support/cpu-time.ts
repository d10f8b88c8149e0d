// Time on processors, by which runs on machines of different load are compared.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;
/** The unit of the budget is such a part of the control: some 50 ms. */
const CONTROL_PARTS = 20;

/**
 * Seconds on a processor, user and system, of this process and of all that it has started and that have ended; NaN
 * where that is not known.
 */
export function cpuSeconds(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // cutime and cstime are fields 16 and 17; the name before them, in brackets, may contain spaces.
  const [ofUser = 0, ofSystem = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  const { user, system } = process.cpuUsage();
  return (ofUser + ofSystem) / TICKS_A_SECOND + (user + system) / 1e6;
}

/**
 * Runs the control.
 * @param program control.ts, compiled
 * @returns a part of its seconds on a processor, by which what others took on the same machine is divided
 */
export function controlSeconds(program: string): number {
  const before = cpuSeconds();
  execFileSync(process.execPath, [program]);
  return (cpuSeconds() - before) / CONTROL_PARTS;
}
