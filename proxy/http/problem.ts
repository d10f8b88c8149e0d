// Errors as data: one table of error codes, and the problem+json response of each (RFC 9457).

/** Every problem by its code, which is stable. */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request is not valid HTTP' },
  'bad-target': { status: 400, title: 'The request target is not a path' },
  'body-refused': { status: 400, title: 'The request has a body' },
  'duplicate-header': { status: 400, title: 'Duplicate header' },
  'bad-host': { status: 400, title: 'The Host header is missing or not valid' },
  'token-in-query': { status: 400, title: 'Tokens are not accepted in the query string' },
  'bad-encoding': { status: 400, title: 'The query string is not percent-encoded UTF-8' },
  'unknown-parameter': { status: 400, title: 'Unknown parameter' },
  'duplicate-parameter': { status: 400, title: 'Duplicate parameter' },
  'bad-parameter': { status: 400, title: 'The value of a parameter is not valid' },
  'bad-cursor': { status: 400, title: 'The cursor is damaged or belongs to another level' },
  'token-missing': { status: 401, title: 'A bearer token is required' },
  'token-invalid': { status: 401, title: 'The bearer token is not valid' },
  'scope-missing': { status: 403, title: 'The bearer token lacks a required scope' },
  'not-found': { status: 404, title: 'No resource at this path' },
  'unknown-gid': { status: 404, title: 'No unit has this GID' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'release-gone': { status: 410, title: 'The release is not hosted' },
  'precondition-failed': { status: 412, title: 'The resource has another entity tag than the request names' },
  'uri-too-long': { status: 414, title: 'The request target is too long' },
  'range-not-satisfiable': { status: 416, title: 'The file ends before the range begins' },
  'expectation-refused': { status: 417, title: 'The Expect header is not supported' },
  'too-many-requests': { status: 429, title: 'The client has reached a limit' },
  'headers-too-large': { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  'origin-damaged': { status: 502, title: 'Stored data could not be read' },
  'origin-unreachable': { status: 503, title: 'Stored data cannot be reached at the moment' },
  'not-ready': { status: 503, title: 'The service is not ready' },
  'release-too-large': { status: 503, title: 'The release is too large for the memory of the service' },
  overloaded: { status: 503, title: 'The service is overloaded' },
  'keys-unavailable': { status: 503, title: 'Tokens cannot be verified at the moment' },
  'origin-slow': { status: 504, title: 'Stored data could not be read in time' },
} as const satisfies Record<string, { status: number; title: string }>;

/** The code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** The request gets this problem as its response. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Headers in addition to those of every problem. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with a token: one of a fixed set, for the log and the metrics only. */
  readonly tokenFault: string | undefined;

  /** @param detail shown to the client: what is wrong, and what is allowed */
  constructor(code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}, tokenFault?: string) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = headers;
    this.tokenFault = tokenFault;
  }
}

const RETRY_SECONDS = 5;

/** 503 with Retry-After: the service cannot respond yet. */
export function notReady(detail: string, retrySeconds: number = RETRY_SECONDS): Problem {
  return new Problem('not-ready', detail, { 'Retry-After': String(retrySeconds) });
}

/** 503 with Retry-After: more work than the service can do at a time, or more than its share for one client. */
export function overloaded(): Problem {
  return new Problem('overloaded', 'The service has too much to do at the moment. Try again.', { 'Retry-After': '1' });
}

/** 503 with Retry-After: the host of the releases has an outage. */
export function originUnreachable(): Problem {
  const detail = 'Stored data cannot be reached at the moment. Try again.';
  return new Problem('origin-unreachable', detail, { 'Retry-After': String(RETRY_SECONDS) });
}

/** The body of a problem, with its members in this order. Its `type` is a URN: an identifier that cannot be fetched. */
export function problemToJson(code: ProblemCode, detail: string) {
  const { status, title } = PROBLEMS[code];
  return { type: `urn:administrative-boundaries:problem:${code}`, title, status, detail, code };
}

const QUOTE_MAX_CHARS = 40;

/** Text of a request for use in a detail: quoted, escaped, and too short to contain a token. */
export function quote(text: string): string {
  return JSON.stringify(text.length > QUOTE_MAX_CHARS ? `${text.slice(0, QUOTE_MAX_CHARS)}...` : text);
}
