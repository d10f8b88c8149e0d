// Headers that every answer carries, and the answer to a CORS preflight (Fetch standard, section 3.3).
// Tokens are not ambient: a page of any origin may call, since it can send only a token that it was given.
import type { IncomingMessage } from 'node:http';
import type { Answer, HeaderList } from './answer.ts';

/** On every answer, errors too: a browser client must be able to read a 401. */
export const COMMON_HEADERS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Link, ETag, Boundaries-Release, Boundaries-Matched, WWW-Authenticate, Retry-After',
  'X-Content-Type-Options',
  'nosniff',
];

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

/** The answer to a preflight: the same for every path, so it reveals nothing. */
export const PREFLIGHT_ANSWER: Answer = {
  status: 204,
  headers: [
    ...COMMON_HEADERS,
    'Access-Control-Allow-Methods',
    ALLOWED_METHODS,
    'Access-Control-Allow-Headers',
    'Authorization, If-None-Match',
    'Access-Control-Max-Age',
    String(PREFLIGHT_MAX_AGE_SECONDS),
  ],
};

/** The answer to OPTIONS that is not a preflight. */
export const OPTIONS_ANSWER: Answer = { status: 204, headers: [...COMMON_HEADERS, 'Allow', ALLOWED_METHODS] };
