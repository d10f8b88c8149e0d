// Headers of every response, and the responses to OPTIONS, CORS preflights among them (Fetch standard, section 3.3).
// Any origin is allowed: tokens are not ambient credentials, a page can only send a token that it was given.
import type { Answer, HeaderList } from './answer.ts';
import type { HttpRequest } from './request.ts';

/** Headers of every response, errors included: a client in a browser must be able to read a 401. */
export const COMMON_HEADERS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Link, ETag, Boundaries-Release, Boundaries-Matched, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy',
  'X-Content-Type-Options',
  'nosniff',
];

/** The methods of every path, as `Allow` lists them. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Is this a CORS preflight? Browsers send it without a token. */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** The answer to a preflight: the same for every path, so it does not reveal which paths exist. */
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
