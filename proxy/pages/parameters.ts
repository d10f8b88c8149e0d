// The query parameters of both endpoints: one table for the parser, its error messages and the OpenAPI document.
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';

/** The number of features per page. */
export const PAGE_SIZE = 'page-size';
/** Minimum value. The maximum is the page cap of level and format; a larger value counts as the cap. */
export const PAGE_SIZE_MIN = 1;

/** The parameters for the start of a page, which exclude each other. */
export const STARTS = ['start-at', 'start-after'] as const;
/** The largest fid that they accept. */
export const FID_MAX: number = Number.MAX_SAFE_INTEGER;

/** The filter parameters, with the level of the unit that each names. */
export const FILTERS: ReadonlyMap<string, Level> = new Map(
  LEVELS.map((level): [string, Level] => [`gid-${level}`, level]),
);

/** One parameter at one level. */
export interface Parameter {
  name: string;
  /** Description for the documentation. */
  meaning: string;
  /** Allowed values, for error messages. */
  rule: string;
}

const PAGE_SIZE_RULE = `a whole number of at least ${PAGE_SIZE_MIN}`;
const START_RULE = `a fid from 0 to ${FID_MAX} or a cursor from a Link header`;

const START_MEANINGS: Readonly<Record<(typeof STARTS)[number], string>> = {
  'start-at': 'Start of the page: the first feature with this fid or a larger one, or the position of a cursor.',
  'start-after':
    'Start of the page: the first feature with a larger fid, or the position of a cursor. Not together with start-at.',
};

/** The parameters of a level, in the order of the documentation. */
export function parametersAt(level: Level): readonly Parameter[] {
  return [
    {
      name: PAGE_SIZE,
      meaning:
        'Number of features on the page. The maximum is also the default; a larger number counts as the maximum.',
      rule: PAGE_SIZE_RULE,
    },
    ...STARTS.map((name) => ({ name, meaning: START_MEANINGS[name], rule: START_RULE })),
    ...[...FILTERS]
      .filter(([, column]) => column <= level)
      .map(([name, column]) => ({ name, meaning: filterMeaning(column, level), rule: filterRule(level) })),
  ];
}

/** Is this a parameter of any level? */
export function isParameter(name: string): boolean {
  return name === PAGE_SIZE || STARTS.some((start) => start === name) || FILTERS.has(name);
}

/** The allowed values of a parameter at a level; also for filters that the level does not have. */
export function ruleOf(name: string, level: Level): string {
  return parametersAt(level).find((parameter) => parameter.name === name)?.rule ?? filterRule(level);
}

/** The filters of a level, for messages. */
export function filterNames(level: Level): string {
  return `gid-0 to gid-${level}`;
}

function filterRule(level: Level): string {
  return `the GID of a unit, ${filterNames(level)}`;
}

function filterMeaning(column: Level, level: Level): string {
  if (column === level) return 'Only the unit with this GID.';
  return `Only units inside the ${levelName(column)} unit with this GID. Several filters are combined with AND.`;
}
