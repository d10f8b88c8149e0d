// The parameters of both endpoints in one table: what the parser takes, what its refusals say, what the document shows.
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';

/** The parameter that says how many features a page has. */
export const PAGE_SIZE = 'page-size';
/** The least that it may be; the most is the cap of level and format, and more than that counts as the cap. */
export const PAGE_SIZE_MIN = 1;

/** The parameters that say where a page starts; one of them may be given. */
export const STARTS = ['start-at', 'start-after'] as const;
/** The largest fid that they take. */
export const FID_MAX: number = Number.MAX_SAFE_INTEGER;

/** The parameters that say which features match, and the level of the unit that each names. */
export const FILTERS: ReadonlyMap<string, Level> = new Map(
  LEVELS.map((level): [string, Level] => [`gid-${level}`, level]),
);

/** One parameter at one level. */
export interface Parameter {
  name: string;
  /** What it does. */
  meaning: string;
  /** What it may be, in words for refusals. */
  rule: string;
}

const PAGE_SIZE_RULE = `a whole number of at least ${PAGE_SIZE_MIN}`;
const START_RULE = `a fid from 0 to ${FID_MAX} or a cursor from a Link header`;

const START_MEANINGS: Readonly<Record<(typeof STARTS)[number], string>> = {
  'start-at': 'The page begins at the first feature whose fid is this or larger, or where a cursor says.',
  'start-after': 'The page begins behind this fid, or where a cursor says. Not together with start-at.',
};

/** The parameters that requests for a level may have, in the order in which they are listed everywhere. */
export function parametersAt(level: Level): readonly Parameter[] {
  return [
    {
      name: PAGE_SIZE,
      meaning: 'Features on the page. A number beyond the maximum counts as the maximum, which is also the default.',
      rule: PAGE_SIZE_RULE,
    },
    ...STARTS.map((name) => ({ name, meaning: START_MEANINGS[name], rule: START_RULE })),
    ...[...FILTERS]
      .filter(([, column]) => column <= level)
      .map(([name, column]) => ({ name, meaning: filterMeaning(column, level), rule: filterRule(level) })),
  ];
}

/** Is this the name of a parameter, at any level? */
export function isParameter(name: string): boolean {
  return name === PAGE_SIZE || STARTS.some((start) => start === name) || FILTERS.has(name);
}

/** What the parameter may be at a level; also for filters that the level does not take. */
export function ruleOf(name: string, level: Level): string {
  return parametersAt(level).find((parameter) => parameter.name === name)?.rule ?? filterRule(level);
}

/** The filters that a level takes, in words. */
export function filterNames(level: Level): string {
  return `gid-0 to gid-${level}`;
}

function filterRule(level: Level): string {
  return `the GID of a unit, ${filterNames(level)}`;
}

function filterMeaning(column: Level, level: Level): string {
  if (column === level) return 'The unit with this GID alone.';
  return `Only units that lie in the ${levelName(column)} unit with this GID. Several filters must all hold.`;
}
