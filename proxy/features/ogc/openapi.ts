// The OpenAPI 3.0 document of OGC API - Features.

import type { LevelSummary } from '../../../format/level-json.ts';
import type { Geometry, Level } from '../../../format/levels.ts';
import { levelName } from '../../../format/levels.ts';
import type { Audience } from '../../bodies/headers.ts';
import { PROBLEMS } from '../../http/problem.ts';
import { COUNT, problemSchema, schemaReference, TEXT } from '../../query/describe.ts';
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
    paths: pathsOf(collections, {
      304: { description: 'Not modified: If-None-Match has the current ETag.' },
      ...Object.fromEntries(problems.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }])),
    }),
    components: {
      ...(audience === 'private' && {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      }),
      parameters: Object.fromEntries(itemsParameters(geometries).map((parameter) => [parameter.name, parameter])),
      responses: Object.fromEntries(problems.map(({ name, response }) => [name, response])),
      schemas: { Feature: FEATURE_3_0, ...ogcSchemas(FEATURE_3_0), Problem: problemSchema(TEXT) },
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

/** The paths. @param others the responses besides 200 */
function pathsOf(collections: readonly LevelSummary[], others: object) {
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
  const isThere = ({ level }: { level: Level | undefined }): boolean =>
    level === undefined || collections.some((known) => known.level === level);
  const documents = DOCUMENT_ENDPOINTS.filter(isThere).map(({ path, document, level, mediaType, parameters }) => {
    const id = level === undefined ? document : `${document}-${levelName(level)}`;
    const get = operation(`ogc-${id}`, DOCUMENTS[document], mediaType, parameters.map(reference));
    return [path.slice(OGC_PATH.length) || '/', { get }] as const;
  });
  const pages = ITEMS_ENDPOINTS.filter(isThere).map(({ path, level, mediaType, parameters }) => {
    const columns = collections.flatMap((known) => (known.level === level ? known.gidColumns : []));
    // Here, not among the components: a column may have any name.
    const own = columns.filter((name) => name !== '').map(columnParameter);
    const get = operation(`ogc-items-${levelName(level)}`, ITEMS, mediaType, [...parameters.map(reference), ...own]);
    return [path.slice(OGC_PATH.length), { get }] as const;
  });
  const features = ITEM_ENDPOINTS.filter(isThere).map(({ path, level, mediaType, parameters }) => {
    const own = [{ name: FID }, ...parameters].map(reference);
    const get = operation(`ogc-item-${levelName(level)}`, ITEM, mediaType, own);
    return [`${path.slice(OGC_PATH.length)}{${FID}}`, { get }] as const;
  });
  return Object.fromEntries([...documents, ...pages, ...features]);
}

function reference({ name }: { name: string }) {
  return { $ref: `#/components/parameters/${name}` };
}

/** The parameters of features. */
function itemsParameters(geometries: readonly Geometry[]) {
  const query = ITEMS_PARAMETERS.map(({ name, document }) => {
    const { description, schema, example } = document({ geometries });
    return { name, in: 'query', description, style: 'form', explode: false, schema, example };
  });
  return [...query, { name: FID, in: 'path', description: 'The fid.', required: true, schema: COUNT, example: 1 }];
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
