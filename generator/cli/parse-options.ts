// Parses the values of command-line options, once; an error says what is expected.
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Share } from '../pages/build-level.ts';
import { BuildError } from '../report/errors.ts';

/** Parses `lv3` or `3`. @throws BuildError if it is not a level */
export function levelFrom(option: string, name: string): Level {
  const level = LEVELS.find((known) => levelName(known) === name || String(known) === name);
  if (level === undefined)
    throw new BuildError(`${option} ${name}: not a level`, `use ${LEVELS.map(levelName).join(', ')}`);
  return level;
}

/** Parses `LEVEL=NAME` entries. @throws BuildError if an entry has another form */
export function byLevel(option: string, entries: readonly string[]): Partial<Record<Level, string>> {
  return Object.fromEntries(
    entries.map((entry) => {
      const equals = entry.indexOf('=');
      const value = entry.slice(equals + 1);
      if (equals === -1 || value === '')
        throw new BuildError(`${option} ${entry}: not LEVEL=NAME`, `write ${option} lv0=NAME`);
      return [levelFrom(option, entry.slice(0, equals)), value];
    }),
  );
}

/** Parses `i/n`, 0 <= i < n. @throws BuildError if it has another form */
export function shareFrom(text: string): Share {
  const [, shard, shards] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (shard !== undefined && shards !== undefined && shard < shards) return { shard, shards };
  throw new BuildError(
    `--shard ${text}: not i/n with i from 0 to n - 1`,
    'e.g. --shard 0/4 for the first of four shards',
  );
}

/** Checks a whole number, `least` to `most`. @throws BuildError if it is not one or is out of range */
export function wholeNumber(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BuildError(
    `${option} ${value}: not a whole number in range`,
    `use a whole number from ${least} to ${most}`,
  );
}
