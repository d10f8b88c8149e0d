// The OpenAPI 3.0 document of OGC API - Features, and its paths for the document of the whole service: what is written
// here means the same in OpenAPI 3.0 and 3.1.
import type { Geometry, Level } from '../../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../../format/levels.ts';
import type { LevelSummary } from '../../../format/release-json.ts';
import type { Audience } from '../../bodies/headers.ts';
import { PROBLEMS } from '../../http/problem.ts';
import { objectSchema, schemaReference } from '../../query/describe.ts';
import type { Parameter } from '../../query/parameter.ts';
import { ITEMS_PARAMETERS } from '../items/item-parameters.ts';
import { ITEM_ENDPOINTS, ITEMS_ENDPOINTS, OGC_PATH } from '../items/item-paths.ts';
import { queryable } from './collection.ts';
import { type Described, DOCUMENTS, FID, ITEM, ITEMS } from './description.ts';
import { DOCUMENT_ENDPOINTS } from './ogc-paths.ts';
import { FEATURE_3_0, ogcSchemas } from './schemas.ts';

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
  const problems = problemsOf(audience);
  return {
    openapi: '3.0.3',
    info: { title, version: '2.0.0-dev', description: DESCRIPTION, ...(license && { license }) },
    servers: [{ url }],
    security: audience === 'private' ? [{ bearer: [] }] : [],
    tags: [{ name: 'ogc', description: 'What OGC API - Features has.' }],
    paths: ogcPaths({
      prefix: '',
      levels: collections.map(({ level }) => level),
      others: {
        304: { description: 'Not modified: If-None-Match has the current ETag.' },
        ...Object.fromEntries(problems.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }])),
      },
      reference: (name) => `#/components/parameters/${name}`,
      // Here, not among the components: a column may have any name.
      columnsOf: (level) => columnsIn(collections, level).map(columnParameter),
    }),
    components: {
      ...(audience === 'private' && {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      }),
      parameters: Object.fromEntries(itemsParameters(geometries).map((parameter) => [parameter.name, parameter])),
      responses: Object.fromEntries(problems.map(({ name, response }) => [name, response])),
      schemas: { Feature: FEATURE_3_0, ...ogcSchemas(FEATURE_3_0), Problem: PROBLEM },
    },
  };
}

/** The problems that answers may have, by status. Files in ranges are none of these. */
function problemsOf(audience: Audience) {
  const statuses = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))].filter((status) => {
    const isOfTokens = status === 401 || status === 403;
    return status !== 416 && (audience === 'private' || !isOfTokens);
  });
  const content = { 'application/problem+json': { schema: schemaReference('Problem') } };
  return statuses.map((status) => {
    const titles = Object.values(PROBLEMS).flatMap((known) => (known.status === status ? `${known.title}.` : []));
    return { status, name: `problem-${status}`, response: { description: titles.join(' '), content } };
  });
}

const TEXT = { type: 'string' };
const PROBLEM = objectSchema(['type', 'title', 'status', 'detail', 'code'], {
  type: { type: 'string', format: 'uri' },
  title: TEXT,
  status: { type: 'integer' },
  detail: { ...TEXT, description: 'What is wrong, and what is allowed.' },
  code: { ...TEXT, description: 'Stable: clients may rely on it.' },
});

function columnsIn(collections: readonly LevelSummary[], level: Level): string[] {
  return collections.flatMap((known) => (known.level === level ? known.gidColumns.filter((name) => name !== '') : []));
}

/** In which document the paths are. */
interface Surroundings {
  /** The path of the landing page, relative to the server. */
  prefix: string;
  levels: readonly Level[];
  /** The responses besides 200. */
  others: object;
  /** The place of a parameter among the components. */
  reference: (name: string) => string;
  /** The parameters of a level that are columns, or references to them. */
  columnsOf: (level: Level) => readonly object[];
}

/** The paths. */
export function ogcPaths({ prefix, levels, others, reference, columnsOf }: Surroundings) {
  const operation = (
    operationId: string,
    [summary, schema]: Described,
    mediaType: string,
    parameters: readonly object[],
  ) => ({
    operationId,
    tags: ['ogc'],
    summary,
    parameters,
    responses: {
      200: { description: summary, content: { [mediaType]: { schema: schemaReference(schema) } } },
      ...others,
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
    const get = operation(`ogc-items-${levelName(level)}`, ITEMS, mediaType, parameters);
    return [pathOf(endpoint), { get }] as const;
  });
  const features = ITEM_ENDPOINTS.filter(isThere).map((endpoint) => {
    const { level, mediaType } = endpoint;
    const parameters = [{ $ref: reference(FID) }, ...references(endpoint)];
    const get = operation(`ogc-item-${levelName(level)}`, ITEM, mediaType, parameters);
    return [`${pathOf(endpoint)}{${FID}}`, { get }] as const;
  });
  return Object.fromEntries([...documents, ...pages, ...features]);
}

/** The parameters of features in any data. */
export function itemsParameters(geometries: readonly Geometry[] = GEOMETRIES) {
  const query = ITEMS_PARAMETERS.map(({ name, document }) => {
    const { description, schema, example } = document({ geometries });
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
    schema: queryable(name),
  };
}
