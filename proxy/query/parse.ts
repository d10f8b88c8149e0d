// The query string becomes typed parameters here, once. Each error names the parameter, what is wrong and what is
// allowed.
import type { Level } from '../../format/levels.ts';
import { Problem, quote } from '../http/problem.ts';
import { badParameter, GEOMETRY, type Given, NO_QUERY, type Parameter, type Query } from './parameter.ts';

/** The start of a page, by one of these: a link has its own. */
export const START_AT = 'start-at';
export const START_AFTER = 'start-after';

/** What a column of a level may be. */
export const COLUMN_RULE = 'the GID of a unit';

/** What the query of an endpoint may say. */
export interface QueryRules {
  level: Level;
  /** Its parameters, by name. */
  parameters: ReadonlyMap<string, Parameter<unknown>>;
  /** The names, for messages. */
  allowed: string;
  /** Are other names columns of the level, which the release knows? */
  hasColumns: boolean;
  /** What a plus means: a space in forms (URL standard, section 5.1), itself in a URI template (RFC 6570). */
  plus: ' ' | '+';
  /** Do links have them in the order of the request? */
  keepsOrder: boolean;
}

/**
 * What the query of an endpoint may say.
 * @param parameters in the order of the documentation
 * @param known further ones, whose refusal says more than that they are unknown
 */
export function queryRules(
  level: Level,
  parameters: readonly Parameter<unknown>[],
  known: readonly Parameter<unknown>[] = [],
): QueryRules {
  return {
    level,
    parameters: new Map([...known, ...parameters].map((parameter) => [parameter.name, parameter])),
    allowed: parameters.map(({ name }) => name).join(', ') || 'none',
    hasColumns: false,
    plus: ' ',
    keepsOrder: false,
  };
}

/**
 * Parses the query of a request.
 * @param query without `?`, not decoded
 * @throws Problem token-in-query, bad-encoding, unknown-parameter, duplicate-parameter, bad-parameter, bad-cursor
 */
export function parseQuery(query: string, rules: QueryRules): Query {
  if (query === '') return NO_QUERY;
  const { level, parameters, allowed, hasColumns, plus, keepsOrder } = rules;
  const given: Given[] = [];
  // Of columns a query may name thousands before they are refused; of parameters there are few.
  const names = hasColumns ? new Set<string>() : undefined;
  for (let at = 0, end: number; at < query.length; at = end + 1) {
    const ampersand = query.indexOf('&', at);
    end = ampersand === -1 ? query.length : ampersand;
    if (end === at) continue;
    const equals = query.indexOf('=', at);
    const hasValue = equals !== -1 && equals < end;
    const name = decode(query.slice(at, hasValue ? equals : end), plus);
    const text = hasValue ? decode(query.slice(equals + 1, end), plus) : '';
    const parameter = parameters.get(name);
    if (parameter === undefined && !hasColumns) throw unknownParameter(name, allowed);
    if (names?.has(name) ?? isGiven(name, given)) throw duplicateParameter(name, parameter?.rule(level) ?? COLUMN_RULE);
    names?.add(name);
    // Which geometries and columns there are is known of the release: who asks it refuses the empty text, too.
    if (text === '' && name !== GEOMETRY.name && parameter !== undefined)
      throw badParameter(name, 'is empty', parameter.rule(level));
    given.push({ name, text, parameter, value: undefined });
  }
  // In the order of links, whatever that of the request is: that of a link is, and sorting allocates.
  if (!keepsOrder && given.some((one, i) => orderOf(one) < orderOf(given[i - 1])))
    given.sort((a, b) => orderOf(a) - orderOf(b));
  for (const one of given) one.value = one.parameter?.parse(one, level, given);
  return { given };
}

function isGiven(name: string, given: readonly Given[]): boolean {
  for (const other of given) if (other.name === name) return true;
  return false;
}

function orderOf(given: Given | undefined): number {
  return given?.parameter?.order ?? 0;
}

/**
 * The URL of the same features at another start.
 * @param start undefined for that of the first page
 */
export function urlOf(url: string, { given }: Query, start: string | undefined): string {
  let query = '';
  for (const { name, text, parameter } of given) {
    if (name === START_AT || name === START_AFTER) continue;
    const separator = query === '' ? '?' : '&';
    query += `${separator}${parameter === undefined ? encodeURIComponent(name) : name}=${encodeText(text)}`;
  }
  if (start === undefined) return url + query;
  return `${url}${query}${query === '' ? '?' : '&'}${START_AT}=${encodeText(start)}`;
}

/** Commas need no escape in a query (RFC 3986, section 3.4), and are read more easily without. */
function encodeText(text: string): string {
  return /^[\w.,-]*$/.test(text) ? text : encodeURIComponent(text).replaceAll('%2C', ',');
}

export function unknownParameter(name: string, allowed: string): Problem {
  if (name === 'access_token')
    return new Problem('token-in-query', 'Send the token in the header: Authorization: Bearer <token>.');
  return new Problem('unknown-parameter', `${quote(name)} is not a parameter. Allowed: ${allowed}.`);
}

function duplicateParameter(name: string, rule: string): Problem {
  return new Problem(
    'duplicate-parameter',
    `${shown(name)} occurs more than once; it may occur once, as one value: ${rule}.`,
  );
}

/** A name in a message: any text may name a column. */
function shown(name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? name : quote(name);
}

/** Strict percent-decoding: refuses bad escapes, bytes outside ASCII and ill-formed UTF-8. */
function decode(text: string, plus: ' ' | '+'): string {
  if (!/[^A-Za-z0-9_.-]/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) {
    try {
      return decodeURIComponent(plus === '+' ? text : text.replaceAll('+', ' '));
    } catch {
      // The error below applies to all cases.
    }
  }
  throw new Problem('bad-encoding', `${quote(text)} is not percent-encoded UTF-8.`);
}
