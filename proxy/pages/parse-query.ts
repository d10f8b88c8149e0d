// The query string becomes a typed request here, once. Each error names the parameter, what is wrong and what is
// allowed.
import type { Cursor } from '../../format/cursor.ts';
import { decodeCursor } from '../../format/cursor.ts';
import type { Level } from '../../format/levels.ts';
import { levelName } from '../../format/levels.ts';
import { Problem, quote } from '../http/problem.ts';
import {
  FID_MAX,
  FILTERS,
  filterNames,
  isParameter,
  PAGE_SIZE,
  PAGE_SIZE_MIN,
  parameterNames,
  ruleOf,
  STARTS,
} from './endpoints.ts';

/** Selects the features whose GID at level `column` is `gid`. */
export interface Filter {
  column: Level;
  gid: string;
}

/** The start of a page: the first feature with at least this fid, or the position of a cursor. */
export type Start = { fid: number } | { cursor: Cursor };

/** A parsed query. */
export interface PageRequest {
  /** At least 1; may be above the page cap. */
  pageSize: number | undefined;
  start: Start | undefined;
  /** Ascending by column, at most one per column. */
  filters: readonly Filter[];
}

/** Does a cursor pin the request to a release, so that its response never changes? */
export function isPinned({ start }: PageRequest): boolean {
  return start !== undefined && 'cursor' in start;
}

/**
 * Parses the query of a request for one level.
 * @param query without `?`, not decoded; form encoding as in the URL standard, section 5.1
 * @throws Problem token-in-query, bad-encoding, unknown-parameter, duplicate-parameter, bad-parameter, bad-cursor
 */
export function parseQuery(query: string, level: Level): PageRequest {
  const values = parseValues(query, level);
  return {
    pageSize: parsePageSize(values.get(PAGE_SIZE), level),
    start: parseStart(values, level),
    filters: parseFilters(values, level),
  };
}

/**
 * Parses the query of a request for a path without parameters.
 * @throws Problem token-in-query, bad-encoding, unknown-parameter
 */
export function parseEmptyQuery(query: string): PageRequest {
  for (const [name] of pairsIn(query))
    throw new Problem('unknown-parameter', `${quote(name)} is not a parameter. Allowed: none.`);
  return { pageSize: undefined, start: undefined, filters: [] };
}

/** Decoded names and values: only known names, without duplicates and empty values. */
function parseValues(query: string, level: Level): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (query === '') return values;
  for (const [name, value] of pairsIn(query)) {
    if (!isParameter(name))
      throw new Problem('unknown-parameter', `${quote(name)} is not a parameter. ${allowedAt(level)}`);
    if (values.has(name)) throw new Problem('duplicate-parameter', `${name} occurs more than once; it may occur once.`);
    if (value === '') throw badParameter(name, 'is empty', ruleOf(name, level));
    values.set(name, value);
  }
  return values;
}

/** Decoded names and values. */
function* pairsIn(query: string): Generator<[name: string, value: string], void, undefined> {
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === 'access_token')
      throw new Problem('token-in-query', 'Send the token in the header: Authorization: Bearer <token>.');
    yield [name, value];
  }
}

/** Strict percent-decoding: refuses bad escapes, bytes outside ASCII and ill-formed UTF-8. */
function decode(text: string): string {
  if (/^[A-Za-z0-9_.-]*$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      // The error below applies to all cases.
    }
  }
  throw new Problem('bad-encoding', `${quote(text)} is not percent-encoded UTF-8.`);
}

function parsePageSize(text: string | undefined, level: Level): number | undefined {
  if (text === undefined) return undefined;
  const size = isDigits(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (size < PAGE_SIZE_MIN) throw badParameter(PAGE_SIZE, `is ${quote(text)}`, ruleOf(PAGE_SIZE, level));
  return size;
}

function parseStart(values: ReadonlyMap<string, string>, level: Level): Start | undefined {
  const given = STARTS.filter((name) => values.has(name));
  if (given.length > 1) throw badParameter('start-at', 'and start-after exclude each other', 'one of them');
  const name = given[0];
  const text = name && values.get(name);
  if (name === undefined || text === undefined) return undefined;
  if (isDigits(text)) {
    const fid = Number(text);
    if (fid > FID_MAX) throw badParameter(name, `is ${quote(text)}`, ruleOf(name, level));
    return { fid: name === 'start-after' ? fid + 1 : fid };
  }
  const cursor = decodeCursor(text);
  if (cursor === undefined)
    throw new Problem(
      'bad-cursor',
      `${name} is ${quote(text)}, which is neither a fid nor an undamaged cursor. Allowed: ${ruleOf(name, level)}.`,
    );
  if (cursor.level !== level)
    throw new Problem(
      'bad-cursor',
      `${name} is a cursor of ${levelName(cursor.level)}. Allowed: a cursor of ${levelName(level)}.`,
    );
  return { cursor };
}

function parseFilters(values: ReadonlyMap<string, string>, level: Level): Filter[] {
  const filters: Filter[] = [];
  for (const [name, column] of FILTERS) {
    const gid = values.get(name);
    if (gid === undefined) continue;
    if (column > level) throw badParameter(name, `is not a filter of ${levelName(level)}`, filterNames(level));
    filters.push({ column, gid });
  }
  return filters;
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function badParameter(name: string, wrong: string, allowed: string): Problem {
  return new Problem('bad-parameter', `${name} ${wrong}. Allowed: ${allowed}.`);
}

function allowedAt(level: Level): string {
  return `Allowed: ${parameterNames(level).join(', ')}.`;
}
