// The interface: the paths of the API and the names of their query parameters. One table for the rows that answer them
// (rows.ts), the parser's messages, /docs and the OpenAPI documents.
import type { Format, Level } from '../../format/levels.ts';
import { FORMATS, LEVELS, levelName, MEDIA_TYPES } from '../../format/levels.ts';

/** The number of features per page. */
export const PAGE_SIZE = 'page-size';
/** Minimum value. The maximum is the page cap of level and format; a larger value counts as the cap. */
export const PAGE_SIZE_MIN = 1;
/** Which geometry the features have. */
export const GEOMETRY = 'geometry';
/** The box that the features' boxes touch. */
export const BBOX = 'bbox';
/** The point that the features contain. */
export const CONTAINS = 'contains';
/** The media type that OGC API - Features is asked for: there is one. */
export const F = 'f';
/** The point at which units of all levels are asked for. */
export const POINT = 'point';
/** The start of a page, by one of these. */
export const START_AT = 'start-at';
export const START_AFTER = 'start-after';
/** The largest fid that they accept. */
export const FID_MAX: number = Number.MAX_SAFE_INTEGER;
/** The release of a download. */
export const RELEASE = 'release';
/** The number of features of a page of OGC API - Features if the request does not say, and at most. */
export const LIMIT = { default: 100, maximum: 1000 } as const;

/**
 * Of a search: the units that an answer brings if the request does not say, and at most; and the characters of its
 * text.
 */
export const SEARCH_LIMIT = { default: 20, maximum: 100, characters: 100 } as const;

/** The filter parameters, with the level of the unit that each names. */
export const FILTERS: ReadonlyMap<string, Level> = new Map(
  LEVELS.map((level): [string, Level] => [`gid-${level}`, level]),
);

/** A path of a level. */
export interface LevelEndpoint {
  /** As in the request and in the Link header; of one feature up to its fid. */
  path: string;
  level: Level;
  mediaType: string;
  /** Names of the query parameters, in the order of the documentation. */
  parameters: readonly string[];
}

/** A path that returns features of a level: pages of them, all of them, or one. */
export interface FeaturesEndpoint extends LevelEndpoint {
  format: Format;
}

/** A path that returns a file that is saved. */
export interface SavedEndpoint extends LevelEndpoint {
  /** How names of files end: `.geojsonl.gz`. */
  extension: string;
}

/** A path that returns a whole listing as one file. */
export type DownloadEndpoint = FeaturesEndpoint & SavedEndpoint;

/** A path that returns a whole file of the current release. It has no parameters. */
export interface FileEndpoint {
  path: string;
  mediaType: string;
  /** The level whose names the file has; undefined for the overview. */
  level: Level | undefined;
}

type OgcDocument = 'landing' | 'conformance' | 'api' | 'collections' | 'collection' | 'queryables' | 'schema';

/** A path of OGC API - Features that describes the service. */
export interface DocumentEndpoint {
  path: string;
  mediaType: string;
  document: OgcDocument;
  parameters: readonly string[];
  /** The level that the collection is; undefined of documents of the whole service. */
  level: Level | undefined;
}

/** Every path under it requires a token. */
const API_PREFIX = '/api/';

/** The path that describes the service. */
export const SERVICE_ENDPOINT = { path: `${API_PREFIX}v1/`, mediaType: 'application/json' } as const;

/** The parameters that select features of a level. */
function selectionParameters(level: Level): string[] {
  const filters = [...FILTERS].filter(([, column]) => column <= level).map(([name]) => name);
  return [...filters, BBOX, CONTAINS, GEOMETRY];
}

/** The endpoints that return pages. */
export const PAGE_ENDPOINTS: readonly FeaturesEndpoint[] = FORMATS.flatMap((format) =>
  LEVELS.map((level) => ({
    path: `${API_PREFIX}v1/${format}/${levelName(level)}`,
    level,
    format,
    mediaType: MEDIA_TYPES[format],
    parameters: [PAGE_SIZE, START_AT, START_AFTER, ...selectionParameters(level)],
  })),
);

/** The path that returns what is at a point, of all levels. */
export const AT_ENDPOINT = {
  path: `${API_PREFIX}v1/at`,
  mediaType: MEDIA_TYPES.fc,
  parameters: [POINT, GEOMETRY],
} as const;

const EXTENSIONS: Readonly<Record<Format, string>> = { geojsonl: '.geojsonl.gz', fc: '.geojson.gz' };

/** The endpoints that return whole listings. */
export const DOWNLOAD_ENDPOINTS: readonly DownloadEndpoint[] = FORMATS.flatMap((format) =>
  LEVELS.map((level) => ({
    path: `${API_PREFIX}v1/download/${levelName(level)}${EXTENSIONS[format]}`,
    level,
    format,
    mediaType: 'application/gzip',
    parameters: [...selectionParameters(level), RELEASE],
    extension: EXTENSIONS[format],
  })),
);

/** The endpoints that return the cells of a level, by which whoever has them looks points up. */
export const CELLS_ENDPOINTS: readonly SavedEndpoint[] = LEVELS.map((level) => ({
  path: `${API_PREFIX}v1/download/${levelName(level)}.cells`,
  level,
  mediaType: 'application/octet-stream',
  parameters: [RELEASE],
  extension: '.cells',
}));

/** The endpoints that return files. */
export const FILE_ENDPOINTS: readonly FileEndpoint[] = [
  { path: `${API_PREFIX}v1/overview`, mediaType: 'application/json', level: undefined },
  ...LEVELS.map((level): FileEndpoint => {
    return { path: `${API_PREFIX}v1/names/${levelName(level)}`, mediaType: 'application/x-ndjson', level };
  }),
];

/** The path that finds units of all levels by their names. */
export const SEARCH_ENDPOINT = {
  path: `${API_PREFIX}v1/search`,
  mediaType: MEDIA_TYPES.fc,
  parameters: ['q', 'limit', 'level', ...FILTERS.keys(), GEOMETRY],
} as const;

/** The landing page of OGC API - Features; its other paths begin with it. */
export const OGC_PATH = `${API_PREFIX}v1/ogc`;
/** The collections, and the path of each with a level's name. */
export const COLLECTIONS_PATH = `${OGC_PATH}/collections`;
/** The media type of the document that OGC API - Features has of itself. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';
const JSON_TYPE = 'application/json';
/** The media type of what JSON Schema describes a collection by. */
export const SCHEMA_TYPE = 'application/schema+json';

/** The documents of OGC API - Features. */
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

/** Its pages of features. The GID columns of the level are parameters, too. */
export const ITEMS_ENDPOINTS: readonly FeaturesEndpoint[] = LEVELS.map((level) => ({
  path: `${COLLECTIONS_PATH}/${levelName(level)}/items`,
  level,
  format: 'fc',
  mediaType: MEDIA_TYPES.fc,
  parameters: ['limit', BBOX, 'datetime', GEOMETRY, START_AT, F],
}));

/** Its single features, whose paths go on with a fid. */
export const ITEM_ENDPOINTS: readonly FeaturesEndpoint[] = ITEMS_ENDPOINTS.map((items) => ({
  ...items,
  path: `${items.path}/`,
  parameters: [GEOMETRY, F],
}));

/** The paths, for messages. */
export const PATHS_RULE = `/api/v1/, /api/v1/geojsonl/<LEVEL>, /api/v1/fc/<LEVEL>, /api/v1/at, /api/v1/search, /api/v1/download/<LEVEL>.geojsonl.gz, /api/v1/download/<LEVEL>.geojson.gz, /api/v1/download/<LEVEL>.cells, /api/v1/names/<LEVEL> and /api/v1/overview, LEVEL one of ${LEVELS.map(levelName).join(' ')}; OGC API - Features at ${OGC_PATH}`;

/** Does this path require a token? Unknown paths under the prefix do too. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}
