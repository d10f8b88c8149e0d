// Time on processors, by which runs on machines of different load are compared.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The unit of times in /proc, which Linux fixes for programs. */
const TICKS_A_SECOND = 100;
const CONTROL_VALUES = 20_000;

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
 * Does some of what tests do most (JSON, compression, digests), always as much of it.
 * @returns its seconds on a processor: what others took on the same machine is divided by it
 */
export function controlSeconds(): number {
  const begun = process.cpuUsage();
  const values = Array.from({ length: CONTROL_VALUES }, (_, i) => ({ fid: i, at: [i / 7, -i / 3], name: `unit ${i}` }));
  const packed = gzipSync(JSON.stringify(values));
  createHash('sha256').update(packed).digest();
  JSON.parse(gunzipSync(packed).toString());
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}
