// Parses the values of command-line options, once; an error says what is expected.
import { secondsOf, TIMER_MAX_SECONDS } from '../../format/command-line/duration.ts';
import { UsageError } from '../../format/command-line/messages.ts';
import { isReleaseId, RELEASE_ID_RULE } from '../../format/layout.ts';
import { isDate, type Release } from '../../format/release-json.ts';
import type { Share } from '../plan/divide-work.ts';

/** Parses `i/n`, 0 <= i < n. @throws UsageError if it has another form */
export function shareFrom(text: string): Share {
  const [, shard, shards] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (shard !== undefined && shards !== undefined && shard < shards) return { shard, shards };
  throw new UsageError(
    `--shard ${text}: not i/n with i from 0 to n - 1`,
    'e.g. --shard 0/4 for the first of four shards',
  );
}

/** Checks a whole number, `least` to `most`. @throws UsageError if it is not one or is out of range */
export function wholeNumber(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(
    `${option} ${value}: not a whole number in range`,
    `use a whole number from ${least} to ${most}`,
  );
}

/** Bytes of a size such as `800M`, `2G` or `1.5G`, in powers of 1024. @throws UsageError if it is none */
export function bytesFrom(option: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([KMGT])$/.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * 1024 ** ('KMGT'.indexOf(unit) + 1));
  if (number !== '' && bytes > 0 && Number.isSafeInteger(bytes)) return bytes;
  throw new UsageError(`${option} ${text}: not a size`, 'use a number and a unit: 800M, 2G, 1.5G');
}

/** Checks a release id. @throws UsageError if it is not one */
export function releaseId(option: string, text: string): string {
  if (isReleaseId(text)) return text;
  throw new UsageError(`${option} ${text}: not a release id`, `use ${RELEASE_ID_RULE}`);
}

/** Checks that a build has one dataset and an id. @param like the release whose options it takes @throws UsageError */
export function requireSource(
  argv: { sample: boolean | undefined; source: readonly string[] | undefined; release: string | undefined },
  like: Pick<Release, 'release' | 'source'> | undefined,
): void {
  if (like && !argv.sample && !argv.source)
    throw new UsageError(
      `build --like ${like.release} needs a source; that one was built from ${like.source.map(({ name }) => name).join(', ')}`,
      'add --source FILE',
    );
  if (!argv.sample === !argv.source)
    throw new UsageError('build needs either --source or --sample', 'add --source FILE, or --sample');
  if (!argv.sample && !argv.release)
    throw new UsageError('build --source needs a release id', 'add one, e.g. --release 2026-11');
}

/** Checks a date, `YYYY-MM-DD`. @throws UsageError if it is not one */
export function calendarDate(option: string, text: string): string {
  if (isDate(text)) return text;
  throw new UsageError(`${option} ${text}: not a date`, 'use year, month and day, e.g. 2026-11-22');
}

/** Parses a time (RFC 3339) to the form of `Date.toISOString`. @throws UsageError if it is none */
export function instant(option: string, text: string): string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/.test(text);
  if (isTime && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  throw new UsageError(`${option} ${text}: not a time`, 'use date, time and zone, e.g. 2026-11-22T12:00:00Z');
}

/**
 * Parses a duration of at most a day, such as `0s`, `30s` or `5m`, to milliseconds.
 * @throws UsageError if it is none
 */
export function durationToMs(option: string, text: string): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds <= TIMER_MAX_SECONDS) return 1000 * seconds;
  throw new UsageError(
    `${option} ${text}: not a duration in range`,
    'use a number and a unit: 0s, 30s, 5m; at most 1d',
  );
}
