// The OpenAPI 3.0 document of OGC API - Features, and its paths for the document of the whole service: what is written here
// means the same in OpenAPI 3.0 and 3.1.
import type { Geometry, Level } from '../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../format/levels.ts';
import type { LevelSummary } from '../../format/release.ts';
import { GEOMETRY, OGC_ENDPOINTS, OGC_PATH } from '../pages/endpoints.ts';
import { ITEMS_PARAMETERS, LIMIT } from './query.ts';

/** The document that GDAL and QGIS read: pages' sizes, and which columns they may filter by. @param url of the landing page */
export function apiDocument(
  url: string,
  geometries: readonly Geometry[],
  collections: readonly LevelSummary[],
): object {
  const columns = collections.flatMap(({ gidColumns }) => gidColumns).filter((name) => name !== '');
  const parameters = [...itemsParameters(geometries), ...[...new Set(columns)].map(columnParameter)];
  const problem = { type: 'object', properties: { title: { type: 'string' }, detail: { type: 'string' } } };
  const content = { 'application/problem+json': { schema: problem } };
  return {
    openapi: '3.0.3',
    info: { title: 'Administrative boundaries', version: '1.0.0' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths: ogcPaths({
      prefix: '',
      levels: collections.map(({ level }) => level),
      problems: { default: { description: 'A problem (RFC 9457).', content } },
      reference: (name) => `#/components/parameters/${name}`,
      columnsOf: (level) => collections.find((known) => known.level === level)?.gidColumns.filter(Boolean) ?? [],
    }),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter])),
    },
  };
}

/** In which document the paths are. */
interface Surroundings {
  /** The path of the landing page, relative to the server. */
  prefix: string;
  levels: readonly Level[];
  /** The responses with problems. */
  problems: object;
  /** The place of a parameter among the components. */
  reference: (name: string) => string;
  /** The parameters of a level that are columns. */
  columnsOf: (level: Level) => readonly string[];
}

/** The paths. */
export function ogcPaths({ prefix, levels, problems, reference, columnsOf }: Surroundings) {
  const operation = (
    operationId: string,
    summary: string,
    mediaType: string,
    names: readonly string[],
    more: object[],
  ) => ({
    operationId,
    tags: ['ogc'],
    summary,
    parameters: [...more, ...names.map((name) => ({ $ref: reference(name) }))],
    responses: {
      200: { description: summary, content: { [mediaType]: { schema: { type: 'object' } } } },
      ...problems,
    },
  });
  const entries = OGC_ENDPOINTS.flatMap((endpoint) => {
    const { kind, level, mediaType } = endpoint;
    if (level !== undefined && !levels.includes(level)) return [];
    const path = prefix + (endpoint.path.slice(OGC_PATH.length) || (prefix === '' ? '/' : ''));
    if (kind === 'document') {
      const id = level === undefined ? endpoint.document : `collection-${levelName(level)}`;
      return [[path, { get: operation(`ogc-${id}`, DOCUMENTS[endpoint.document], mediaType, [], []) }] as const];
    }
    const name = levelName(level);
    const get =
      kind === 'items'
        ? operation(`ogc-items-${name}`, ITEMS, mediaType, [...ITEMS_PARAMETERS, ...columnsOf(level)], [])
        : operation(`ogc-item-${name}`, 'One feature', mediaType, [GEOMETRY], [FID_PARAMETER]);
    return [[kind === 'item' ? `${path}{fid}` : path, { get }] as const];
  });
  return Object.fromEntries(entries);
}

const DOCUMENTS = {
  landing: 'The landing page of OGC API - Features',
  conformance: 'What it conforms to',
  api: 'Its OpenAPI 3.0 document',
  collections: 'The levels that have units, as collections',
  collection: 'A level as a collection',
} as const;
const ITEMS = 'Features of a level, with links in the body';

const FID_PARAMETER = { name: 'fid', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } } as const;

/** The parameters of pages of features, of any data. */
export function itemsParameters(geometries: readonly Geometry[] = GEOMETRIES) {
  const query = (name: string, description: string, schema: object, style: object = {}) => {
    return { name, in: 'query', description, ...style, schema };
  };
  const text = { type: 'string', minLength: 1 };
  const numbers = { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 };
  return [
    query(
      'limit',
      'Features on the page, at most; a larger number counts as the maximum. Large features make a page shorter.',
      {
        type: 'integer',
        minimum: 1,
        ...LIMIT,
      },
    ),
    query('bbox', 'Features whose bbox touches west,south,east,north.', numbers, { style: 'form', explode: false }),
    query('datetime', 'An instant or an interval. Features have no time: all match.', text),
    query(GEOMETRY, 'Which geometry the features have.', { type: 'string', enum: geometries, default: 'full' }),
    query('start-at', 'A cursor of a next link, or the fid at which the page starts.', text),
  ];
}

function columnParameter(name: string) {
  return {
    name,
    in: 'query',
    description: `Features with this ${name}.`,
    style: 'form',
    explode: false,
    schema: { type: 'string' },
  };
}

/** The GID columns of a level in the document of the whole service, which knows no release. */
export const COLUMNS_PARAMETER = {
  name: 'columns',
  in: 'query',
  description: 'The GID columns of the level, such as GID_0=ESP: features with these GIDs.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' } },
} as const;
