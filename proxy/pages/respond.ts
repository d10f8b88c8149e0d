// The answer to a parsed request: headers from manifest and index, content from a stored page or from feature files. No
// file is read before the content is sent.
import { contentOf, encodeCursor } from '../../format/cursor.ts';
import { MEDIA_TYPES } from '../../format/levels.ts';
import type { Coding } from '../http/accept-encoding.ts';
import type { Answer, Body, HeaderList } from '../http/answer.ts';
import { COMMON_HEADERS } from '../http/cors.ts';
import type { Client, Origin } from '../origin/origin.ts';
import type { LoadedLevel } from '../releases/level-tables.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { Endpoint } from './endpoints.ts';
import type { FilterMatches } from './filter-matches.ts';
import { gzipToText, pageToGzip } from './page-body.ts';
import type { PageRequest } from './parse-query.ts';
import { isPinned } from './parse-query.ts';
import type { Resolution } from './resolve.ts';
import { resolve } from './resolve.ts';
import { planSlice } from './slice.ts';
import { sliceToGzip } from './slice-body.ts';

/** A parsed request, and the release for it. */
export interface Question {
  endpoint: Endpoint;
  request: PageRequest;
  release: LoadedRelease;
  /** The level of the endpoint. */
  level: LoadedLevel;
  matches: FilterMatches;
  coding: Coding;
  /** Base URL in the Link header: scheme, host and optional path. */
  base: string;
}

// Always private: a shared cache may replay a public answer to a client without a token (RFC 9111 section 3.5).
// The response to a cursor never changes; without a cursor it depends on the current release.
const CACHE_PINNED = 'private, max-age=31536000, immutable';
const CACHE_CURRENT = 'private, no-cache';
const FIXED_HEADERS: HeaderList = [...COMMON_HEADERS, 'Vary', 'Accept-Encoding'];

/** The answer. Reading its content throws OriginError if stored bytes do not match manifest and index. */
export function respond(origin: Origin, question: Question): Answer {
  const { endpoint, release, level, request, coding } = question;
  const resolution = resolve(level, endpoint.format, request, question.matches.of(release.digest, level));
  const { tag, bytes, body } = bodySource(origin, level, resolution, question);
  const type = ['Content-Type', MEDIA_TYPES[endpoint.format]];
  return {
    status: 200,
    headers: pageHeaders(question, resolution),
    etag: `"${tag}"`,
    content: { headers: coding === 'gzip' ? [...type, 'Content-Encoding', 'gzip'] : type, bytes, body },
  };
}

/** A body and its entity tag without quotes; the tag is the same in every release with the same bytes. */
interface Source {
  tag: string;
  bytes: number;
  body: (client: Client) => Body | Promise<Body>;
}

function bodySource(
  origin: Origin,
  level: LoadedLevel,
  { page, positions }: Resolution,
  { endpoint, coding }: Question,
): Source {
  if (page !== undefined && coding === 'gzip')
    return { tag: page.digest, bytes: page.bytes, body: (client) => pageToGzip(origin, page, client) };
  const slice = planSlice(level, endpoint.format, positions);
  if (coding === 'gzip') return { tag: slice.tag, bytes: slice.gzipBytes, body: () => sliceToGzip(origin, slice) };
  return {
    tag: `${page?.digest ?? slice.tag}-i`,
    bytes: slice.textBytes,
    async body(client) {
      const gzipped = page === undefined ? sliceToGzip(origin, slice) : pageToGzip(origin, page, client);
      return gzipToText(gzipped instanceof Promise ? await gzipped : gzipped, slice.textBytes, endpoint.path);
    },
  };
}

/** The headers of both 200 and 304. */
function pageHeaders({ request, release, endpoint, base }: Question, { matched, next }: Resolution): HeaderList {
  const headers = [
    ...FIXED_HEADERS,
    'Cache-Control',
    isPinned(request) ? CACHE_PINNED : CACHE_CURRENT,
    'Boundaries-Release',
    release.id,
    'Boundaries-Matched',
    String(matched),
  ];
  if (next !== undefined) {
    const query = request.filters.map(({ column, gid }) => `gid-${column}=${encodeURIComponent(gid)}&`).join('');
    const size = request.pageSize === undefined ? '' : `page-size=${request.pageSize}&`;
    const cursor = { release: release.id, content: contentOf(release.digest), level: endpoint.level, position: next };
    const url = `${base}${endpoint.path}?${query}${size}start-at=${encodeCursor(cursor)}`;
    headers.push('Link', `<${url}>; rel="next"`);
  }
  return headers;
}
