// The OpenAPI 3.0 document of OGC API - Features, and its paths for the document of the whole service: what is written here
// means the same in OpenAPI 3.0 and 3.1.
import type { Geometry, Level } from '../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../format/levels.ts';
import type { LevelSummary } from '../../format/release.ts';
import { BBOX, GEOMETRY, OGC_ENDPOINTS, OGC_PATH } from '../pages/endpoints.ts';
import { ITEMS_PARAMETERS, LIMIT } from './query.ts';

/** What the service is called, if nothing else is configured. */
export const TITLE = 'Administrative boundaries';

/** The document that GDAL and QGIS read: pages' sizes, and which columns they may filter by. @param url of the landing page */
export function apiDocument(
  title: string,
  url: string,
  geometries: readonly Geometry[],
  collections: readonly LevelSummary[],
): object {
  const problem = { type: 'object', properties: { title: { type: 'string' }, detail: { type: 'string' } } };
  const content = { 'application/problem+json': { schema: problem } };
  return {
    openapi: '3.0.3',
    info: { title, version: '1.0.0' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths: ogcPaths({
      prefix: '',
      levels: collections.map(({ level }) => level),
      problems: { default: { description: 'A problem (RFC 9457).', content } },
      reference: (name) => `#/components/parameters/${name}`,
      // Here, not among the components: a column may have any name.
      columnsOf: (level) => columnsIn(collections, level).map(columnParameter),
    }),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: Object.fromEntries(itemsParameters(geometries).map((parameter) => [parameter.name, parameter])),
    },
  };
}

function columnsIn(collections: readonly LevelSummary[], level: Level): string[] {
  return collections.flatMap((known) => (known.level === level ? known.gidColumns.filter((name) => name !== '') : []));
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
  /** The parameters of a level that are columns, or references to them. */
  columnsOf: (level: Level) => readonly object[];
}

/** The paths. */
export function ogcPaths({ prefix, levels, problems, reference, columnsOf }: Surroundings) {
  const operation = (operationId: string, summary: string, mediaType: string, parameters: readonly object[]) => ({
    operationId,
    tags: ['ogc'],
    summary,
    parameters,
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
      return [[path, { get: operation(`ogc-${id}`, DOCUMENTS[endpoint.document], mediaType, []) }] as const];
    }
    const id = `ogc-${kind}-${levelName(level)}`;
    const referenceTo = (name: string) => ({ $ref: reference(name) });
    if (kind === 'item') {
      const get = operation(id, 'One feature, with links', mediaType, [FID, GEOMETRY].map(referenceTo));
      return [[`${path}{${FID}}`, { get }] as const];
    }
    const parameters = [...ITEMS_PARAMETERS.map(referenceTo), ...columnsOf(level)];
    return [
      [path, { get: operation(id, 'Features of a level, with links in the body', mediaType, parameters) }] as const,
    ];
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
const FID = 'fid';

/** The parameters of features in any data. */
export function itemsParameters(geometries: readonly Geometry[] = GEOMETRIES) {
  const query = (name: string, description: string, example: number | string | number[], schema: object) => {
    return { name, in: 'query', description, style: 'form', explode: false, schema, example };
  };
  const text = { type: 'string', minLength: 1 };
  const size = { type: 'integer', minimum: 1, ...LIMIT };
  const box = { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 };
  return [
    query(
      'limit',
      'Features on the page; a larger number counts as the maximum. Large ones make a page shorter.',
      1,
      size,
    ),
    query(BBOX, 'Features whose bbox touches west,south,east,north; six numbers have heights.', [-4, 40, -3, 41], box),
    query('datetime', 'An instant or an interval. Features have no time: all match.', '2026-11-23T00:00:00Z', text),
    query(GEOMETRY, 'The geometry of the features.', 'full', { type: 'string', enum: geometries, default: 'full' }),
    query('start-at', 'The cursor of a next link, or the fid at which the page starts.', '1', text),
    {
      name: FID,
      in: 'path',
      description: 'The fid.',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 1,
    },
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
  example: { GID_0: 'ESP' },
} as const;
