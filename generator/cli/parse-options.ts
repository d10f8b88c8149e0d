// Parses the values of command-line options, once; an error says what is expected.
import { UsageError } from '../../format/command-line/messages.ts';
import { isReleaseId, RELEASE_ID_RULE } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Share } from '../pages/divide-work.ts';
import type { GidColumnOption, LevelOption } from '../source/source-options.ts';

/** Parses `lv3` or `3`. @throws UsageError if it is not a level */
export function levelFrom(option: string, name: string): Level {
  const level = LEVELS.find((known) => levelName(known) === name || String(known) === name);
  if (level === undefined)
    throw new UsageError(`${option} ${name}: not a level`, `use ${LEVELS.map(levelName).join(', ')}`);
  return level;
}

/** Parses levels, separated by commas or given one by one. @throws UsageError if one is not a level */
export function levelsFrom(option: string, names: readonly string[]): Level[] {
  return names.flatMap((list) => list.split(',')).map((name) => levelFrom(option, name));
}

/** Parses `LEVEL=VALUE`; with an optional level also `VALUE`. @throws UsageError if an entry has another form */
export function levelOptionFrom(option: string, entry: string, level: 'required' | 'optional'): LevelOption {
  const [, name, value] = /^(lv\d+|\d+)=(.+)$/s.exec(entry) ?? [];
  if (name !== undefined && value !== undefined) return { level: levelFrom(option, name), value };
  if (level === 'optional' && entry !== '') return { level: undefined, value: entry };
  throw new UsageError(`${option} ${entry}: not LEVEL=VALUE`, `e.g. ${option} lv0=VALUE`);
}

/** Parses `LEVELS=VALUE`, e.g. `lv0,lv1=NAME`: an option for each level. @throws UsageError if an entry has another form */
export function levelOptionsFrom(option: string, entry: string): LevelOption[] {
  const [, names, value] = /^((?:lv\d+|\d+)(?:,(?:lv\d+|\d+))+)=(.+)$/s.exec(entry) ?? [];
  if (names === undefined || value === undefined) return [levelOptionFrom(option, entry, 'required')];
  return names.split(',').map((name) => ({ level: levelFrom(option, name), value }));
}

/** Parses `LEVEL=COLUMNS` and `LEVEL:PARENT=COLUMNS`. @throws UsageError if an entry has another form */
export function gidColumnFrom(option: string, entry: string): GidColumnOption {
  const [, level, parent, columns] = /^(lv\d+|\d+)(?::(lv\d+|\d+))?=(.*)$/s.exec(entry) ?? [];
  if (level === undefined || columns === undefined || (columns === '' && parent === undefined))
    throw new UsageError(
      `${option} ${entry}: not LEVEL=COLUMN or LEVEL:PARENT=COLUMN`,
      `e.g. ${option} lv0=ISO3, or ${option} lv2:lv1=REGION for the parents of level 2`,
    );
  const of = levelFrom(option, parent ?? level);
  return {
    level: parent === undefined ? undefined : levelFrom(option, level),
    of,
    columns: columns === '' ? [] : columns.split('+'),
  };
}

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

/** Checks a release id. @throws UsageError if it is not one */
export function releaseId(option: string, text: string): string {
  if (isReleaseId(text)) return text;
  throw new UsageError(`${option} ${text}: not a release id`, `use ${RELEASE_ID_RULE}`);
}

/** Checks that a build has one dataset and an id. @throws UsageError */
export function requireSource(argv: {
  sample: boolean | undefined;
  source: readonly string[] | undefined;
  release: string | undefined;
}): void {
  if (!argv.sample === !argv.source)
    throw new UsageError('build needs either --source or --sample', 'add --source FILE, or --sample');
  if (!argv.sample && !argv.release)
    throw new UsageError('build --source needs a release id', 'add one, e.g. --release 2026-11');
}

const UNIT_MS: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
]);

/** Parses a duration such as `0s`, `30s` or `5m`, to milliseconds. @throws UsageError if it has another form */
export function durationToMs(option: string, text: string): number {
  const [, digits, unit] = /^(\d{1,4})([sm])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNIT_MS.get(unit) ?? Number.NaN);
  if (ms >= 0) return ms;
  throw new UsageError(`${option} ${text}: not a duration`, 'use a number and a unit: 0s, 30s, 5m');
}
