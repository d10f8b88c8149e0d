// The answer to a request that was understood: headers from the manifest alone, then the body, if one is wanted.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { encodeCursor } from '../format/cursor.ts';
import { MEDIA_TYPES } from '../format/levels.ts';
import type { LoadedLevel } from './catalogue.ts';
import type { Coding } from './encoding.ts';
import { codingFor } from './encoding.ts';
import { COMMON_HEADERS } from './headers.ts';
import type { Origin } from './origin.ts';
import { pageToBody } from './page.ts';
import type { PageRequest } from './query.ts';
import type { Resolution } from './resolve.ts';
import type { Endpoint } from './route.ts';
import { sliceToBody } from './slice.ts';

/** Everything that an answer is made of. */
export interface Answerable {
  endpoint: Endpoint;
  request: PageRequest;
  level: LoadedLevel;
  resolution: Resolution;
  /** What stands before the path in the Link header: scheme, host, perhaps a prefix. */
  base: string;
}

// Always private: a shared cache may replay a public answer to whoever has no token (RFC 9111 section 3.5).
// What a cursor names never changes; a request without one follows the served release.
const CACHE_PINNED = 'private, max-age=31536000, immutable';
const CACHE_CURRENT = 'private, no-cache';

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
  const { endpoint, level, resolution } = answerable;
  const coding = codingFor(req.headers['accept-encoding']);
  const tag = tagOf(answerable, coding);
  const headers = headersOf(answerable, tag);
  if (isHeld(req.headers['if-none-match'], tag)) {
    res.writeHead(304, headers).end();
    return;
  }
  headers['Content-Type'] = MEDIA_TYPES[endpoint.format];
  if (coding === 'gzip') headers['Content-Encoding'] = 'gzip';
  if (coding === 'gzip' && resolution.page) headers['Content-Length'] = String(resolution.page.bytes);
  if (req.method === 'HEAD') {
    res.writeHead(200, headers).end();
    return;
  }
  const body = resolution.page
    ? await pageToBody(origin, resolution.page, coding, { req, res })
    : await sliceToBody(origin, level.manifest, endpoint.format, resolution.positions, coding);
  if (Buffer.isBuffer(body)) res.writeHead(200, headers).end(body);
  else await stream(body, headers, res);
}

/** The headers of 200 and 304 alike. */
function headersOf({ request, level, resolution, endpoint, base }: Answerable, tag: string): Record<string, string> {
  const { start } = request;
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    ETag: tag,
    Vary: 'Accept-Encoding',
    'Cache-Control': start !== undefined && 'cursor' in start ? CACHE_PINNED : CACHE_CURRENT,
    'Boundaries-Release': level.manifest.release,
    'Boundaries-Matched': String(resolution.matched),
  };
  if (resolution.next !== undefined) {
    const query = request.filters.map(({ column, gid }) => `gid-${column}=${encodeURIComponent(gid)}&`).join('');
    const size = request.pageSize === undefined ? '' : `page-size=${request.pageSize}&`;
    const next = `${base}${endpoint.path}?${query}${size}start-at=${encodeCursor(resolution.next)}`;
    headers['Link'] = `<${next}>; rel="next"`;
  }
  return headers;
}

const TAG_CHARS = 22;

/**
 * The entity tag, quotes included (RFC 9110 section 8.8.3). A stored page has its digest, the same in every release
 * that has the same bytes. Of a slice it says what was cut from what, and for gzip by which compressor.
 */
function tagOf({ level, resolution, endpoint }: Answerable, coding: Coding): string {
  const ending = coding === 'identity' ? '-i' : '';
  if (resolution.page) return `"${resolution.page.digest}${ending}"`;
  const zlib = coding === 'gzip' ? process.versions.zlib : '';
  const made = [level.sha256, endpoint.format, zlib, ...resolution.positions].join(' ');
  return `"${createHash('sha256').update(made).digest('base64url').slice(0, TAG_CHARS)}${ending}"`;
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
async function stream(
  body: AsyncIterable<Buffer>,
  headers: Record<string, string>,
  res: ServerResponse,
): Promise<void> {
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
