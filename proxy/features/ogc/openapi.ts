// The OpenAPI 3.0 document of OGC API - Features, and its paths for the document of the whole service: what is written
// here means the same in OpenAPI 3.0 and 3.1.
import type { Geometry, Level } from '../../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../../format/levels.ts';
import type { LevelSummary } from '../../../format/release.ts';
import type { Audience } from '../../bodies/headers.ts';
import type { Parameter } from '../../query/parameter.ts';
import { ITEM_ENDPOINTS, ITEMS_ENDPOINTS, OGC_PATH } from '../items/endpoints.ts';
import { ITEMS_PARAMETERS } from '../items/parameters.ts';
import { DOCUMENT_ENDPOINTS } from './endpoints.ts';

const DESCRIPTION = 'Administrative boundaries as OGC API - Features: a collection for each level that has units.';
/** What the service is called, if nothing else is configured. */
export const TITLE = 'Administrative boundaries';

/** What the document says of the service as a whole. */
export interface Service {
  /** TITLE if it is undefined. */
  title?: string | undefined;
  /** With tokens, or without. */
  audience: Audience;
}

/**
 * The document that GDAL and QGIS read: pages' sizes, and which columns they may filter by.
 * @param url of the landing page
 * @param license of the data, if its text has an address
 */
export function apiDocument(
  { title = TITLE, audience }: Service,
  url: string,
  geometries: readonly Geometry[],
  collections: readonly LevelSummary[],
  license?: { name: string; url: string } | undefined,
): object {
  const problem = { type: 'object', properties: { title: { type: 'string' }, detail: { type: 'string' } } };
  const content = { 'application/problem+json': { schema: problem } };
  return {
    openapi: '3.0.3',
    info: { title, version: '1.1.0', description: DESCRIPTION, ...(license && { license }) },
    servers: [{ url }],
    security: audience === 'private' ? [{ bearer: [] }] : [],
    tags: [{ name: 'ogc', description: 'What OGC API - Features has.' }],
    paths: ogcPaths({
      prefix: '',
      levels: collections.map(({ level }) => level),
      problems: { default: { description: 'A problem (RFC 9457).', content } },
      reference: (name) => `#/components/parameters/${name}`,
      // Here, not among the components: a column may have any name.
      columnsOf: (level) => columnsIn(collections, level).map(columnParameter),
    }),
    components: {
      ...(audience === 'private' && {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      }),
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
  const pathOf = ({ path }: { path: string }): string =>
    prefix + (path.slice(OGC_PATH.length) || (prefix === '' ? '/' : ''));
  const references = ({ parameters }: { parameters: readonly Parameter<unknown>[] }) =>
    parameters.map(({ name }) => ({ $ref: reference(name) }));
  const isThere = ({ level }: { level: Level | undefined }): boolean => level === undefined || levels.includes(level);
  const documents = DOCUMENT_ENDPOINTS.filter(isThere).map((endpoint) => {
    const { document, level, mediaType } = endpoint;
    const id = level === undefined ? document : `${document}-${levelName(level)}`;
    return [
      pathOf(endpoint),
      { get: operation(`ogc-${id}`, DOCUMENTS[document], mediaType, references(endpoint)) },
    ] as const;
  });
  const pages = ITEMS_ENDPOINTS.filter(isThere).map((endpoint) => {
    const { level, mediaType } = endpoint;
    const parameters = [...references(endpoint), ...columnsOf(level)];
    const summary = 'Features of a level, with links in the body';
    return [
      pathOf(endpoint),
      { get: operation(`ogc-items-${levelName(level)}`, summary, mediaType, parameters) },
    ] as const;
  });
  const features = ITEM_ENDPOINTS.filter(isThere).map((endpoint) => {
    const { level, mediaType } = endpoint;
    const parameters = [{ $ref: reference(FID) }, ...references(endpoint)];
    const get = operation(`ogc-item-${levelName(level)}`, 'One feature, with links', mediaType, parameters);
    return [`${pathOf(endpoint)}{${FID}}`, { get }] as const;
  });
  return Object.fromEntries([...documents, ...pages, ...features]);
}

const DOCUMENTS = {
  landing: 'The landing page of OGC API - Features',
  conformance: 'What it conforms to',
  api: 'Its OpenAPI 3.0 document',
  collections: 'The levels that have units, as collections',
  collection: 'A level as a collection',
  queryables: 'The columns of a level to filter by, as JSON Schema',
  schema: 'The columns of a level, as JSON Schema',
} as const;
const FID = 'fid';

/** The parameters of features in any data. */
export function itemsParameters(geometries: readonly Geometry[] = GEOMETRIES) {
  const query = ITEMS_PARAMETERS.map(({ name, document }) => {
    const { description, schema, example } = document({ level: 0, geometries });
    return { name, in: 'query', description, style: 'form', explode: false, schema, example };
  });
  const fid = { type: 'integer', minimum: 0 };
  return [...query, { name: FID, in: 'path', description: 'The fid.', required: true, schema: fid, example: 1 }];
}

function columnParameter(name: string) {
  return {
    name,
    in: 'query',
    description: `Features with this ${name}.`,
    style: 'form',
    explode: false,
    schema: { type: 'string', minLength: 1 },
  };
}

/** The GID columns of a level in the document of the whole service, which knows no release. */
export const COLUMNS_PARAMETER = {
  name: 'columns',
  in: 'query',
  description: 'The GID columns of the level, such as GID_0=ESP: features with these GIDs.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
  example: { GID_0: 'ESP' },
} as const;
