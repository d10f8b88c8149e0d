// The query of OGC API - Features becomes the parameters of a page, in its own words. Used by handler.ts and items.ts.
import type { LevelSummary } from '../../format/release.ts';
import { Problem, quote } from '../http/problem.ts';
import type { ItemsEndpoint } from '../pages/endpoints.ts';
import { BBOX, FID_MAX, GEOMETRY, SIZE_RULE } from '../pages/endpoints.ts';
import type { Filter, ListingParams } from '../pages/query.ts';
import { badParameter, decode, isDigits, parseBox, parseSize, parseStart, unknownParameter } from '../pages/query.ts';

/** The number of features of a page if the request does not say, and at most. */
export const LIMIT = { default: 100, maximum: 1000 } as const;

/** The parameters of features besides the GID columns, with their values for messages. */
const RULES: ReadonlyMap<string, string> = new Map([
  ['limit', SIZE_RULE],
  [BBOX, 'west,south,east,north in degrees, or six numbers with heights'],
  ['datetime', 'an instant such as 2026-11-23T00:00:00Z, or an interval of two, one of which may be ..'],
  [GEOMETRY, 'a geometry of the release'],
  ['start-at', 'a cursor of a next link, or a fid'],
]);

/** The names of these parameters, in the order of the documentation. */
export const ITEMS_PARAMETERS: readonly string[] = [...RULES.keys()];

/**
 * Parses path and query of a request for features.
 * @throws Problem not-found if the path does not end with a fid; bad-encoding, duplicate-parameter, bad-parameter,
 *   bad-cursor, unknown-parameter
 */
export function parseItems(endpoint: ItemsEndpoint, path: string, query: string): ListingParams {
  const texts = new Map<string, string>();
  for (const pair of query.split('&').filter((text) => text !== '')) {
    // A plus is a plus, as GDAL writes it (RFC 6570 expands a space to %20): time zones have one, too.
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair.replaceAll('+', '%2B'))?.map(decode) ?? [];
    if (texts.has(name)) throw new Problem('duplicate-parameter', `${name} occurs more than once; it may occur once.`);
    if (endpoint.kind === 'item' && name !== GEOMETRY) throw unknownParameter(name, `Allowed: ${GEOMETRY}.`);
    // Which geometries there are is known of the release: `geometryOf` refuses others, the empty text too.
    if (value === '' && name !== GEOMETRY) throw badParameter(name, 'is empty', RULES.get(name) ?? 'the GID of a unit');
    texts.set(name, value);
  }
  const params: ListingParams = {
    pageSize: LIMIT.default,
    fid: endpoint.kind === 'item' ? fidIn(path.slice(endpoint.path.length)) : -1,
    cursor: undefined,
    release: undefined,
    filters: [],
    geometry: texts.get(GEOMETRY),
    bbox: undefined,
    contains: undefined,
    placesQuery: '',
    texts,
  };
  const [limit, bbox, datetime, start] = ['limit', BBOX, 'datetime', 'start-at'].map((name) => texts.get(name));
  if (limit !== undefined) params.pageSize = Math.min(parseSize('limit', limit), LIMIT.maximum);
  if (bbox !== undefined) parseBox(params, boxIn(bbox), endpoint.level);
  if (datetime !== undefined && !isTime(datetime)) throw wrong('datetime', datetime);
  if (start !== undefined) parseStart(params, 'start-at', start, endpoint.level);
  return params;
}

/**
 * The filters by the GID columns of the level, which its release names.
 * @throws Problem unknown-parameter, bad-parameter
 */
export function filtersOf({ texts }: ListingParams, { gidColumns, level }: LevelSummary): Filter[] {
  const filters: Filter[] = [];
  for (const [name, gid] of texts) {
    if (RULES.has(name)) continue;
    const column = name === '' ? -1 : gidColumns.indexOf(name);
    if (column === -1) {
      const known = ITEMS_PARAMETERS.concat(gidColumns.filter((other) => other !== ''));
      throw unknownParameter(name, `Allowed: ${known.join(', ')}.`);
    }
    filters.push({ column: column as typeof level, gid });
  }
  return filters;
}

function wrong(name: string, text: string): Problem {
  return badParameter(name, `is ${quote(text)}`, RULES.get(name) ?? '');
}

/** The four plain decimals of a box with four numbers or, with heights, six, which C programs may write with an exponent. */
function boxIn(text: string): string {
  const numbers = text.split(',');
  const plain = numbers.map((number) => (EXPONENT.test(number) ? Number(number).toFixed(BOX_DECIMALS) : number));
  if (numbers.length !== 6) return plain.join();
  if (![numbers[2], numbers[5]].every((height) => NUMBER.test(height ?? ''))) throw wrong(BBOX, text);
  return [plain[0], plain[1], plain[3], plain[4]].join();
}

const EXPONENT = /^-?\d+(?:\.\d+)?e[+-]?\d+$/i;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const BOX_DECIMALS = 20;

/** The fid that a path ends with. */
function fidIn(text: string): number {
  const fid = isDigits(text) && String(Number(text)) === text ? Number(text) : Number.NaN;
  if (!(fid <= FID_MAX)) throw new Problem('not-found', `${quote(text)} is not the fid of a feature.`);
  return fid;
}

/** An instant (RFC 3339) or a day, as in both ends of an interval. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** Is it an instant or an interval (OGC 17-069r4, section 7.15.4)? What has no time matches any. */
function isTime(text: string): boolean {
  const ends = text.split('/');
  const isOpen = (end: string): boolean => ends.length === 2 && (end === '' || end === '..');
  const times = ends
    .filter((end) => !isOpen(end))
    .map((end) => (INSTANT.test(end) ? Date.parse(end.toUpperCase()) : Number.NaN));
  const [first = Number.NaN, last = first] = times;
  return ends.length <= 2 && first <= last;
}
