// The parameters of a page: how many features it has, and where it starts.
import { type Cursor, decodeCursor } from '../../../format/cursor.ts';
import { FORMATS, type Format, type Level, levelName } from '../../../format/levels.ts';
import { LIGHT_CAPS, PAGE_CAPS } from '../../../format/page-caps.ts';
import { Problem, quote } from '../../http/problem.ts';
import { badParameter, type Given, isDigits, Parameter, type ParameterDocument, wrong } from '../../query/parameter.ts';
import { START_AFTER, START_AT } from '../../query/parse.ts';

/** Minimum value. The maximum is the page cap of level and format; a larger value counts as the cap. */
const PAGE_SIZE_MIN = 1;
/** The largest fid that a start may be. */
export const FID_MAX: number = Number.MAX_SAFE_INTEGER;

/** What a size may be. */
export const SIZE_RULE: string = `a whole number of at least ${PAGE_SIZE_MIN}`;
const START_RULE = `a fid from 0 to ${FID_MAX} or a cursor from a Link header`;
const EXAMPLE_FID = 1;
/** The caps of the geometries that are small, in words. */
const SMALL_CAPS = Object.entries(LIGHT_CAPS)
  .map(([geometry, cap]) => `${cap} with geometry=${geometry}`)
  .join(', ');

/** The caps of a format, in words: two levels each have the same. */
function capsOf(format: Format): string {
  const pairs = [0, 2, 4] as const;
  return pairs.map((level) => `${PAGE_CAPS[format][level]} for lv${level} and lv${level + 1}`).join(', ');
}

/** A number of features, at least 1. @throws Problem bad-parameter */
export function sizeOf(given: Given): number {
  const { text } = given;
  const size = isDigits(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (size < PAGE_SIZE_MIN) throw wrong(given);
  return size;
}

/** The number of features of a page: may be above the page cap. */
export const PAGE_SIZE: Parameter<number> = new Parameter({
  name: 'page-size',
  rule: () => SIZE_RULE,
  parse: sizeOf,
  document: ({ format }) => ({
    component: format === undefined ? 'page-size' : `page-size-${format}`,
    description: `Number of features on the page. A larger number counts as the maximum, which is also the default: ${format === undefined ? FORMATS.map((one) => `in ${one} ${capsOf(one)}`).join('; ') : capsOf(format)}; in both formats ${SMALL_CAPS}.`,
    // Without a maximum: a larger number is allowed, and counts as the cap.
    schema: { type: 'integer', minimum: PAGE_SIZE_MIN },
    example: PAGE_SIZE_MIN,
  }),
});

/** Where a page starts: at the first feature with at least this fid, or at the position of a cursor. */
export interface Start {
  /** 0 with a cursor. */
  fid: number;
  cursor: Cursor | undefined;
}

/** Where a page starts. */
export const STARTS_AT: Parameter<Start> = new Parameter({
  name: START_AT,
  rule: () => START_RULE,
  parse: parseStart,
  document: () =>
    startDocument(
      START_AT,
      'Where the page starts: at the first feature with this fid or a larger one, or at the position of a cursor.',
    ),
});

/** The two parameters by which a page may start: `STARTS_AT.of` finds either. */
export const START: readonly Parameter<Start>[] = [
  STARTS_AT,
  STARTS_AT.as({
    name: START_AFTER,
    document: () =>
      startDocument(
        START_AFTER,
        'Where the page starts: at the first feature with a larger fid, or at the position of a cursor. Not together with start-at.',
      ),
  }),
];

function startDocument(component: string, description: string): ParameterDocument {
  return {
    component,
    description,
    schema: {
      oneOf: [
        { type: 'integer', minimum: 0, maximum: FID_MAX, description: 'A fid.' },
        { type: 'string', pattern: '^c_[A-Za-z0-9_-]+$', description: 'A cursor from a Link header; opaque.' },
      ],
    },
    example: EXAMPLE_FID,
  };
}

/** A fid, or a cursor of the level. @throws Problem bad-parameter, bad-cursor */
function parseStart(given: Given, level: Level, others: readonly Given[]): Start {
  const { name } = given;
  const isOther = (other: Given): boolean => other.name !== name && [START_AT, START_AFTER].includes(other.name);
  if (others.some((other) => isOther(other) && other.value !== undefined))
    throw badParameter(`${START_AT} and ${START_AFTER}`, 'cannot be combined', 'one of them');
  const start = startIn(given);
  refuseOtherLevel(name, start, level);
  return start;
}

/** A fid, or a cursor of any level. @throws Problem bad-parameter, bad-cursor */
export function startIn({ name, text }: Given): Start {
  if (isDigits(text)) {
    const fid = Number(text);
    // Whatever the rule of the parameter is: the bound is what is wrong.
    if (fid > FID_MAX) throw badParameter(name, `is ${quote(text)}`, START_RULE);
    return { fid: name === START_AFTER ? fid + 1 : fid, cursor: undefined };
  }
  const cursor = decodeCursor(text);
  if (cursor === undefined)
    throw new Problem(
      'bad-cursor',
      `${name} is ${quote(text)}, which is neither a fid nor an undamaged cursor. Allowed: ${START_RULE}.`,
    );
  return { fid: 0, cursor };
}

/** @throws Problem bad-cursor if it is one of another level */
export function refuseOtherLevel(name: string, { cursor }: Start, level: Level | undefined): void {
  if (cursor === undefined || cursor.level === level) return;
  const allowed = level === undefined ? 'none' : `a cursor of ${levelName(level)}`;
  throw new Problem('bad-cursor', `${name} is a cursor of ${levelName(cursor.level)}. Allowed: ${allowed}.`);
}
