// The query parameters: of each its rule, for messages, and how its text becomes a value, once. Used by query.ts and
// rows.ts.
import { type Box, boxFrom } from '../../format/boxes.ts';
import type { Cursor } from '../../format/cursor.ts';
import { decodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { isDecimal } from '../../format/grid.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { foldText } from '../../format/words.ts';
import type { NamedRelease } from '../data/releases.ts';
import { Problem, quote } from '../http/problem.ts';
import {
  BBOX,
  CONTAINS,
  F,
  FID_MAX,
  FILTERS,
  GEOMETRY,
  LIMIT,
  PAGE_SIZE,
  PAGE_SIZE_MIN,
  POINT,
  RELEASE,
  SEARCH_LIMIT,
  START_AFTER,
  START_AT,
} from './endpoints.ts';

/** Selects the features whose GID at level `column` is `gid`. */
export interface Filter {
  column: Level;
  gid: string;
}

/** What a query says. */
export interface Params {
  /** At least 1, may be above the page cap; 0 if absent. */
  pageSize: number;
  /** The page starts at the first feature with at least this fid; -1 if absent. */
  fid: number;
  /** The page starts at its position. */
  cursor: Cursor | undefined;
  /** That of the cursor or of `release`; undefined for the current one. */
  release: NamedRelease | undefined;
  /** At most one per column. */
  filters: readonly Filter[];
  /** As it was written: which there are is known of the release. Undefined if absent. */
  geometry: string | undefined;
  /** The features' bounding boxes touch this one. */
  bbox: Box | undefined;
  /** The features contain this point: plain decimals of degrees. */
  contains: { longitude: string; latitude: string } | undefined;
  /** The words of names that are looked for; empty if absent. */
  text: string;
  /** The levels that are searched, ascending. */
  levels: readonly Level[];
  /** What was given, in the order of links. */
  given: readonly Given[];
}

/** A parameter as it was given: its text is decoded. */
export interface Given {
  name: string;
  text: string;
  /** Undefined if it names a column of the level, which the release knows. */
  parameter: Parameter | undefined;
}

/** How a parameter is read. */
export interface Parameter {
  /** Its place in links: ascending, those with the same as in the request. */
  readonly order: number;
  /** The allowed values at a level, for messages. */
  rule(level: Level): string;
  /** Sets what it says. @throws Problem bad-parameter, bad-cursor */
  parse(params: Params, given: Given, level: Level): void;
}

const NO_FILTERS: readonly Filter[] = [];
const SIZE_RULE = `a whole number of at least ${PAGE_SIZE_MIN}`;
const START_RULE = `a fid from 0 to ${FID_MAX} or a cursor from a Link header`;
const DEGREES = 'plain decimal degrees, longitudes from -180 to 180 before latitudes from -90 to 90';

/** What a query without parameters says. */
export function noParams(): Params {
  return {
    pageSize: 0,
    fid: -1,
    cursor: undefined,
    release: undefined,
    filters: NO_FILTERS,
    geometry: undefined,
    bbox: undefined,
    contains: undefined,
    text: '',
    levels: LEVELS,
    given: [],
  };
}

/** The parameters of pages and downloads. */
export const PARAMETERS: ReadonlyMap<string, Parameter> = new Map<string, Parameter>([
  ...[...FILTERS].map(([name, column]): [string, Parameter] => [
    name,
    {
      order: column,
      rule: (level) => `the GID of a unit, ${filterNames(level)}`,
      parse(params, { text }, level) {
        if (column > level) throw badParameter(name, `is not a filter of ${levelName(level)}`, filterNames(level));
        params.filters = [...params.filters, { column, gid: text }];
      },
    },
  ]),
  [
    BBOX,
    {
      order: FILTERS.size,
      rule: () => `west,south,east,north in ${DEGREES}; west > east crosses the antimeridian`,
      parse: parseBox,
    },
  ],
  ...[CONTAINS, POINT].map((name): [string, Parameter] => [
    name,
    {
      order: FILTERS.size + 1,
      rule: () => `longitude,latitude in ${DEGREES}`,
      parse(params, given, level) {
        const [longitude = '', latitude = ''] = degreesIn(given, given.text, 2, level);
        params.contains = { longitude, latitude };
      },
    },
  ]),
  [
    GEOMETRY,
    {
      order: FILTERS.size + 2,
      rule: () => 'a geometry of the release',
      parse(params, { text }) {
        params.geometry = text;
      },
    },
  ],
  [PAGE_SIZE, { order: FILTERS.size + 3, rule: () => SIZE_RULE, parse: parseSize }],
  [START_AT, { order: FILTERS.size + 4, rule: () => START_RULE, parse: parseStart }],
  [START_AFTER, { order: FILTERS.size + 4, rule: () => START_RULE, parse: parseStart }],
  [
    RELEASE,
    {
      order: FILTERS.size + 5,
      rule: () => 'the id of a hosted release',
      parse(params, { text }) {
        params.release = { release: text, content: '' };
      },
    },
  ],
]);

/** Those of OGC API - Features, whose links keep the order of the request. */
export const OGC_PARAMETERS: ReadonlyMap<string, Parameter> = new Map<string, Parameter>([
  [
    'limit',
    {
      order: 0,
      rule: () => SIZE_RULE,
      parse(params, given, level) {
        parseSize(params, given, level);
        params.pageSize = Math.min(params.pageSize, LIMIT.maximum);
      },
    },
  ],
  [
    BBOX,
    {
      order: 0,
      rule: () => 'west,south,east,north in degrees, or six numbers with heights',
      parse: (params, given, level) => parseBox(params, given, level, fourNumbers(given)),
    },
  ],
  [
    'datetime',
    {
      order: 0,
      rule: () => 'an instant such as 2026-11-23T00:00:00Z, or an interval of two, one of which may be ..',
      parse: (_, given) => refuseUnless(isTime(given.text), given),
    },
  ],
  [GEOMETRY, { ...parameterOf(GEOMETRY), order: 0 }],
  [START_AT, { order: 0, rule: () => 'a cursor of a next link, or a fid', parse: parseStart }],
  [F, { order: 0, rule: () => 'json', parse: (_, given) => refuseUnless(given.text === 'json', given) }],
]);

/** What is looked for. */
export const Q_RULE: string = `the beginning of a name or of one of its words: 1 to ${SEARCH_LIMIT.characters} characters, at least one of them a letter or digit`;

/** Those of a search. */
export const SEARCH_PARAMETERS: ReadonlyMap<string, Parameter> = new Map<string, Parameter>([
  [
    'q',
    {
      order: 0,
      rule: () => Q_RULE,
      parse(params, given) {
        const characters = Array.from(given.text).length;
        if (characters > SEARCH_LIMIT.characters) throw badParameter('q', `has ${characters} characters`, Q_RULE);
        if (foldText(given.text) === '') throw wrong(given);
        params.text = given.text;
      },
    },
  ],
  [
    'limit',
    {
      order: 0,
      rule: () => `a whole number from 1 to ${SEARCH_LIMIT.maximum}`,
      parse(params, given, level) {
        parseSize(params, given, level);
        if (params.pageSize > SEARCH_LIMIT.maximum) throw wrong(given);
      },
    },
  ],
  [
    'level',
    {
      order: 0,
      rule: () => `some of ${LEVELS.map(levelName).join(', ')}, with commas between them`,
      parse(params, given) {
        const names = given.text.split(',');
        params.levels = LEVELS.filter((level) => names.includes(levelName(level)));
        if (params.levels.length !== names.length) throw wrong(given);
      },
    },
  ],
  ...[...FILTERS.keys(), GEOMETRY].map((name): [string, Parameter] => [name, { ...parameterOf(name), order: 0 }]),
]);

function parameterOf(name: string): Parameter {
  const parameter = PARAMETERS.get(name);
  if (parameter === undefined) throw new RangeError(`${name} is not a parameter`);
  return parameter;
}

/** The filters of a level, for messages. */
function filterNames(level: Level): string {
  return `gid-0 to gid-${level}`;
}

/**
 * The geometry that is asked for.
 * @param usual what no request for another one gets: the full one of pages, the lightest one of units of all levels
 * @throws Problem bad-parameter if it is not one of the release
 */
export function geometryOf(
  { geometry }: Params,
  geometries: readonly Geometry[],
  usual: 'full' | 'lightest' = 'full',
): Geometry {
  if (geometry === undefined) return usual === 'full' ? 'full' : elementAt(geometries, geometries.length - 1);
  const known = geometries.find((name) => name === geometry);
  if (known === undefined) throw badParameter(GEOMETRY, `is ${quote(geometry)}`, `one of ${geometries.join(', ')}`);
  return known;
}

function parseSize(params: Params, given: Given, _level: Level): void {
  const { text } = given;
  params.pageSize = isDigits(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (params.pageSize < PAGE_SIZE_MIN) throw wrong(given);
}

/** The start of a page: a fid or a cursor. */
function parseStart(params: Params, given: Given, level: Level): void {
  const { name, text } = given;
  if (params.fid !== -1 || params.cursor !== undefined)
    throw badParameter(`${START_AT} and ${START_AFTER}`, 'cannot be combined', 'one of them');
  if (isDigits(text)) {
    const fid = Number(text);
    // Whatever the rule of the parameter is: the bound is what is wrong.
    if (fid > FID_MAX) throw badParameter(name, `is ${quote(text)}`, START_RULE);
    params.fid = name === START_AFTER ? fid + 1 : fid;
    return;
  }
  const cursor = decodeCursor(text);
  if (cursor === undefined)
    throw new Problem(
      'bad-cursor',
      `${name} is ${quote(text)}, which is neither a fid nor an undamaged cursor. Allowed: ${START_RULE}.`,
    );
  if (cursor.level !== level)
    throw new Problem(
      'bad-cursor',
      `${name} is a cursor of ${levelName(cursor.level)}. Allowed: a cursor of ${levelName(level)}.`,
    );
  params.cursor = cursor;
  params.release = cursor;
}

/** @param text the four numbers, if they were not written so */
function parseBox(params: Params, given: Given, level: Level, text: string = given.text): void {
  params.bbox = boxFrom(degreesIn(given, text, 4, level));
  if (params.bbox === undefined)
    throw badParameter(BBOX, `is ${quote(text)}, whose south is greater than its north`, parameterOf(BBOX).rule(level));
}

/** Longitudes and latitudes by turns. */
function degreesIn({ name, parameter = parameterOf(name) }: Given, text: string, count: number, level: Level) {
  const values = text.split(',');
  const { rule } = parameter;
  const counts = parameter === OGC_PARAMETERS.get(name) ? '4 or 6' : count;
  if (values.length !== count)
    throw badParameter(name, `is ${quote(text)}: ${values.length} values, not ${counts}`, rule(level));
  for (const [i, value] of values.entries()) {
    const [what, most] = i % 2 === 0 ? (['longitude', 180] as const) : (['latitude', 90] as const);
    if (!isDecimal(value, most))
      throw badParameter(name, `is ${quote(text)}: ${quote(value)} is no ${what}`, rule(level));
  }
  return values;
}

const EXPONENT = /^-?\d+(?:\.\d+)?e[+-]?\d+$/i;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const BOX_DECIMALS = 20;

/** The plain decimals of a box with four numbers or, with heights, six, which C programs may write with an exponent. */
function fourNumbers(given: Given): string {
  const numbers = given.text.split(',');
  const plain = numbers.map((number) => (EXPONENT.test(number) ? Number(number).toFixed(BOX_DECIMALS) : number));
  if (numbers.length !== 6) return plain.join();
  if (![numbers[2], numbers[5]].every((height) => NUMBER.test(height ?? ''))) throw wrong(given);
  return [plain[0], plain[1], plain[3], plain[4]].join();
}

/** An instant (RFC 3339) or a day, as in both ends of an interval. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** Is it an instant or an interval (OGC 17-069r4, section 7.15.4)? What has no time matches any. */
function isTime(text: string): boolean {
  const ends = text.split('/');
  const isOpen = (end: string): boolean => ends.length === 2 && (end === '' || end === '..');
  const times = ends.filter((end) => !isOpen(end)).map(instantOf);
  const [first = Number.NaN, last = first] = times;
  return ends.length <= 2 && first <= last;
}

/** Milliseconds; NaN if it is none. V8 takes February 30 for March 2, and has no leap second (RFC 3339, section 5.7). */
function instantOf(text: string): number {
  const day = new Date(Date.parse(text.slice(0, 10))).getUTCDate();
  if (!INSTANT.test(text) || day !== Number(text.slice(8, 10))) return Number.NaN;
  return Date.parse(text.toUpperCase().replace(/:60(?=[.Z+-])/, ':59'));
}

/** Does the text consist of digits? */
export function isDigits(text: string): boolean {
  return !/[^0-9]/.test(text);
}

function refuseUnless(isRight: boolean, given: Given): void {
  if (!isRight) throw wrong(given);
}

function wrong({ name, text, parameter }: Given): Problem {
  return badParameter(name, `is ${quote(text)}`, parameter?.rule(0) ?? '');
}

export function badParameter(name: string, wrong: string, allowed: string): Problem {
  return new Problem('bad-parameter', `${name} ${wrong}. Allowed: ${allowed}.`);
}
