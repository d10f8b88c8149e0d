// What documents say of a path: its summary, parameters, answer and headers. A capability has this beside the row that
// answers; OpenAPI, /docs, the 404's list and the table of the API are made of it.
import type { Format } from '../../format/levels.ts';
import type { Row } from '../bodies/row.ts';
import type { Parameter } from './parameter.ts';

/** What is said of each header of an answer. */
export const HEADERS = {
  Link: 'Addresses of other answers. `rel="next"`: the next page, as an absolute URL, if more features match. Its cursor stays on the release of the first page. `rel="successor-version"`: on an empty page of a GID that is gone, up to five units that took its place. `rel="alternate"`: the same request with the numbers of a point exchanged, or with GIDs in capital letters, if that finds something. `rel="http://www.opengis.net/def/rel/ogc/1.0/queryables"`: the columns by which features of a collection are filtered.',
  ETag: 'Strong. It differs between gzip and plain text. A page or file with unchanged bytes keeps its ETag in the next release.',
  Vary: 'Always `Accept-Encoding`.',
  'Cache-Control':
    'With a cursor immutable for a year. Without one `no-cache`: revalidate on each use. Always private. A public service says public, and without a cursor fresh for 60 seconds.',
  'Boundaries-Release': 'The id of the release that the answer comes from.',
  'Boundaries-Matched': 'How many features match the filters in all. For a file of names: how many units it has.',
} as const;

/** The name of one of these. */
export type HeaderName = keyof typeof HEADERS;

/** The headers of every answer that is made from a release; of one with units; and of a page. */
export const RELEASE_HEADERS: readonly HeaderName[] = ['ETag', 'Vary', 'Cache-Control', 'Boundaries-Release'];
export const UNITS_HEADERS: readonly HeaderName[] = [...RELEASE_HEADERS, 'Boundaries-Matched'];
export const PAGE_HEADERS: readonly HeaderName[] = [...UNITS_HEADERS, 'Link'];

/** What documents say of a path. */
export interface PathDescription {
  /** `{level}` stands for the name of each level. */
  path: string;
  /** A name for functions of clients. */
  operationId: string;
  /** The group that it is in. */
  tag: string;
  summary: string;
  description?: string;
  /** Those of the query, in the order of the documentation: at the deepest level, which has them all. */
  parameters: readonly Parameter<unknown>[];
  /** That of a page, for its parameters. */
  format?: Format;
  /** What else is in the path or the query, as OpenAPI has it, by the name of its component. */
  others?: Readonly<Record<string, object>>;
  answer: {
    description: string;
    mediaType: string;
    /** The name of its schema. */
    schema: string;
    examples?: object;
  };
  /** Schemas that this path brings, by name. */
  schemas?: Readonly<Record<string, object>>;
  /** The headers that the answer has. */
  headers: readonly HeaderName[];
  /** Is it a file, of which ranges are sent? */
  hasRanges?: true;
  /** Can the request name a release, which may be gone? */
  namesRelease?: true;
  /** What 204 means. */
  nothing?: string;
}

/** A path of the API: what documents say of it, and what answers it, a row for each level if it is of one. */
export interface ApiPath {
  description: PathDescription;
  rows: readonly Row[];
}

/** Schemas of values. */
export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
/** Of anything: generators of clients want to know that, too. */
export const LIST = { type: 'array', items: {} } as const;

/** A parameter in the path, as OpenAPI has it. */
export function pathParameter(name: string, description: string, schema: object, example: string | number) {
  return { name, in: 'path', required: true, description, schema, example };
}

/** An object with these members, of which those that are named are required. */
export function objectSchema(required: readonly string[], properties: object, description?: string) {
  return { type: 'object', required, properties, ...(description === undefined ? {} : { description }) };
}

/** A reference to a schema. */
export function schemaReference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** An error. @param code what its code may be */
export function problemSchema(code: object, description?: string) {
  return objectSchema(
    ['type', 'title', 'status', 'detail', 'code'],
    {
      type: { ...TEXT, format: 'uri' },
      title: TEXT,
      status: { type: 'integer' },
      detail: { ...TEXT, description: 'What is wrong, and what is allowed.' },
      code: { ...code, description: 'Stable: clients may rely on it.' },
    },
    description,
  );
}
