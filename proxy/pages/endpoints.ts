// The interface: the paths of the API and their query parameters. One table for the handler, the parser, its error
// messages and the OpenAPI document.
import type { Format, Level } from '../../format/levels.ts';
import { FORMATS, LEVELS, levelName } from '../../format/levels.ts';

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

/** One of the paths of the API. */
export type Endpoint = PageEndpoint | DownloadEndpoint | FileEndpoint;

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

/** The endpoints by path. A request path is looked up byte by byte: it is not decoded, joined or normalised. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  [...PAGE_ENDPOINTS, ...DOWNLOAD_ENDPOINTS, ...FILE_ENDPOINTS].map((endpoint) => [endpoint.path, endpoint]),
);

/** The paths, for messages. */
export const PATHS_RULE = `/api/v1/geojsonl/<LEVEL>, /api/v1/fc/<LEVEL>, /api/v1/download/<LEVEL>.geojsonl.gz, /api/v1/download/<LEVEL>.geojson.gz, /api/v1/names/<LEVEL> and /api/v1/overview, LEVEL one of ${LEVELS.map(levelName).join(' ')}`;

/** Does this path require a token? Unknown paths under the prefix do too. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}

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
  if (name === PAGE_SIZE) return `a whole number of at least ${PAGE_SIZE_MIN}`;
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
