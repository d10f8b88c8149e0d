// The options of `points`: name, type and help text, declared once, and what they mean.
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { isPrivate, parseUrl } from '../config/option-values.ts';
import { OptionError } from '../config/start-error.ts';
import { baseUrlOf } from './base-url.ts';
import type { NamedColumns } from './columns.ts';
import type { Service } from './service.ts';

const TEXT = { type: 'string', requiresArg: true } as const;

/** Every option of `points`. */
export const POINTS_OPTIONS = {
  origin: { ...TEXT, describe: 'output folder of the generator (default: output, unless --url is given)' },
  url: {
    ...TEXT,
    describe:
      'a service, e.g. https://boundaries.example.org, whose token comes from the environment: TOKEN=...; or an output folder on a static host: the address that current.json is below',
  },
  levels: { ...TEXT, describe: 'levels to look up, e.g. lv0,lv3 (default: all that have units)' },
  longitude: { ...TEXT, describe: 'name of the column with longitudes, if it is not a usual one' },
  latitude: { ...TEXT, describe: 'name of the column with latitudes' },
  'keep-formulas': {
    type: 'boolean',
    describe: 'leave names as they are, even those that a spreadsheet would run as formulas',
  },
  parents: {
    type: 'boolean',
    describe: 'take the units above from the parents of the deepest unit at a point, not from the point',
  },
  strict: { type: 'boolean', describe: 'exit code 1 if rows have no point' },
} as const;

/** The options of `points` as yargs gives them. */
export interface PointsOptions {
  readonly origin?: string | undefined;
  readonly url?: string | undefined;
  readonly levels?: string | undefined;
  readonly longitude?: string | undefined;
  readonly latitude?: string | undefined;
  readonly keepFormulas?: boolean | undefined;
  readonly parents?: boolean | undefined;
}

/** The options, checked. */
export interface PointsSettings {
  /** A folder, or a service. */
  source: string | Service;
  /** Ascending; undefined for all that have units. */
  levels: readonly Level[] | undefined;
  columns: NamedColumns;
  /** Are names that a spreadsheet would run as formulas left as they are? */
  keepFormulas: boolean;
  /** Are the units above those of the deepest one, instead of those at the point? */
  parents: boolean;
}

/**
 * Checks the options.
 * @param env its TOKEN is sent to the service
 * @throws OptionError
 */
export function optionsToPointsSettings(
  { origin, url, levels, longitude, latitude, keepFormulas = false, parents = false }: PointsOptions,
  env: Readonly<Record<string, string | undefined>>,
): PointsSettings {
  if (origin !== undefined && url !== undefined)
    throw new OptionError('two sources', '--origin with --url', 'omit one of them');
  if (origin !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(origin))
    throw new OptionError('not a folder', '--origin', 'use --url, with a service or the address of an output folder');
  return {
    source: url === undefined ? (origin ?? 'output') : serviceAt(url, tokenIn(env)),
    levels: levels === undefined ? undefined : parseLevels(levels),
    columns: { longitude, latitude },
    keepFormulas,
    parents,
  };
}

/** @throws OptionError also if others could read the token */
function serviceAt(text: string, token: string | undefined): Service {
  const url = parseServiceUrl(text);
  if (token === undefined || isPrivate(new URL(url))) return { url, token };
  throw new OptionError(
    'the token would be sent unencrypted',
    '--url',
    'use https://, or unset TOKEN for a public service',
  );
}

function parseServiceUrl(text: string): string {
  const remedy = 'use scheme, host and optional path, e.g. https://boundaries.example.org';
  const { href } = parseUrl(text, '--url', remedy, ({ search }) => search === '');
  return baseUrlOf(href);
}

/** The message does not repeat the token. */
function tokenIn({ TOKEN = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  const token = TOKEN.trim();
  if (token === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new OptionError('not a usable token', 'TOKEN of the environment', 'set it to the token alone');
  return token;
}

function parseLevels(text: string): Level[] {
  const names = text.split(',').map((name) => name.trim());
  const levels = LEVELS.filter((level) => names.includes(levelName(level)));
  if (levels.length === names.length) return levels;
  const known = LEVELS.map(levelName).join(', ');
  throw new OptionError('not a list of levels', `--levels ${text}`, `use some of ${known}, with commas between them`);
}
