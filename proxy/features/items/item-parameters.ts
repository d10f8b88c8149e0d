// The parameters of OGC API - Features: some of them are those of pages, written in another way.
import { GEOMETRIES } from '../../../format/levels.ts';
import { GEOMETRY, type Given, Parameter, wrong } from '../../query/parameter.ts';
import { TOUCHES } from '../neighbours/touches.ts';
import { SIZE_RULE, STARTS_AT, sizeOf } from '../pages/page-parameters.ts';
import { BBOX, boxOf } from '../places/place-parameters.ts';

/** The number of features of a page if the request does not say, and at most. */
export const LIMIT_SIZES = { default: 100, maximum: 10_000 } as const;

/** The number of features of a page. */
export const LIMIT: Parameter<number> = new Parameter({
  name: 'limit',
  rule: () => SIZE_RULE,
  parse: (given) => Math.min(sizeOf(given), LIMIT_SIZES.maximum),
  document: () => ({
    component: 'ogc-limit',
    description: 'Features on the page; a larger number counts as the maximum. Large ones make a page shorter.',
    schema: { type: 'integer', minimum: 1, ...LIMIT_SIZES },
    example: 1,
  }),
});

const FOUR = { minItems: 4, maxItems: 4 };
const SIX = { minItems: 6, maxItems: 6 };

/** With heights, too. */
const BOX = BBOX.as({
  rule: () => 'west,south,east,north in degrees, or six numbers with heights',
  parse: (given, level) => boxOf(given, level, fourNumbers(given), '4 or 6'),
  document: () => ({
    component: 'ogc-bbox',
    description:
      'Features that have a point in west,south,east,north, in degrees, or have no geometry; six numbers have heights.',
    schema: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6, oneOf: [FOUR, SIX] },
    example: [-4, 40, -3, 41],
    explode: false,
  }),
});

const TOUCHES_OF_FEATURES = TOUCHES.as({
  document: () => ({
    component: 'ogc-touches',
    description: 'The GID of a unit of this collection: features that share a border with it.',
    schema: { type: 'string', minLength: 1 },
    example: 'ESP.7_1',
  }),
});

/** An instant (RFC 3339) or a day, as in both ends of an interval. */
const DAY = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const MINUTE = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const INSTANT = `${DAY}(?:[Tt]${MINUTE}:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-]${MINUTE}))?`;
/** One, or an interval (OGC 17-069r4, section 7.15.4). */
const TIME = `^(?:${INSTANT}|${INSTANT}/(?:${INSTANT}|\\.\\.)?|(?:\\.\\.)?/${INSTANT})$`;

const DATETIME: Parameter<true> = new Parameter({
  name: 'datetime',
  rule: () => 'an instant such as 2026-11-23T00:00:00Z, or an interval of two, one of which may be ..',
  parse: (given) => allowedIf(isTime(given.text), given),
  document: () => ({
    component: 'ogc-datetime',
    description: 'An instant or an interval. Features have no time: all match.',
    schema: { type: 'string', pattern: TIME },
    example: '2026-11-23T00:00:00Z',
  }),
});

const GEOMETRY_OF_FEATURES = GEOMETRY.as({
  document: ({ geometries = GEOMETRIES }) => ({
    component: 'ogc-geometry',
    description: 'The geometry of the features.',
    schema: { type: 'string', enum: geometries, default: 'full' },
    example: 'full',
  }),
});

const CURSOR = STARTS_AT.as({
  rule: () => 'a cursor of a next link, or a fid',
  document: (endpoint) => ({
    ...STARTS_AT.document(endpoint),
    component: 'ogc-start-at',
    description: 'The cursor of a next link, or the fid at which the page starts.',
  }),
});

/** The media type that is asked for: there is one. */
export const F: Parameter<true> = new Parameter({
  name: 'f',
  rule: () => 'json',
  parse: (given) => allowedIf(given.text === 'json', given),
  document: () => ({
    component: 'ogc-f',
    description: 'The format: there is one.',
    schema: { type: 'string', enum: ['json'] },
    example: 'json',
  }),
});

/** Those of a page of features, in the order of the documentation. The GID columns of the level are parameters, too. */
export const ITEMS_PARAMETERS: readonly Parameter<unknown>[] = [
  LIMIT,
  BOX,
  TOUCHES_OF_FEATURES,
  DATETIME,
  GEOMETRY_OF_FEATURES,
  CURSOR,
  F,
];

/** Those of one feature. */
export const ITEM_PARAMETERS: readonly Parameter<unknown>[] = [GEOMETRY_OF_FEATURES, F];

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A box with four numbers or, with heights, six. */
function fourNumbers(given: Given): string {
  const numbers = given.text.split(',');
  if (numbers.length !== 6) return given.text;
  if (![numbers[2], numbers[5]].every((height) => NUMBER.test(height ?? ''))) throw wrong(given);
  return [numbers[0], numbers[1], numbers[3], numbers[4]].join();
}

const IS_TIME = new RegExp(TIME);
/** The second that a leap second follows, which is the last one of a month: V8 knows none (RFC 3339, section 5.7). */
const LEAP = /:60(?=[.Z+-])/;

/** Is it an instant, or an interval whose end is not before its start? What has no time matches any. */
function isTime(text: string): boolean {
  // What has another form names no time, and could be read as none.
  if (!IS_TIME.test(text)) return false;
  const times = text.split('/').filter((end) => end !== '' && end !== '..');
  const [first = Number.NaN, last = first] = times.map(instantOf);
  return first <= last;
}

/** Milliseconds; NaN if there is no such day. V8 takes February 30 for March 2. */
function instantOf(text: string): number {
  const day = new Date(Date.parse(text.slice(0, 10))).getUTCDate();
  if (day !== Number(text.slice(8, 10))) return Number.NaN;
  const upper = text.toUpperCase();
  const time = Date.parse(upper.replace(LEAP, ':59'));
  return LEAP.test(upper) && !isEndOfMonth(time) ? Number.NaN : time;
}

/** Does a month begin a second later? */
function isEndOfMonth(time: number): boolean {
  return new Date(time + 1000).toISOString().slice(8, 19) === '01T00:00:00';
}

/** @throws Problem bad-parameter */
function allowedIf(isRight: boolean, given: Given): true {
  if (!isRight) throw wrong(given);
  return true;
}
