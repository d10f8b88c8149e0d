// For each problem of the OpenAPI document: a request that causes it, and the detail of the response. The tests send
// every request and compare.
import { encodeCursor } from '../../../format/cursor.ts';
import type { ProblemCode } from '../../http/problem.ts';
import { PATHS_RULE, parameterNames } from '../../pages/endpoints.ts';

/** An example of a problem. */
export interface ProblemExample {
  /** Request line and headers, joined with line feeds; undefined if no single request to a working service causes it. */
  request: string | undefined;
  /** The `detail` of the response. */
  detail: string;
}

const HOST = 'Host: boundaries.example.org';
const TOKEN = 'Authorization: Bearer $TOKEN';
const TARGET = '/api/v1/fc/lv0';

/** A request with this target and additional headers, otherwise valid. */
function get(target: string, ...headers: string[]): string {
  return [`GET ${target} HTTP/1.1`, HOST, TOKEN, ...headers].join('\n');
}

const allowedNames = parameterNames(0);
const goneCursor = encodeCursor({ release: 'withdrawn', content: '00000000', level: 0, position: 5 });

/** An example of each problem. */
export const PROBLEM_EXAMPLES: Readonly<Record<ProblemCode, ProblemExample>> = {
  'malformed-request': {
    request: get(TARGET, 'Not a header'),
    detail: 'The request could not be parsed as HTTP/1.1.',
  },
  'bad-target': {
    request: get('http://elsewhere.example.org/'),
    detail: 'The request target must be a path that begins with /.',
  },
  'body-refused': {
    request: get(TARGET, 'Content-Length: 2'),
    detail: 'Requests must not have a body: omit Content-Length and Transfer-Encoding.',
  },
  'duplicate-header': {
    request: get(TARGET, TOKEN),
    detail: 'Authorization occurs more than once; it may occur once.',
  },
  'bad-host': {
    request: [`GET ${TARGET} HTTP/1.1`, 'Host: a/b', TOKEN].join('\n'),
    detail: 'Host must be a name or an address, with an optional port.',
  },
  'token-in-query': {
    request: get(`${TARGET}?access_token=abc`),
    detail: 'Send the token in the header: Authorization: Bearer <token>.',
  },
  'bad-encoding': {
    request: get(`${TARGET}?gid-0=%E9`),
    detail: '"%E9" is not percent-encoded UTF-8.',
  },
  'unknown-parameter': {
    request: get(`${TARGET}?limit=3`),
    detail: `"limit" is not a parameter. Allowed: ${allowedNames.join(', ')}.`,
  },
  'duplicate-parameter': {
    request: get(`${TARGET}?page-size=3&page-size=4`),
    detail: 'page-size occurs more than once; it may occur once.',
  },
  'bad-parameter': {
    request: get(`${TARGET}?page-size=0`),
    detail: 'page-size is "0". Allowed: a whole number of at least 1.',
  },
  'bad-cursor': {
    request: get(`/api/v1/fc/lv1?start-at=${goneCursor}`),
    detail: 'start-at is a cursor of lv0. Allowed: a cursor of lv1.',
  },
  'token-missing': {
    request: [`GET ${TARGET} HTTP/1.1`, HOST].join('\n'),
    detail: 'Send a token in the header: Authorization: Bearer <token>.',
  },
  'token-invalid': {
    request: [`GET ${TARGET} HTTP/1.1`, HOST, 'Authorization: Bearer abc'].join('\n'),
    detail: 'The token is expired, damaged, or not meant for this service.',
  },
  'scope-missing': {
    request: undefined,
    detail: 'The token lacks the required scope boundaries:read.',
  },
  'not-found': {
    request: get('/api/v1/fc/lv6'),
    detail: `Available: ${PATHS_RULE}.`,
  },
  'method-not-allowed': {
    request: [`DELETE ${TARGET} HTTP/1.1`, HOST, TOKEN].join('\n'),
    detail: 'Allowed: GET, HEAD, OPTIONS.',
  },
  'request-timeout': {
    request: undefined,
    detail: 'The request did not arrive in time.',
  },
  'release-gone': {
    request: get(`${TARGET}?start-at=${goneCursor}`),
    detail: 'The release of this cursor is no longer hosted. Start again at the first page, without a cursor.',
  },
  'expectation-refused': {
    request: get(TARGET, 'Expect: 100-continue'),
    detail: 'Expectations are not supported: omit the Expect header.',
  },
  'uri-too-long': {
    request: undefined,
    detail: 'The request target is longer than 8192 bytes.',
  },
  'too-many-requests': {
    request: undefined,
    detail: 'A client has a limit of requests: 1 in 3600 s. Try again in 3600 s.',
  },
  'headers-too-large': {
    request: undefined,
    detail: 'The headers are larger than 16384 bytes.',
  },
  internal: {
    request: undefined,
    detail: 'An unexpected error occurred. It has been logged.',
  },
  'origin-damaged': {
    request: undefined,
    detail: 'Stored data is missing or damaged. The error has been logged.',
  },
  'not-ready': {
    request: undefined,
    detail: 'No release is loaded yet.',
  },
  overloaded: {
    request: undefined,
    detail: 'The service has too much to do at the moment. Try again.',
  },
  'keys-unavailable': {
    request: undefined,
    detail: 'The keys that verify tokens are currently unavailable.',
  },
  'origin-slow': {
    request: undefined,
    detail: 'Stored data did not arrive in time. Try again.',
  },
};
