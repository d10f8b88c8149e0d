// The answer to a parsed request: headers from manifest and index, content from a stored page, from feature files, or a
// whole file of the release. No file is read before the content is sent.
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import { namesPath, OVERVIEW_FILE, releasePath } from '../../format/layout.ts';
import { MEDIA_TYPES } from '../../format/levels.ts';
import { digestFrom } from '../../format/manifest.ts';
import type { Coding } from '../http/accept-encoding.ts';
import type { Answer, Body, HeaderList } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';
import type { Client, Origin } from '../origin/origin.ts';
import type { LoadedLevel } from '../releases/level-tables.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { FileEndpoint, PageEndpoint } from './endpoints.ts';
import type { FilterMatches } from './filter-matches.ts';
import { gzipToText, pageToGzip } from './page-body.ts';
import type { PageRequest } from './parse-query.ts';
import { isPinned } from './parse-query.ts';
import type { Resolution, StoredPage } from './resolve.ts';
import { resolve } from './resolve.ts';
import type { Slice } from './slice.ts';
import { planSlice } from './slice.ts';
import { sliceToGzip } from './slice-body.ts';

/** A parsed request for a page, and the release for it. */
export interface PageQuestion {
  endpoint: PageEndpoint;
  request: PageRequest;
  release: LoadedRelease;
  /** The level of the endpoint. */
  level: LoadedLevel;
  matches: FilterMatches;
  coding: Coding;
  /** Base URL in the Link header: scheme, host and optional path. */
  base: string;
}

/** A request for a file, and the release for it. */
export interface FileQuestion {
  endpoint: FileEndpoint;
  release: LoadedRelease;
  coding: Coding;
}

// Always private: a shared cache may replay a public answer to a client without a token (RFC 9111 section 3.5).
// The response to a cursor never changes; without a cursor it depends on the current release.
const CACHE_PINNED = 'private, max-age=31536000, immutable';
const CACHE_CURRENT = 'private, no-cache';
const FIXED_HEADERS: HeaderList = [...COMMON_HEADERS, 'Vary', 'Accept-Encoding'];

/** The answer with a page. Reading its content throws OriginError if stored bytes do not match manifest and index. */
export function respondWithPage(origin: Origin, question: PageQuestion): Answer {
  const { endpoint, release, level, request, coding } = question;
  const resolution = resolve(level, endpoint.format, request, question.matches.of(release.digest, level));
  const source = pageSource(origin, resolution, question);
  return sourceToAnswer(source, pageHeaders(question, resolution), MEDIA_TYPES[endpoint.format], coding);
}

/** The answer with a file. Reading its content throws OriginError if its bytes do not match release.json. */
export function respondWithFile(origin: Origin, { endpoint, release, coding }: FileQuestion): Answer {
  const summary = endpoint.level === undefined ? undefined : elementAt(release.summaries, endpoint.level);
  const { bytes, textBytes, sha256 } = summary === undefined ? release.overview : summary.names;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = { path: `${releasePath(release.id)}/${name}`, bytes, digest: digestFrom(Buffer.from(sha256, 'hex')) };
  const gzipped = storedSource(origin, file);
  const source = coding === 'gzip' ? gzipped : textSource(gzipped, textBytes, endpoint.path);
  const headers = releaseHeaders(CACHE_CURRENT, release, summary?.features);
  return sourceToAnswer(source, headers, endpoint.mediaType, coding);
}

function sourceToAnswer(
  { tag, bytes, file, body }: Source,
  headers: HeaderList,
  mediaType: string,
  coding: Coding,
): Answer {
  const type = ['Content-Type', mediaType];
  return {
    status: 200,
    headers,
    etag: `"${tag}"`,
    content: { headers: coding === 'gzip' ? [...type, 'Content-Encoding', 'gzip'] : type, bytes, file, body },
  };
}

/** A body and its entity tag without quotes; the tag is the same in every release with the same bytes. */
interface Source {
  tag: string;
  /** The file with exactly these bytes, if there is one. */
  file?: string;
  bytes: number;
  body: (client: Client) => Body | Promise<Body>;
}

function pageSource(
  origin: Origin,
  { page, positions }: Resolution,
  { level, endpoint, coding }: PageQuestion,
): Source {
  if (page !== undefined && coding === 'gzip') return storedSource(origin, page);
  const slice = planSlice(level, endpoint.format, positions);
  const gzipped = page === undefined ? sliceSource(origin, slice) : storedSource(origin, page);
  return coding === 'gzip' ? gzipped : textSource(gzipped, slice.textBytes, endpoint.path);
}

function storedSource(origin: Origin, page: StoredPage): Source {
  return { tag: page.digest, bytes: page.bytes, file: page.path, body: (client) => pageToGzip(origin, page, client) };
}

function sliceSource(origin: Origin, slice: Slice): Source {
  return { tag: slice.tag, bytes: slice.gzipBytes, body: () => sliceToGzip(origin, slice) };
}

/** @param path for the log */
function textSource({ tag, body }: Source, textBytes: number, path: string): Source {
  return { tag: `${tag}-i`, bytes: textBytes, body: async (client) => gzipToText(await body(client), textBytes, path) };
}

/**
 * The headers of both 200 and 304.
 * @param matched number of features; undefined if the content is not a list of features
 */
function releaseHeaders(caching: string, { id }: LoadedRelease, matched: number | undefined): string[] {
  const headers = [...FIXED_HEADERS, 'Cache-Control', caching, 'Boundaries-Release', id];
  return matched === undefined ? headers : [...headers, 'Boundaries-Matched', String(matched)];
}

function pageHeaders({ request, release, endpoint, base }: PageQuestion, { matched, next }: Resolution): HeaderList {
  const headers = releaseHeaders(isPinned(request) ? CACHE_PINNED : CACHE_CURRENT, release, matched);
  if (next !== undefined) {
    const query = request.filters.map(({ column, gid }) => `gid-${column}=${encodeURIComponent(gid)}&`).join('');
    const size = request.pageSize === undefined ? '' : `page-size=${request.pageSize}&`;
    const cursor = { release: release.id, content: contentOf(release.digest), level: endpoint.level, position: next };
    const url = `${base}${endpoint.path}?${query}${size}start-at=${encodeCursor(cursor)}`;
    headers.push('Link', `<${url}>; rel="next"`);
  }
  return headers;
}
