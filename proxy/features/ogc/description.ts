// What documents say of the paths of OGC API - Features, each with the level as a parameter. The interface's own document
// (openapi.ts) has a path for each collection instead.

import { elementAt } from '../../../format/element-at.ts';
import { levelName } from '../../../format/levels.ts';
import {
  type HeaderName,
  PAGE_HEADERS,
  type PathDescription,
  pathParameter,
  RELEASE_HEADERS,
  UNITS_HEADERS,
} from '../../query/describe.ts';
import { ITEM_ENDPOINTS, ITEMS_ENDPOINTS } from '../items/item-paths.ts';
import { FEATURE_SCHEMA } from '../pages/description.ts';
import { DOCUMENT_ENDPOINTS, type DocumentEndpoint } from './ogc-paths.ts';
import { type OgcSchema, ogcSchemas } from './schemas.ts';

/** What an answer is, and its schema. */
export type Described = readonly [summary: string, schema: OgcSchema];

/** Of each document. */
export const DOCUMENTS = {
  landing: ['The landing page of OGC API - Features', 'Landing'],
  conformance: ['What it conforms to', 'Conformance'],
  api: ['Its OpenAPI 3.0 document', 'OpenApi'],
  collections: ['The levels that have units, as collections', 'Collections'],
  collection: ['A level as a collection', 'Collection'],
  queryables: ['The columns of a level to filter by, as JSON Schema', 'Columns'],
  schema: ['The columns of a level, as JSON Schema', 'Columns'],
} as const;
/** Of pages of features, and of one. */
export const ITEMS: Described = ['Features of a level, with links in the body', 'Items'];
export const ITEM: Described = ['One feature, with links', 'Item'];
/** The parameter of the path of a feature. */
export const FID = 'fid';

/** The GID columns of a level in the document of the whole service, which knows no release. */
const COLUMNS_PARAMETER = {
  name: 'columns',
  in: 'query',
  description: 'The GID columns of the level, such as GID_0=ESP: features with these GIDs.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
  example: { GID_0: 'ESP' },
} as const;

const FID_PARAMETER = pathParameter(FID, 'The fid.', { type: 'integer', minimum: 0 }, 1);
const SCHEMAS = ogcSchemas(FEATURE_SCHEMA);

/** The paths of the documents, each with its endpoints: one, or one for each level. */
export const OGC_DESCRIPTIONS = [...new Set(DOCUMENT_ENDPOINTS.map(({ document }) => document))].map((document) => {
  const endpoints = DOCUMENT_ENDPOINTS.filter((endpoint) => endpoint.document === document);
  const described = descriptionOf(elementAt(endpoints, 0), document, DOCUMENTS[document]);
  const headers: readonly HeaderName[] = document === 'collection' ? [...RELEASE_HEADERS, 'Link'] : RELEASE_HEADERS;
  return { endpoints, description: { ...described, headers } };
});

/** The pages of features. */
export const ITEMS_DESCRIPTION: PathDescription = {
  ...descriptionOf(elementAt(ITEMS_ENDPOINTS, 0), 'items', ITEMS),
  others: { 'ogc-columns': COLUMNS_PARAMETER },
  headers: PAGE_HEADERS,
  namesRelease: true,
};

/** One feature. */
export const ITEM_DESCRIPTION: PathDescription = {
  ...descriptionOf(elementAt(ITEM_ENDPOINTS, 0), 'item', ITEM, `{${FID}}`),
  others: { 'ogc-fid': FID_PARAMETER },
};

/** @param endpoint that of the first level, if there are several; its path goes on with `rest` */
function descriptionOf(
  { path, mediaType, parameters }: Pick<DocumentEndpoint, 'path' | 'mediaType' | 'parameters'>,
  id: string,
  [summary, schema]: Described,
  rest = '',
): PathDescription {
  return {
    path: path.replace(levelName(0), '{level}') + rest,
    operationId: `ogc-${id}`,
    tag: 'ogc',
    summary,
    parameters,
    answer: { description: `${summary}.`, mediaType, schema },
    schemas: SCHEMAS,
    headers: UNITS_HEADERS,
  };
}
