// The paths of OGC API - Features. Used by the files of this folder, rows.ts and the documents.
import { LEVELS, type Level, levelName, MEDIA_TYPES } from '../../../format/levels.ts';
import { API_PATH } from '../../http/request.ts';
import type { Parameter } from '../../query/parameter.ts';
import type { FeaturesEndpoint } from '../pages/endpoints.ts';
import { F, ITEM_PARAMETERS, ITEMS_PARAMETERS } from './parameters.ts';

type OgcDocument = 'landing' | 'conformance' | 'api' | 'collections' | 'collection' | 'queryables' | 'schema';

/** A path that describes the service. */
export interface DocumentEndpoint {
  path: string;
  mediaType: string;
  document: OgcDocument;
  parameters: readonly Parameter<unknown>[];
  /** The level that the collection is; undefined of documents of the whole service. */
  level: Level | undefined;
}

/** The landing page; the other paths begin with it. */
export const OGC_PATH = `${API_PATH}/ogc`;
/** The collections, and the path of each with a level's name. */
export const COLLECTIONS_PATH = `${OGC_PATH}/collections`;
/** The media type of the document that OGC API - Features has of itself. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';
const JSON_TYPE = 'application/json';
/** The media type of what JSON Schema describes a collection by. */
export const SCHEMA_TYPE = 'application/schema+json';

/** The documents. */
export const DOCUMENT_ENDPOINTS: readonly DocumentEndpoint[] = [
  documentAt('', 'landing'),
  documentAt('/conformance', 'conformance'),
  documentAt('/api', 'api', undefined, OPENAPI_TYPE),
  documentAt('/collections', 'collections'),
  ...LEVELS.flatMap((level) => {
    const path = `/collections/${levelName(level)}`;
    return [
      documentAt(path, 'collection', level),
      documentAt(`${path}/queryables`, 'queryables', level, SCHEMA_TYPE),
      documentAt(`${path}/schema`, 'schema', level, SCHEMA_TYPE),
    ];
  }),
];

function documentAt(path: string, document: OgcDocument, level?: Level, mediaType = JSON_TYPE): DocumentEndpoint {
  return { path: OGC_PATH + path, mediaType, document, level, parameters: [F] };
}

/** Its pages of features. */
export const ITEMS_ENDPOINTS: readonly FeaturesEndpoint[] = LEVELS.map((level) => ({
  path: `${COLLECTIONS_PATH}/${levelName(level)}/items`,
  level,
  format: 'fc',
  mediaType: MEDIA_TYPES.fc,
  parameters: ITEMS_PARAMETERS,
}));

/** Its single features, whose paths go on with a fid. */
export const ITEM_ENDPOINTS: readonly FeaturesEndpoint[] = ITEMS_ENDPOINTS.map((items) => ({
  ...items,
  path: `${items.path}/`,
  parameters: ITEM_PARAMETERS,
}));
