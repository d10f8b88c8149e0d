// For each problem of the OpenAPI document: the detail of the response, and a request that causes it. The tests send
// every request and compare.
import { encodeCursor } from '../../../format/cursor.ts';
import { apiRows, PAGE_ENDPOINTS } from '../../features/all-paths.ts';
import type { ProblemCode } from '../../http/problem.ts';

const HOST = 'Host: boundaries.example.org';
const TOKEN = 'Authorization: Bearer $TOKEN';
const TARGET = '/api/v1/fc/lv0';

/** A request with this target and additional headers, otherwise valid. */
function get(target: string, ...headers: string[]): string {
  return [`GET ${target} HTTP/1.1`, HOST, TOKEN, ...headers].join('\n');
}

const allowedNames = PAGE_ENDPOINTS.filter(({ path }) => path === TARGET).flatMap(({ parameters }) =>
  parameters.map(({ name }) => name),
);
const goneCursor = encodeCursor({ release: 'withdrawn', content: '00000000', level: 0, position: 5 });

/** The `detail` of the response to an example of each problem. */
export const PROBLEM_DETAILS: Readonly<Record<ProblemCode, string>> = {
  'malformed-request': 'The request could not be parsed as HTTP/1.1.',
  'bad-target': 'The request target must be a path that begins with /.',
  'body-refused': 'Requests must not have a body: omit Content-Length and Transfer-Encoding.',
  'duplicate-header': 'Authorization occurs more than once; it may occur once.',
  'bad-host': 'Host must be a name or an address, with an optional port.',
  'token-in-query': 'Send the token in the header: Authorization: Bearer <token>.',
  'bad-encoding': '"%E9" is not percent-encoded UTF-8.',
  'unknown-parameter': `"limit" is not a parameter. Allowed: ${allowedNames.join(', ')}.`,
  'duplicate-parameter':
    'page-size occurs more than once; it may occur once, as one value: a whole number of at least 1.',
  'bad-parameter': 'page-size is "0". Allowed: a whole number of at least 1.',
  'bad-cursor': 'start-at is a cursor of lv0. Allowed: a cursor of lv1.',
  'token-missing': 'Send a token in the header: Authorization: Bearer <token>.',
  'token-invalid': 'The token is expired, damaged, or not meant for this service.',
  'scope-missing': 'The token lacks the required scope boundaries:read.',
  'not-found': `Available: ${apiRows().rule}.`,
  'unknown-gid': 'No unit has the GID "ZZZ". GIDs are compared exactly.',
  'method-not-allowed': 'Allowed: GET, HEAD, OPTIONS.',
  'request-timeout': 'The request did not arrive in time.',
  'release-gone':
    'The service does not host this release, or hosts it no longer. GET /api/v1/ lists the releases that it hosts. Start again: ask for the first page without a cursor, for a download without release, or for a tile without v.',
  'precondition-failed': 'If-Match names no entity tag of what is there now: it has been replaced. Begin again.',
  'range-not-satisfiable': 'The file has fewer bytes: Content-Range says how many.',
  'expectation-refused': 'Expectations are not supported: omit the Expect header.',
  'uri-too-long': 'The request target is longer than 8192 bytes.',
  'too-many-requests': 'A client has a limit of requests: 1 in 3600 s. Try again in 3600 s.',
  'headers-too-large': 'The headers are larger than 16384 bytes.',
  internal: 'An unexpected error occurred. It has been logged.',
  'origin-damaged': 'Stored data is missing or damaged. The error has been logged.',
  'origin-unreachable': 'Stored data cannot be reached at the moment. Try again.',
  'not-ready': 'No release is loaded yet.',
  'release-too-large':
    'The tables of all levels take 110 MB, and this service has room for 50 MB. Ask for pages of a level.',
  overloaded: 'The service has too much to do at the moment. Try again.',
  'keys-unavailable': 'The keys that verify tokens are currently unavailable.',
  'origin-slow': 'Stored data did not arrive in time. Try again.',
};

/** Request line and headers, joined with line feeds, where a single request to a working service causes the problem. */
export const PROBLEM_REQUESTS: Readonly<Partial<Record<ProblemCode, string>>> = {
  'malformed-request': get(TARGET, 'Not a header'),
  'bad-target': get('http://elsewhere.example.org/'),
  'body-refused': get(TARGET, 'Content-Length: 2'),
  'duplicate-header': get(TARGET, TOKEN),
  'bad-host': [`GET ${TARGET} HTTP/1.1`, 'Host: a/b', TOKEN].join('\n'),
  'precondition-failed': get(TARGET, 'If-Match: "another"'),
  'token-in-query': get(`${TARGET}?access_token=abc`),
  'bad-encoding': get(`${TARGET}?gid-0=%E9`),
  'unknown-parameter': get(`${TARGET}?limit=3`),
  'duplicate-parameter': get(`${TARGET}?page-size=3&page-size=4`),
  'bad-parameter': get(`${TARGET}?page-size=0`),
  'bad-cursor': get(`/api/v1/fc/lv1?start-at=${goneCursor}`),
  'token-missing': [`GET ${TARGET} HTTP/1.1`, HOST].join('\n'),
  'token-invalid': [`GET ${TARGET} HTTP/1.1`, HOST, 'Authorization: Bearer abc'].join('\n'),
  'not-found': get('/api/v1/fc/lv6'),
  'unknown-gid': get('/api/v1/children?gid=ZZZ'),
  'method-not-allowed': [`DELETE ${TARGET} HTTP/1.1`, HOST, TOKEN].join('\n'),
  'release-gone': get(`${TARGET}?start-at=${goneCursor}`),
  'range-not-satisfiable': get('/api/v1/download/lv0.geojson.gz', 'Range: bytes=1000000000000-'),
  'expectation-refused': get(TARGET, 'Expect: 100-continue'),
};
