// The options of `match`: name, type and help text, declared once, and what they mean.
import { OptionError } from '../config/start-error.ts';
import {
  APPENDED_OPTIONS,
  optionsToTableSettings,
  SOURCE_OPTIONS,
  type TableOptions,
  type TableSettings,
} from '../tables/source-options.ts';
import { type NamedColumn, parseColumns } from './columns.ts';
import type { Edits } from './rules/edits.ts';

/** Every option of `match`. */
export const MATCH_OPTIONS = {
  ...SOURCE_OPTIONS,
  column: {
    type: 'string',
    array: true,
    nargs: 1,
    requiresArg: true,
    describe:
      'a column with names or codes of units, and their level, e.g. lv1=Province; repeatable (default: columns with usual headers)',
  },
  edits: {
    type: 'number',
    requiresArg: true,
    default: 1,
    describe: 'letters that may be wrong in a name: 0, 1 or 2; 2 finds more, and more that is wrong',
  },
  ...APPENDED_OPTIONS,
  strict: { type: 'boolean', describe: 'exit code 1 if rows have no unit, or several' },
} as const;

/** The options of `match` as yargs gives them. */
export interface MatchOptions extends TableOptions {
  readonly column?: readonly string[] | undefined;
  readonly edits?: number | undefined;
}

/** The options, checked. */
export interface MatchSettings extends TableSettings {
  /** Empty to find them by their headers. */
  columns: readonly NamedColumn[];
  edits: Edits;
}

/**
 * Checks the options.
 * @param env its TOKEN is sent to the service
 * @throws OptionError
 */
export function optionsToMatchSettings(
  { column = [], edits = 1, ...options }: MatchOptions,
  env: Readonly<Record<string, string | undefined>>,
): MatchSettings {
  if (edits !== 0 && edits !== 1 && edits !== 2)
    throw new OptionError('not a number of edits', `--edits ${edits}`, 'use 0, 1 or 2');
  return { ...optionsToTableSettings(options, env), columns: parseColumns(column), edits };
}
