// The answer to a request that was understood: headers from the manifest, then the body, if one is wanted.
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { encodeCursor } from '../format/cursor.ts';
import { MEDIA_TYPES } from '../format/levels.ts';
import { cacheOf } from './cache.ts';
import type { LoadedRelease } from './catalogue.ts';
import type { Coding } from './encoding.ts';
import { codingFor } from './encoding.ts';
import { COMMON_HEADERS } from './headers.ts';
import type { Origin } from './origin.ts';
import { pageToBody } from './page.ts';
import type { PageRequest, Start } from './query.ts';
import type { Resolution } from './resolve.ts';
import type { Endpoint } from './route.ts';
import { sliceToBody } from './slice.ts';

/** Everything that an answer is made of. */
export interface Answerable {
  endpoint: Endpoint;
  request: PageRequest;
  release: LoadedRelease;
  resolution: Resolution;
  /** What stands before the path in the Link header: scheme, host, perhaps a prefix. */
  base: string;
  /** Where the answer is kept, see `answerName`. */
  name: string | undefined;
}

// Always private: a shared cache may replay a public answer to whoever has no token (RFC 9111 section 3.5).
// What a cursor names never changes; a request without one follows the served release.
const CACHE_PINNED = 'private, max-age=31536000, immutable';
const CACHE_CURRENT = 'private, no-cache';
const FIXED_HEADERS = Object.entries({ ...COMMON_HEADERS, Vary: 'Accept-Encoding' }).flat();

/**
 * Sends the answer: 304, headers alone, or a page.
 * @throws OriginError when the stored bytes are wrong; if nothing was sent yet, another answer still can be
 */
export async function answer(
  origin: Origin,
  answerable: Answerable,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { endpoint, release, resolution, request, name } = answerable;
  const coding = codingFor(req.headers['accept-encoding']);
  const tag = tagOf(answerable, coding);
  const headers = headersOf(answerable, tag);
  if (isHeld(req.headers['if-none-match'], tag)) {
    res.writeHead(304, headers).end();
    return;
  }
  headers.push('Content-Type', MEDIA_TYPES[endpoint.format]);
  if (coding === 'gzip') headers.push('Content-Encoding', 'gzip');
  if (coding === 'gzip' && resolution.page) headers.push('Content-Length', String(resolution.page.bytes));
  const isHead = req.method === 'HEAD';
  if (isHead && resolution.page) {
    res.writeHead(200, headers).end();
    return;
  }
  const body = resolution.page
    ? await pageToBody(origin, resolution.page, coding, { req, res })
    : await sliceToBody(origin, release.levels[endpoint.level].manifest, endpoint.format, resolution.positions, coding);
  if (Buffer.isBuffer(body)) {
    // How long a slice is shows when it has been made.
    if (!resolution.page) headers.push('Content-Length', String(body.length));
    res.writeHead(200, headers).end(isHead ? undefined : body);
    if (name === undefined) return;
    const isPinned = isCursor(request.start);
    cacheOf(origin).answers.offer(name, { bytes: body, headers, release, isPinned, route: endpoint.path });
  } else if (isHead) {
    res.writeHead(200, headers).end();
  } else {
    await stream(body, headers, res);
  }
}

function isCursor(start: Start | undefined): boolean {
  return start !== undefined && 'cursor' in start;
}

/** The headers of 200 and 304 alike, names and values in turn. */
function headersOf({ request, release, resolution, endpoint, base }: Answerable, tag: string): string[] {
  const headers = [
    ...FIXED_HEADERS,
    'ETag',
    tag,
    'Cache-Control',
    isCursor(request.start) ? CACHE_PINNED : CACHE_CURRENT,
    'Boundaries-Release',
    release.id,
    'Boundaries-Matched',
    String(resolution.matched),
  ];
  if (resolution.next !== undefined) {
    const query = request.filters.map(({ column, gid }) => `gid-${column}=${encodeURIComponent(gid)}&`).join('');
    const size = request.pageSize === undefined ? '' : `page-size=${request.pageSize}&`;
    const next = `${base}${endpoint.path}?${query}${size}start-at=${encodeCursor(resolution.next)}`;
    headers.push('Link', `<${next}>; rel="next"`);
  }
  return headers;
}

/** Which compressor slices are made with: another may make other bytes of the same text. */
const COMPRESSOR = hash('sha256', process.versions.zlib, 'base64url').slice(0, 4);
const MANIFEST_CHARS = 16;
const POSITIONS_MAX_CHARS = 64;

/**
 * The entity tag, quotes included (RFC 9110 section 8.8.3). A stored page has its digest, the same in every release
 * that has the same bytes. Of a slice it says what was cut from what, and for gzip by which compressor.
 */
function tagOf({ release, resolution, endpoint }: Answerable, coding: Coding): string {
  if (resolution.page) return coding === 'gzip' ? `"${resolution.page.digest}"` : `"${resolution.page.digest}-i"`;
  const manifest = release.levels[endpoint.level].sha256.slice(0, MANIFEST_CHARS);
  let cut = resolution.positions.join('-');
  if (cut.length > POSITIONS_MAX_CHARS) cut = hash('sha256', cut, 'base64url');
  return `"${manifest}-${endpoint.format}-${cut}-${coding === 'gzip' ? COMPRESSOR : 'i'}"`;
}

/** Does If-None-Match name this tag? Compared weakly (RFC 9110 section 13.1.2); our tags hold no comma. */
export function isHeld(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const held = item.trim();
    return held === '*' || held === tag || held === `W/${tag}`;
  });
}

/** Sends a body piece by piece, as fast as the client takes it. */
async function stream(body: AsyncIterable<Buffer>, headers: string[], res: ServerResponse): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    // A fault up to here can still be told in an answer of its own; a later one cuts the connection.
    const first = await pieces.next();
    res.writeHead(200, headers);
    await pipeline(continued(first, pieces), res);
  } finally {
    // A client that has gone away leaves files open otherwise.
    await pieces.return?.();
  }
}

async function* continued(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}
