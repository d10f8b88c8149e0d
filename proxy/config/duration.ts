// Durations as options give them: a number and a unit, such as 90s, 15m, 24h, 7d.
import { OptionError } from './start-error.ts';

const UNIT_SECONDS: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/**
 * The duration in seconds.
 * @param option the option that has this value, for the message
 * @param minSeconds the shortest allowed duration
 * @throws StartError
 */
export function durationToSeconds(text: string, option: string, minSeconds = 1): number {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNIT_SECONDS.get(unit) ?? Number.NaN);
  if (seconds >= minSeconds) return seconds;
  throw new OptionError('invalid duration', `${option} ${text}`, 'use a number and a unit: 90s, 15m, 24h, 7d');
}
