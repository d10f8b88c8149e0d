// A query parameter is one object: its rule, for messages, how its text becomes a value, once, and what the documents
// say of it. Here are those that every endpoint with features of levels has: `gid-N` and `geometry`; each capability
// has its own.
import { elementAt } from '../../format/element-at.ts';
import type { Format, Geometry, Level } from '../../format/levels.ts';
import { GEOMETRIES, LEVELS, levelName } from '../../format/levels.ts';
import { Problem, quote } from '../http/problem.ts';

/** A parameter as it was given: its text is decoded. */
export interface Given {
  name: string;
  text: string;
  /** Undefined if it names a column of the level, which the release knows. */
  parameter: Parameter<unknown> | undefined;
  /** What it says. */
  value: unknown;
}

/** What a query says. */
export interface Query {
  /** In the order of links. */
  given: readonly Given[];
}

/** The path that a document describes a parameter of. */
export interface DescribedEndpoint {
  /** Of pages. */
  format?: Format | undefined;
  /** Those of the release, where the document is of one. */
  geometries?: readonly Geometry[];
}

/** What the documents say of a parameter. */
export interface ParameterDocument {
  /** The name of the component. */
  component: string;
  description: string;
  schema: object;
  example: number | string | readonly number[];
  required?: true;
  /** Are the values of a list separated by commas? */
  explode?: false;
}

/** What a parameter is made of. */
export interface ParameterOptions<Value> {
  name: string;
  /** The allowed values at a level, for messages. */
  rule(level: Level): string;
  /**
   * What it says.
   * @param others those before it, in the order of links
   * @throws Problem bad-parameter, bad-cursor
   */
  parse(given: Given, level: Level, others: readonly Given[]): Value;
  document(endpoint: DescribedEndpoint): ParameterDocument;
}

/** In links parameters are in this order; others are before them. */
const LINK_ORDER: readonly string[] = [
  ...LEVELS.map((level) => `gid-${level}`),
  ...['bbox', 'contains', 'touches', 'geometry', 'page-size', 'start-at', 'release', 'v'],
];

/** How a parameter is read. */
export class Parameter<Value> {
  readonly name: string;
  /** Its place in links: ascending, those with the same as in the request. */
  readonly order: number;
  readonly rule: (level: Level) => string;
  readonly parse: ParameterOptions<Value>['parse'];
  readonly document: ParameterOptions<Value>['document'];
  /** The one that means the same, written in another way; itself where there is none. */
  readonly root: Parameter<Value>;

  constructor({ name, rule, parse, document }: ParameterOptions<Value>, means?: Parameter<Value>) {
    this.name = name;
    this.order = means?.order ?? Math.max(0, LINK_ORDER.indexOf(name));
    this.rule = rule;
    this.parse = parse;
    this.document = document;
    this.root = means ?? this;
  }

  /** What a query says of it, however it is written; undefined if nothing. */
  of({ given }: Query): Value | undefined {
    const { root } = this;
    for (const { parameter, value } of given) if (parameter?.root === root) return value as Value;
    return undefined;
  }

  /** The same where it is written or documented in another way: `of` of either finds both. */
  as(other: Partial<ParameterOptions<Value>>): Parameter<Value> {
    return new Parameter({ ...this, ...other }, this.root);
  }
}

/** A query without parameters. */
export const NO_QUERY: Query = { given: [] };

/** Selects the features whose GID at level `column` is `gid`. */
export class Filter {
  readonly column: Level;
  readonly gid: string;

  constructor(column: Level, gid: string) {
    this.column = column;
    this.gid = gid;
  }
}

/** Valid for any data: an unknown GID gives an empty page. */
const EXAMPLE_GIDS = ['ESP', 'ESP.1_1', 'ESP.1.2_1', 'ESP.1.2.3_1', 'ESP.1.2.3.4_1', 'ESP.1.2.3.4.5_1'] as const;

/** Which levels take each. */
const LEVELS_OF_GIDS = LEVELS.map((column) => {
  if (column === 0) return 'For every level.';
  return column === 5 ? 'For lv5.' : `For ${levelName(column)} ${column === 4 ? 'and' : 'to'} lv5.`;
});

/** The filter parameters, by the level of the unit that each names. */
export const GID_FILTERS: readonly Parameter<Filter>[] = LEVELS.map((column) => {
  const name = `gid-${column}`;
  return new Parameter({
    name,
    rule: (level) => `the GID of a unit, ${filterNames(level)}`,
    parse({ text }, level) {
      if (column > level) throw badParameter(name, `is not a filter of ${levelName(level)}`, filterNames(level));
      return new Filter(column, text);
    },
    document: () => ({
      component: name,
      description: `Only units inside the ${levelName(column)} unit with this GID, or that unit itself. ${LEVELS_OF_GIDS[column]} Several of these filters are combined with AND.`,
      schema: { type: 'string', minLength: 1 },
      example: EXAMPLE_GIDS[column],
    }),
  });
});

const NO_FILTERS: readonly Filter[] = [];

/** The filters of a query, at most one per column. */
export function filtersOf(query: Query): readonly Filter[] {
  let filters = NO_FILTERS;
  for (const { value } of query.given) if (value instanceof Filter) filters = [...filters, value];
  return filters;
}

/** The filters of a level, for messages. */
function filterNames(level: Level): string {
  return `gid-0 to gid-${level}`;
}

/** The default, which every release has. */
const FULL: Geometry = 'full';

/** Which geometry the features have, as it was written: which there are is known of the release. */
export const GEOMETRY: Parameter<string> = new Parameter({
  name: 'geometry',
  rule: () => 'a geometry of the release',
  parse: ({ text }) => text,
  document: () => ({
    component: 'geometry',
    description:
      'Geometry of the features: full (the default), simplified to about 100 m (medium) or 1 km (low), a point inside the unit, or none. All else stays the same, bbox included. A polygon that is invalid in the source is invalid in full, too, and may be in medium and low. A release may lack some of these geometries.',
    schema: { type: 'string', enum: GEOMETRIES, default: FULL },
    example: FULL,
  }),
});

/**
 * The geometry that is asked for.
 * @param usual what no request for another one gets: the full one of pages, the lightest one of units of all levels
 * @throws Problem bad-parameter if it is not one of the release
 */
export function geometryOf(
  query: Query,
  geometries: readonly Geometry[],
  usual: 'full' | 'lightest' = 'full',
): Geometry {
  const geometry = GEOMETRY.of(query);
  if (geometry === undefined) return usual === 'full' ? FULL : elementAt(geometries, geometries.length - 1);
  const known = geometries.find((name) => name === geometry);
  if (known === undefined)
    throw badParameter(GEOMETRY.name, `is ${quote(geometry)}`, `one of ${geometries.join(', ')}`);
  return known;
}

/** Does the text consist of digits? */
export function isDigits(text: string): boolean {
  return !/[^0-9]/.test(text);
}

/** The problem of a value that its rule does not allow. */
export function wrong({ name, text, parameter }: Given): Problem {
  return badParameter(name, `is ${quote(text)}`, parameter?.rule(0) ?? '');
}

/** @param allowed for the message */
export function badParameter(name: string, wrong: string, allowed: string): Problem {
  return new Problem('bad-parameter', `${name} ${wrong}. Allowed: ${allowed}.`);
}
