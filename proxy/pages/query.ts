// The query string becomes typed parameters here, once. Each error names the parameter, what is wrong and what is
// allowed.
import { boxFrom } from '../../format/boxes.ts';
import { isDecimal } from '../../format/cells.ts';
import type { Cursor } from '../../format/cursor.ts';
import { decodeCursor } from '../../format/cursor.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { levelName } from '../../format/levels.ts';
import { Problem, quote } from '../http/problem.ts';
import type { NamedRelease } from '../releases/releases.ts';
import type { Places } from '../releases/spatial-index.ts';
import {
  BBOX,
  CONTAINS,
  FID_MAX,
  FILTERS,
  filterNames,
  GEOMETRY,
  isOfOther,
  type ListingEndpoint,
  PAGE_SIZE,
  PAGE_SIZE_MIN,
  parameterNames,
  RELEASE,
  ruleOf,
  SIZE_RULE,
} from './endpoints.ts';

/** Selects the features whose GID at level `column` is `gid`. */
export interface Filter {
  column: Level;
  gid: string;
}

/** The parameters of a page or download. */
export interface ListingParams extends Places {
  /** At least 1, may be above the page cap; 0 if absent. */
  pageSize: number;
  /** The page starts at the first feature with at least this fid; -1 if absent. */
  fid: number;
  /** The page starts at its position. */
  cursor: Cursor | undefined;
  /** That of the cursor or of `release`; undefined for the current one. */
  release: NamedRelease | undefined;
  /** Ascending by column, at most one per column. */
  filters: readonly Filter[];
  /** As it was written: which there are is known of the release. Undefined, which means the full one, if absent. */
  geometry: string | undefined;
  /** Of OGC API - Features, every parameter as it was written, decoded: its links repeat them. */
  texts: ReadonlyMap<string, string>;
  /** `bbox` and `contains` as they were written, for links. */
  placesQuery: string;
}

const NO_FILTERS: readonly Filter[] = [];
const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/**
 * Parses the query of a request for a page or download.
 * @param query without `?`, not decoded; form encoding as in the URL standard, section 5.1
 * @throws Problem token-in-query, bad-encoding, unknown-parameter, duplicate-parameter, bad-parameter, bad-cursor
 */
export function parseQuery(query: string, endpoint: ListingEndpoint): ListingParams {
  const { level } = endpoint;
  let size: string | undefined;
  let start: string | undefined;
  let startName = '';
  let filters: Filter[] | undefined;
  let geometry: string | undefined;
  let bbox: string | undefined;
  let contains: string | undefined;
  let release: string | undefined;
  for (let at = 0; at < query.length; ) {
    const ampersand = query.indexOf('&', at);
    const end = ampersand === -1 ? query.length : ampersand;
    if (end > at) {
      const equals = query.indexOf('=', at);
      const hasValue = equals !== -1 && equals < end;
      const name = decode(query.slice(at, hasValue ? equals : end));
      const value = hasValue ? decode(query.slice(equals + 1, end)) : '';
      if (isOfOther(endpoint, name)) throw notAllowed(name, endpoint);
      if (name === PAGE_SIZE) {
        size = checked(name, value, size, level);
      } else if (name === GEOMETRY) {
        geometry = checked(name, value, geometry, level);
      } else if (name === BBOX) {
        bbox = checked(name, value, bbox, level);
      } else if (name === CONTAINS) {
        contains = checked(name, value, contains, level);
      } else if (name === RELEASE) {
        release = checked(name, value, release, level);
      } else if (name === 'start-at' || name === 'start-after') {
        if (startName !== '' && startName !== name)
          throw badParameter('start-at and start-after', 'cannot be combined', 'one of them');
        start = checked(name, value, start, level);
        startName = name;
      } else {
        const column = columnOf(name, endpoint);
        const known = filters?.find((filter) => filter.column === column);
        filters ??= [];
        filters.push({ column, gid: checked(name, value, known?.gid, level) });
      }
    }
    at = end + 1;
  }
  const params: ListingParams = {
    pageSize: 0,
    fid: -1,
    cursor: undefined,
    release: release === undefined ? undefined : { release, content: '' },
    filters: filters ?? NO_FILTERS,
    geometry,
    texts: NO_TEXTS,
    bbox: undefined,
    contains: undefined,
    placesQuery: '',
  };
  if (size !== undefined) params.pageSize = parseSize(PAGE_SIZE, size);
  if (start !== undefined) parseStart(params, startName, start, level);
  if (bbox !== undefined) parseBox(params, bbox, level);
  if (contains !== undefined) parsePoint(params, contains, level);
  if (filters !== undefined) {
    if (filters.length > 1) filters.sort((a, b) => a.column - b.column);
    const below = filters.find(({ column }) => column > level);
    if (below !== undefined)
      throw badParameter(`gid-${below.column}`, `is not a filter of ${levelName(level)}`, filterNames(level));
  }
  return params;
}

/**
 * Checks the query of a path without parameters.
 * @throws Problem token-in-query, bad-encoding, unknown-parameter
 */
export function refuseQuery(query: string): void {
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = ''] = pair.split('=', 1);
    throw unknownParameter(decode(name), 'Allowed: none.');
  }
}

/** @throws Problem duplicate-parameter, bad-parameter */
function checked(name: string, value: string, known: string | undefined, level: Level): string {
  if (known !== undefined)
    throw new Problem('duplicate-parameter', `${name} occurs more than once; it may occur once.`);
  // Which geometries there are is known of the release: `geometryOf` refuses others, the empty text too.
  if (value === '' && name !== GEOMETRY) throw badParameter(name, 'is empty', ruleOf(name, level));
  return value;
}

function columnOf(name: string, endpoint: ListingEndpoint): Level {
  const column = FILTERS.get(name);
  if (column === undefined) throw notAllowed(name, endpoint);
  return column;
}

function notAllowed(name: string, endpoint: ListingEndpoint): Problem {
  return unknownParameter(name, `Allowed: ${parameterNames(endpoint).join(', ')}.`);
}

export function unknownParameter(name: string, allowed: string): Problem {
  if (name === 'access_token')
    return new Problem('token-in-query', 'Send the token in the header: Authorization: Bearer <token>.');
  return new Problem('unknown-parameter', `${quote(name)} is not a parameter. ${allowed}`);
}

/** Strict percent-decoding: refuses bad escapes, bytes outside ASCII and ill-formed UTF-8. */
export function decode(text: string): string {
  if (!/[^A-Za-z0-9_.-]/.test(text)) return text;
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

/** The number of features that a parameter asks for. @throws Problem bad-parameter */
export function parseSize(name: string, text: string): number {
  const size = isDigits(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (size < PAGE_SIZE_MIN) throw badParameter(name, `is ${quote(text)}`, SIZE_RULE);
  return size;
}

/** The geometry that is asked for. @throws Problem bad-parameter if it is not one of the release */
export function geometryOf({ geometry = 'full' }: ListingParams, geometries: readonly Geometry[]): Geometry {
  const known = geometries.find((name) => name === geometry);
  if (known === undefined) throw badParameter(GEOMETRY, `is ${quote(geometry)}`, `one of ${geometries.join(', ')}`);
  return known;
}

/** Sets the start of a page: a fid or a cursor. */
export function parseStart(params: ListingParams, name: string, text: string, level: Level): void {
  if (isDigits(text)) {
    const fid = Number(text);
    if (fid > FID_MAX) throw badParameter(name, `is ${quote(text)}`, ruleOf(name, level));
    params.fid = name === 'start-after' ? fid + 1 : fid;
    return;
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
  params.cursor = cursor;
  params.release = cursor;
}

/** Sets the box. @param text as it is written in links; @throws Problem bad-parameter */
export function parseBox(params: ListingParams, text: string, level: Level): void {
  params.bbox = boxFrom(degreesIn(BBOX, text, 4, level));
  if (params.bbox === undefined)
    throw badParameter(BBOX, `is ${quote(text)}, whose south is greater than its north`, ruleOf(BBOX, level));
  params.placesQuery += `${BBOX}=${text}&`;
}

function parsePoint(params: ListingParams, text: string, level: Level): void {
  const [longitude = '', latitude = ''] = degreesIn(CONTAINS, text, 2, level);
  params.contains = { longitude, latitude };
  params.placesQuery += `${CONTAINS}=${text}&`;
}

/** Longitudes and latitudes by turns. */
function degreesIn(name: string, text: string, count: number, level: Level): string[] {
  const values = text.split(',');
  if (values.length !== count)
    throw badParameter(name, `is ${quote(text)}: ${values.length} values, not ${count}`, ruleOf(name, level));
  for (const [i, value] of values.entries()) {
    const [what, most] = i % 2 === 0 ? (['longitude', 180] as const) : (['latitude', 90] as const);
    if (!isDecimal(value, most))
      throw badParameter(name, `is ${quote(text)}: ${quote(value)} is no ${what}`, ruleOf(name, level));
  }
  return values;
}

/** Does the text consist of digits? */
export function isDigits(text: string): boolean {
  return !/[^0-9]/.test(text);
}

export function badParameter(name: string, wrong: string, allowed: string): Problem {
  return new Problem('bad-parameter', `${name} ${wrong}. Allowed: ${allowed}.`);
}
