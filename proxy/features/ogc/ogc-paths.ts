// The paths of the documents of OGC API - Features.
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { Parameter } from '../../query/parameter.ts';
import { F } from '../items/item-parameters.ts';
import { OGC_PATH, SCHEMA_TYPE } from '../items/item-paths.ts';

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

/** The media type of the document that OGC API - Features has of itself. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';
const JSON_TYPE = 'application/json';

/** The documents. */
export const DOCUMENT_ENDPOINTS: readonly DocumentEndpoint[] = [
  documentAt('', 'landing'),
  // Clients ask `{root}/`, too.
  documentAt('/', 'landing'),
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
