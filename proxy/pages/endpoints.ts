// The interface: the paths of the API and their query parameters. One table for the handler, the parser, its error
// messages and the OpenAPI document.
import type { Format, Level } from '../../format/levels.ts';
import { FORMATS, LEVELS, levelName, MEDIA_TYPES } from '../../format/levels.ts';

/** One of the twelve paths that return pages of boundaries. */
export interface PageEndpoint {
  kind: 'page';
  /** As in the request and in the Link header. */
  path: string;
  format: Format;
  level: Level;
}

/** One of the seven paths that return a whole file of the current release. They have no parameters. */
export interface FileEndpoint {
  kind: 'file';
  path: string;
  mediaType: string;
  /** The level whose names the file has; undefined for the overview. */
  level: Level | undefined;
}

/** One of the twelve paths that return a whole listing as one file. */
export interface DownloadEndpoint extends Omit<PageEndpoint, 'kind'> {
  kind: 'download';
  /** How names of files end: `.geojsonl.gz`. */
  extension: string;
}

/** What has parameters. */
export type ListingEndpoint = PageEndpoint | DownloadEndpoint;

/** One of the paths of OGC API - Features that describe the service. They have no parameters. */
export interface DocumentEndpoint {
  kind: 'document';
  path: string;
  mediaType: string;
  document: 'landing' | 'conformance' | 'api' | 'collections' | 'collection';
  /** The level that the collection is; undefined of other documents. */
  level: Level | undefined;
}

/** One of its paths that return features of a level: pages of them, or by a path that goes on with a fid, one. */
export interface ItemsEndpoint {
  kind: 'items' | 'item';
  /** Of one feature: the path up to the fid. */
  path: string;
  mediaType: string;
  level: Level;
}

/** One of the paths of the API. */
export type Endpoint = ListingEndpoint | FileEndpoint | DocumentEndpoint | ItemsEndpoint;

/** Every path under it requires a token. */
const API_PREFIX = '/api/';

/** The endpoints that return pages. */
export const PAGE_ENDPOINTS: readonly PageEndpoint[] = FORMATS.flatMap((format) =>
  LEVELS.map((level) => ({ kind: 'page', path: `${API_PREFIX}v1/${format}/${levelName(level)}`, format, level })),
);

/** The endpoints that return files. */
export const FILE_ENDPOINTS: readonly FileEndpoint[] = [
  { kind: 'file', path: `${API_PREFIX}v1/overview`, mediaType: 'application/json', level: undefined },
  ...LEVELS.map((level): FileEndpoint => {
    const path = `${API_PREFIX}v1/names/${levelName(level)}`;
    return { kind: 'file', path, mediaType: 'application/x-ndjson', level };
  }),
];

const EXTENSIONS: Readonly<Record<Format, string>> = { geojsonl: '.geojsonl.gz', fc: '.geojson.gz' };

/** The endpoints that return whole listings. */
export const DOWNLOAD_ENDPOINTS: readonly DownloadEndpoint[] = FORMATS.flatMap((format) =>
  LEVELS.map((level) => {
    const extension = EXTENSIONS[format];
    return {
      kind: 'download',
      path: `${API_PREFIX}v1/download/${levelName(level)}${extension}`,
      format,
      level,
      extension,
    };
  }),
);

/** The landing page of OGC API - Features; its other paths begin with it. */
export const OGC_PATH = `${API_PREFIX}v1/ogc`;
/** The collections, and the path of each with a level's name. */
export const COLLECTIONS_PATH = `${OGC_PATH}/collections`;
/** The media type of the document that OGC API - Features has of itself. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';

const OGC_DOCUMENTS = [
  ['landing', OGC_PATH],
  ['conformance', `${OGC_PATH}/conformance`],
  ['api', `${OGC_PATH}/api`],
  ['collections', COLLECTIONS_PATH],
] as const;

/** The endpoints of OGC API - Features. */
export const OGC_ENDPOINTS: readonly (DocumentEndpoint | ItemsEndpoint)[] = [
  ...OGC_DOCUMENTS.map(([document, path]): DocumentEndpoint => {
    const mediaType = document === 'api' ? OPENAPI_TYPE : 'application/json';
    return { kind: 'document', path, mediaType, document, level: undefined };
  }),
  ...LEVELS.flatMap((level): (DocumentEndpoint | ItemsEndpoint)[] => {
    const path = `${COLLECTIONS_PATH}/${levelName(level)}`;
    const mediaType = MEDIA_TYPES.fc;
    return [
      { kind: 'document', path, mediaType: 'application/json', document: 'collection', level },
      { kind: 'items', path: `${path}/items`, mediaType, level },
      { kind: 'item', path: `${path}/items/`, mediaType, level },
    ];
  }),
];

/** The endpoints by path. A request path is looked up byte by byte: it is not decoded, joined or normalised. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  [...PAGE_ENDPOINTS, ...DOWNLOAD_ENDPOINTS, ...FILE_ENDPOINTS, ...OGC_ENDPOINTS].map((endpoint) => [
    endpoint.path,
    endpoint,
  ]),
);

/** The endpoint of a request path. That of one feature has paths that go on with a fid; clients also ask `{root}/`. */
export function endpointOf(path: string): Endpoint | undefined {
  if (path === `${OGC_PATH}/`) return ENDPOINTS.get(OGC_PATH);
  return ENDPOINTS.get(path) ?? ENDPOINTS.get(path.slice(0, path.lastIndexOf('/') + 1));
}

/** The paths, for messages. */
export const PATHS_RULE = `/api/v1/geojsonl/<LEVEL>, /api/v1/fc/<LEVEL>, /api/v1/download/<LEVEL>.geojsonl.gz, /api/v1/download/<LEVEL>.geojson.gz, /api/v1/names/<LEVEL> and /api/v1/overview, LEVEL one of ${LEVELS.map(levelName).join(' ')}; OGC API - Features at ${OGC_PATH}`;

/** Does this path require a token? Unknown paths under the prefix do too. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}

/** The number of features per page. */
export const PAGE_SIZE = 'page-size';
/** Minimum value. The maximum is the page cap of level and format; a larger value counts as the cap. */
export const PAGE_SIZE_MIN = 1;
/** The same, for messages. */
export const SIZE_RULE = `a whole number of at least ${PAGE_SIZE_MIN}`;

/** Which geometry the features have. */
export const GEOMETRY = 'geometry';

/** The box that the features' boxes touch. */
export const BBOX = 'bbox';
/** The point that the features contain. */
export const CONTAINS = 'contains';

/** The parameters for the start of a page; they cannot be combined. */
export const STARTS = ['start-at', 'start-after'] as const;
/** The largest fid that they accept. */
export const FID_MAX: number = Number.MAX_SAFE_INTEGER;

/** The release of a download. */
export const RELEASE = 'release';

/** The filter parameters, with the level of the unit that each names. */
export const FILTERS: ReadonlyMap<string, Level> = new Map(
  LEVELS.map((level): [string, Level] => [`gid-${level}`, level]),
);

/** The parameters of a listing, in the order of the documentation. */
export function parameterNames({ kind, level }: ListingEndpoint): readonly string[] {
  const filters = [...FILTERS].filter(([, column]) => column <= level).map(([name]) => name);
  const common = [...filters, BBOX, CONTAINS, GEOMETRY];
  return kind === 'page' ? [PAGE_SIZE, ...STARTS, ...common] : [...common, RELEASE];
}

/** Is this a parameter of pages alone, or of downloads alone? */
export function isOfOther({ kind }: ListingEndpoint, name: string): boolean {
  return kind === 'page' ? name === RELEASE : name === PAGE_SIZE || isStart(name);
}

/** Is this one of the parameters for the start of a page? */
export function isStart(name: string): boolean {
  return STARTS.some((start) => start === name);
}

const DEGREES = 'plain decimal degrees, longitudes from -180 to 180 before latitudes from -90 to 90';

/** The allowed values of a parameter at a level, for messages; also for filters that the level does not have. */
export function ruleOf(name: string, level: Level): string {
  if (name === PAGE_SIZE) return SIZE_RULE;
  if (name === BBOX) return `west,south,east,north in ${DEGREES}; west > east crosses the antimeridian`;
  if (name === CONTAINS) return `longitude,latitude in ${DEGREES}`;
  if (name === RELEASE) return 'the id of a hosted release';
  if (isStart(name)) return `a fid from 0 to ${FID_MAX} or a cursor from a Link header`;
  return `the GID of a unit, ${filterNames(level)}`;
}

/** The filters of a level, for messages. */
export function filterNames(level: Level): string {
  return `gid-0 to gid-${level}`;
}
