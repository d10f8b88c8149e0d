// The answer to a parsed request: headers from the index, content from a stored page, from feature files, or a whole file
// of the release. No file is read before the content is sent.
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA } from '../../format/gzip.ts';
import { namesPath, OVERVIEW_FILE, pagePath, releasePath } from '../../format/layout.ts';
import { MEDIA_TYPES, PAGE_CAPS } from '../../format/levels.ts';
import type { Positions } from '../../format/positions.ts';
import type { Answer, Basis, BodySource, HeaderList } from '../answers/answer.ts';
import { COMMON_HEADERS } from '../answers/answer.ts';
import type { Coding } from '../http/request.ts';
import type { LoadedLevel, LoadedTable } from '../releases/load-release.ts';
import type { DownloadEndpoint, Endpoint, FileEndpoint, ListingEndpoint, PageEndpoint } from './endpoints.ts';
import { FILE_ENDPOINTS, OGC_ENDPOINTS, PAGE_ENDPOINTS } from './endpoints.ts';
import type { ListingParams } from './query.ts';
import type { Resolution } from './resolve.ts';
import { resolve } from './resolve.ts';
import { Slice } from './slice.ts';
import { StoredFile, TextOf } from './stored-file.ts';

/** A parsed request for a page or download, and what it is answered from. */
export interface ListingRequest<Of extends ListingEndpoint> {
  endpoint: Of;
  params: ListingParams;
  /** The features at each place that is asked for. */
  places: readonly Positions[];
  /** The level of the endpoint, and its feature files with the geometry that is asked for. */
  level: LoadedLevel;
  source: LoadedTable;
  basis: Basis;
}

// Always private: a shared cache may replay a public answer to a client without a token (RFC 9111 section 3.5).
// The response to a cursor never changes; without a cursor it depends on the current release.
const CACHING = { pinned: 'private, max-age=31536000, immutable', current: 'private, no-cache' } as const;

/** The headers that are known at start, up to the name of the one with the release's id: by media type. */
const FIXED_HEADERS: ReadonlyMap<
  string,
  Readonly<Record<keyof typeof CACHING, Readonly<Record<Coding, HeaderList>>>>
> = new Map(
  [...PAGE_ENDPOINTS, ...FILE_ENDPOINTS, ...OGC_ENDPOINTS].map(mediaTypeOf).map((type) => [type, fixedHeaders(type)]),
);

/** The name of the header with the number of features that match. */
export const MATCHED = 'Boundaries-Matched';

type PageRequest = ListingRequest<PageEndpoint>;

/** The answer with a page. Reading its body throws OriginError if stored bytes do not match the index. */
export function respondWithPage(request: PageRequest): Answer {
  const { endpoint, level, source, params, places, basis } = request;
  const resolution = resolve(level.index, endpoint.format, params, places, source.geometry);
  const { positions, page } = resolution;
  const link = nextLink(request, resolution);
  const mediaType = MEDIA_TYPES[endpoint.format];
  if (page !== undefined && basis.coding === 'gzip') {
    const file = storedPage(request, resolution);
    return finished(basis, mediaType, file.digest, file, positions.count, link);
  }
  const ranges = positions.slice(resolution.first, resolution.count);
  const slice = new Slice(source, FRAME_DATA[endpoint.format], endpoint.format, ranges);
  if (basis.coding === 'gzip') return finished(basis, mediaType, slice.tag, slice, positions.count, link);
  const file = page === undefined ? undefined : storedPage(request, resolution);
  const text = new TextOf(file ?? slice, slice.textBytes, endpoint.path);
  return finished(basis, mediaType, `${file?.digest ?? slice.tag}-i`, text, positions.count, link);
}

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function respondWithFile(endpoint: FileEndpoint, basis: Basis): Answer {
  const { release } = basis;
  const summary = endpoint.level === undefined ? undefined : elementAt(release.summaries, endpoint.level);
  const { bytes, textBytes, sha256 } = summary === undefined ? release.overview : summary.names;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = new StoredFile(`${releasePath(release.id)}/${name}`, bytes, sha256.slice(0, TAG_CHARS));
  if (basis.coding === 'gzip') return finished(basis, endpoint.mediaType, file.digest, file, summary?.features);
  const text = new TextOf(file, textBytes, endpoint.path);
  return finished(basis, endpoint.mediaType, `${file.digest}-i`, text, summary?.features);
}

/** 64 bits of SHA-256 in hex, as the index has them of pages. */
const TAG_CHARS = 16;

function mediaTypeOf(endpoint: Exclude<Endpoint, DownloadEndpoint>): string {
  return endpoint.kind === 'page' ? MEDIA_TYPES[endpoint.format] : endpoint.mediaType;
}

function fixedHeaders(mediaType: string): Record<keyof typeof CACHING, Record<Coding, HeaderList>> {
  const headers = (caching: string, coding: HeaderList): HeaderList => [
    ...COMMON_HEADERS,
    ...[
      'Vary',
      'Accept-Encoding',
      'Cache-Control',
      caching,
      'Content-Type',
      mediaType,
      ...coding,
      'Boundaries-Release',
    ],
  ];
  const ofEach = (caching: string): Record<Coding, HeaderList> => ({
    gzip: headers(caching, ['Content-Encoding', 'gzip']),
    identity: headers(caching, []),
  });
  return { pinned: ofEach(CACHING.pinned), current: ofEach(CACHING.current) };
}

/**
 * The answer.
 * @param tag entity tag without quotes: the same in every release with the same bytes
 * @param matched number of features that match; undefined if the body is not of features
 * @param link the value of the Link header
 */
export function finished(
  basis: Basis,
  mediaType: string,
  tag: string,
  body: BodySource | Buffer,
  matched: number | undefined,
  link?: string,
): Answer {
  const etag = `"${tag}"`;
  const fixed = FIXED_HEADERS.get(mediaType)?.[basis.isPinned ? 'pinned' : 'current'][basis.coding];
  if (fixed === undefined) throw new TypeError(`no endpoint has ${mediaType}`);
  const { id } = basis.release;
  const bytes = String('bytes' in body ? body.bytes : body.length);
  let dynamic: string[];
  if (matched === undefined) dynamic = [id, 'ETag', etag, 'Content-Length', bytes];
  else if (link === undefined) dynamic = [id, 'ETag', etag, 'Content-Length', bytes, MATCHED, String(matched)];
  else dynamic = [id, 'ETag', etag, 'Content-Length', bytes, MATCHED, String(matched), 'Link', link];
  return { status: 200, headers: fixed.concat(dynamic), etag, body, basis };
}

function storedPage({ endpoint, level }: PageRequest, { listing, first, page }: Resolution): StoredFile {
  if (page === undefined) throw new TypeError('the page is not stored');
  const { index } = level;
  const { format } = endpoint;
  const path = pagePath(index.level, format, index.listingKey(listing), first / PAGE_CAPS[format][index.level]);
  return new StoredFile(`${level.folder}/${path}`, page.bytes, index.pageDigest(format, page.number));
}

/** The value of the Link header; undefined for the last page. */
function nextLink(
  { params, level, endpoint, basis }: PageRequest,
  { positions, first, count }: Resolution,
): string | undefined {
  if (first + count >= positions.count) return undefined;
  let query = '';
  for (const { column, gid } of params.filters) query += `gid-${column}=${encodeURIComponent(gid)}&`;
  query += params.placesQuery;
  if (params.geometry !== undefined) query += `geometry=${params.geometry}&`;
  if (params.pageSize > 0) query += `page-size=${params.pageSize}&`;
  const cursor = level.cursors.write(positions.at(first + count));
  return `<${basis.base}${endpoint.path}?${query}start-at=${cursor}>; rel="next"`;
}
