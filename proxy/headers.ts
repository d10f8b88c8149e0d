// Headers that every answer carries, and the answer to a CORS preflight (Fetch standard, section 3.3).
// Tokens are not ambient: a page of any origin may call, since it can send only a token that it was given.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** On every answer, errors too: a browser client must be able to read a 401. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Link, ETag, Boundaries-Release, Boundaries-Matched, WWW-Authenticate, Retry-After',
  'X-Content-Type-Options': 'nosniff',
};

/** The methods of every path, as `Allow` lists them. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Is this a browser asking whether a page may send the real request? Such a request cannot carry a token. */
export function isPreflight(req: IncomingMessage): boolean {
  return (
    req.method === 'OPTIONS' &&
    req.headers.origin !== undefined &&
    req.headers['access-control-request-method'] !== undefined
  );
}

/** Answers a preflight: the same for every path, so it tells nothing. */
export function answerPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    ...COMMON_HEADERS,
    'Access-Control-Allow-Methods': ALLOWED_METHODS,
    'Access-Control-Allow-Headers': 'Authorization, If-None-Match',
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
  });
  res.end();
}

/** Answers OPTIONS that is no preflight. */
export function answerOptions(res: ServerResponse): void {
  res.writeHead(204, { ...COMMON_HEADERS, Allow: ALLOWED_METHODS });
  res.end();
}
