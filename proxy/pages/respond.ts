// The answer to a parsed request: headers from the index, content from a stored page, from feature files, or a whole file
// of the release. No file is read before the content is sent.
import { elementAt } from '../../format/element-at.ts';
import { namesPath, OVERVIEW_FILE, pagePath, releasePath } from '../../format/layout.ts';
import { MEDIA_TYPES, PAGE_CAPS } from '../../format/levels.ts';
import type { Answer, Basis, BodySource, HeaderList } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/answer.ts';
import type { LoadedLevel } from '../releases/load-release.ts';
import type { FileEndpoint, PageEndpoint } from './endpoints.ts';
import type { PageParams } from './query.ts';
import type { Resolution } from './resolve.ts';
import { resolve } from './resolve.ts';
import { Slice } from './slice.ts';
import { StoredFile, TextOf } from './stored-file.ts';

/** A parsed request for a page, and what it is answered from. */
export interface PageRequest {
  endpoint: PageEndpoint;
  params: PageParams;
  /** The level of the endpoint. */
  level: LoadedLevel;
  basis: Basis;
}

// Always private: a shared cache may replay a public answer to a client without a token (RFC 9111 section 3.5).
// The response to a cursor never changes; without a cursor it depends on the current release.
const PINNED = headersWith('private, max-age=31536000, immutable');
const CURRENT = headersWith('private, no-cache');

/** The answer with a page. Reading its body throws OriginError if stored bytes do not match the index. */
export function respondWithPage(request: PageRequest): Answer {
  const { endpoint, level, params, basis } = request;
  const resolution = resolve(level.index, endpoint.format, params);
  const { positions, page } = resolution;
  const dynamic = [basis.release.id, 'Boundaries-Matched', String(positions.count)];
  const link = nextLink(request, resolution);
  if (link !== undefined) dynamic.push('Link', link);
  const mediaType = MEDIA_TYPES[endpoint.format];
  if (page !== undefined && basis.coding === 'gzip') {
    const file = storedPage(request, resolution);
    return finished(basis, dynamic, file.digest, mediaType, file);
  }
  const slice = new Slice(level, endpoint.format, positions.slice(resolution.first, resolution.count));
  if (basis.coding === 'gzip') return finished(basis, dynamic, slice.tag, mediaType, slice);
  const file = page === undefined ? undefined : storedPage(request, resolution);
  const text = new TextOf(file ?? slice, slice.textBytes, endpoint.path);
  return finished(basis, dynamic, `${file?.digest ?? slice.tag}-i`, mediaType, text);
}

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function respondWithFile(endpoint: FileEndpoint, basis: Basis): Answer {
  const { release } = basis;
  const summary = endpoint.level === undefined ? undefined : elementAt(release.summaries, endpoint.level);
  const { bytes, textBytes, sha256 } = summary === undefined ? release.overview : summary.names;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = new StoredFile(`${releasePath(release.id)}/${name}`, bytes, sha256.slice(0, TAG_CHARS));
  const dynamic = summary === undefined ? [release.id] : [release.id, 'Boundaries-Matched', String(summary.features)];
  if (basis.coding === 'gzip') return finished(basis, dynamic, file.digest, endpoint.mediaType, file);
  const text = new TextOf(file, textBytes, endpoint.path);
  return finished(basis, dynamic, `${file.digest}-i`, endpoint.mediaType, text);
}

/** 64 bits of SHA-256 in hex, as the index has them of pages. */
const TAG_CHARS = 16;

/** Headers up to the name of the one with the release's id. */
function headersWith(caching: string): HeaderList {
  return [...COMMON_HEADERS, 'Vary', 'Accept-Encoding', 'Cache-Control', caching, 'Boundaries-Release'];
}

/**
 * The answer.
 * @param dynamic the headers that follow the fixed ones
 * @param tag entity tag without quotes: the same in every release with the same bytes
 */
function finished(basis: Basis, dynamic: string[], tag: string, mediaType: string, body: BodySource): Answer {
  const fixed = basis.isPinned ? PINNED : CURRENT;
  const etag = `"${tag}"`;
  dynamic.push('ETag', etag);
  const contentAt = fixed.length + dynamic.length;
  dynamic.push('Content-Type', mediaType, 'Content-Length', String(body.bytes));
  if (basis.coding === 'gzip') dynamic.push('Content-Encoding', 'gzip');
  return { status: 200, headers: fixed.concat(dynamic), contentAt, etag, body, basis };
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
  if (params.pageSize > 0) query += `page-size=${params.pageSize}&`;
  const cursor = level.cursors.write(positions.at(first + count));
  return `<${basis.base}${endpoint.path}?${query}start-at=${cursor}>; rel="next"`;
}
