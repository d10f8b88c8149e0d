// Lengths of time as they are typed: 90s, 15m, 24h, 7d.
import { StartError } from './start-error.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * A length of time in seconds.
 * @param option whose value it is, for messages
 * @throws StartError
 */
export function secondsFrom(text: string, option: string): number {
  const [, digits, unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new StartError('Not a length of time', `${option} ${text}`, 'give a number and a unit: 90s, 15m, 24h, 7d');
}
