// The options of `points`: name, type and help text, declared once, and what they mean.
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { OptionError } from '../config/start-error.ts';
import {
  APPENDED_OPTIONS,
  optionsToTableSettings,
  SOURCE_OPTIONS,
  type TableOptions,
  type TableSettings,
} from '../tables/source-options.ts';
import type { NamedColumns } from './columns.ts';

const TEXT = { type: 'string', requiresArg: true } as const;

/** Every option of `points`. */
export const POINTS_OPTIONS = {
  ...SOURCE_OPTIONS,
  levels: { ...TEXT, describe: 'levels to look up, e.g. lv0,lv3 (default: all that have units)' },
  longitude: { ...TEXT, describe: 'name of the column with longitudes, if it is not a usual one' },
  latitude: { ...TEXT, describe: 'name of the column with latitudes' },
  ...APPENDED_OPTIONS,
  parents: {
    type: 'boolean',
    describe: 'take the units above from the parents of the deepest unit at a point, not from the point',
  },
  strict: { type: 'boolean', describe: 'exit code 1 if rows have no point' },
} as const;

/** The options of `points` as yargs gives them. */
export interface PointsOptions extends TableOptions {
  readonly levels?: string | undefined;
  readonly longitude?: string | undefined;
  readonly latitude?: string | undefined;
  readonly parents?: boolean | undefined;
}

/** The options, checked. */
export interface PointsSettings extends TableSettings {
  /** Ascending; undefined for all that have units. */
  levels: readonly Level[] | undefined;
  columns: NamedColumns;
  /** Are the units above those of the deepest one, instead of those at the point? */
  parents: boolean;
}

/**
 * Checks the options.
 * @param env its TOKEN is sent to the service
 * @throws OptionError
 */
export function optionsToPointsSettings(
  { levels, longitude, latitude, parents = false, ...options }: PointsOptions,
  env: Readonly<Record<string, string | undefined>>,
): PointsSettings {
  return {
    ...optionsToTableSettings(options, env),
    levels: levels === undefined ? undefined : parseLevels(levels),
    columns: { longitude, latitude },
    parents,
  };
}

function parseLevels(text: string): Level[] {
  const names = text.split(',').map((name) => name.trim());
  const levels = LEVELS.filter((level) => names.includes(levelName(level)));
  if (levels.length === names.length) return levels;
  const known = LEVELS.map(levelName).join(', ');
  throw new OptionError('not a list of levels', `--levels ${text}`, `use some of ${known}, with commas between them`);
}
