// The options by which tables are joined with a release: where it is, and what is appended.
import { isPrivate, parseUrl } from '../config/option-values.ts';
import { OptionError } from '../config/start-error.ts';
import { baseUrlOf } from './base-url.ts';
import type { Service } from './service.ts';

const TEXT = { type: 'string', requiresArg: true } as const;

/** Those of the release: name, type and help text of each. */
export const SOURCE_OPTIONS = {
  origin: { ...TEXT, describe: 'output folder of the generator (default: output, unless --url is given)' },
  url: {
    ...TEXT,
    describe:
      'a service, e.g. https://boundaries.example.org, whose token comes from the environment: TOKEN=...; or an output folder on a static host: the address that current.json is below',
  },
} as const;

/** Those of what is appended. */
export const APPENDED_OPTIONS = {
  codes: { ...TEXT, describe: 'codes to append besides GIDs, by their keys in the release, e.g. ine,iso2' },
  'keep-formulas': {
    type: 'boolean',
    describe: 'leave names as they are, even those that a spreadsheet would run as formulas',
  },
} as const;

/** The options as yargs gives them. */
export interface TableOptions {
  readonly origin?: string | undefined;
  readonly url?: string | undefined;
  readonly codes?: string | undefined;
  readonly keepFormulas?: boolean | undefined;
}

/** The options, checked. */
export interface TableSettings {
  /** A folder, or a service. */
  source: string | Service;
  /** The keys of the codes that are appended. */
  codes: readonly string[];
  /** Are names that a spreadsheet would run as formulas left as they are? */
  keepFormulas: boolean;
}

/**
 * Checks the options.
 * @param env its TOKEN is sent to the service
 * @throws OptionError
 */
export function optionsToTableSettings(
  { codes, keepFormulas = false, ...source }: TableOptions,
  env: Readonly<Record<string, string | undefined>>,
): TableSettings {
  return { source: sourceIn(source, env), codes: parseKeys(codes), keepFormulas };
}

/** The keys that --codes names. */
function parseKeys(text = ''): string[] {
  const keys = text.split(',').map((key) => key.trim());
  return [...new Set(keys)].filter((key) => key !== '');
}

/** @param known the keys of the levels that are looked up @throws OptionError if there is no such key */
export function requireKeys(wanted: readonly string[], known: Iterable<string>): void {
  const there = new Set(known);
  const missing = wanted.filter((key) => !there.has(key));
  if (missing.length === 0) return;
  const remedy =
    there.size === 0 ? 'omit it: no level that is looked up has codes' : `use some of ${[...there].sort().join(', ')}`;
  throw new OptionError(`no codes of this key: ${missing.join(', ')}`, '--codes', remedy);
}

/** The folder or the service that is named. */
function sourceIn({ origin, url }: TableOptions, env: Readonly<Record<string, string | undefined>>): string | Service {
  if (origin !== undefined && url !== undefined)
    throw new OptionError('two sources', '--origin with --url', 'omit one of them');
  if (origin !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(origin))
    throw new OptionError('not a folder', '--origin', 'use --url, with a service or the address of an output folder');
  return url === undefined ? (origin ?? 'output') : serviceAt(url, tokenIn(env));
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
