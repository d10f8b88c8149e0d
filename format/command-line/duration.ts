// Durations on the command line: a number and a unit.

const UNIT_SECONDS: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** The longest duration of a timer, a day. */
export const TIMER_MAX_SECONDS = 86_400;

/** The seconds of a duration such as 90s, 15m, 24h or 7d; undefined if the text has another form. */
export function secondsOf(text: string): number | undefined {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = UNIT_SECONDS.get(unit);
  return seconds === undefined ? undefined : Number(digits) * seconds;
}
