// Errors as data: one table of codes, and the problem+json answer that each becomes (RFC 9457).

import type { Answer } from './answer.ts';
import { COMMON_HEADERS } from './cors.ts';

/** Every problem by its stable name. */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request is not well-formed HTTP' },
  'bad-target': { status: 400, title: 'The request target is not a path' },
  'body-refused': { status: 400, title: 'The request has a body' },
  'upgrade-refused': { status: 400, title: 'The request asks for another protocol' },
  'duplicate-header': { status: 400, title: 'A header that may be given once was given twice' },
  'bad-host': { status: 400, title: 'The Host header is missing or not a host' },
  'token-in-query': { status: 400, title: 'Tokens are not accepted in the query string' },
  'bad-encoding': { status: 400, title: 'The query is not percent-encoded UTF-8' },
  'unknown-parameter': { status: 400, title: 'Unknown parameter' },
  'duplicate-parameter': { status: 400, title: 'A parameter was given twice' },
  'bad-parameter': { status: 400, title: 'A parameter has a value that is not allowed' },
  'bad-cursor': { status: 400, title: 'The cursor is damaged or of another level' },
  'token-missing': { status: 401, title: 'A bearer token is needed' },
  'token-invalid': { status: 401, title: 'The bearer token is not valid' },
  'scope-missing': { status: 403, title: 'The bearer token lacks a scope' },
  'not-found': { status: 404, title: 'There is nothing at this path' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'release-gone': { status: 410, title: 'The release of the cursor is no longer hosted' },
  'expectation-refused': { status: 417, title: 'The request expects something of the server' },
  'uri-too-long': { status: 414, title: 'The request target is too long' },
  'headers-too-large': { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'The request failed for a reason of our own' },
  'origin-damaged': { status: 502, title: 'The stored boundaries could not be read' },
  'not-ready': { status: 503, title: 'The service is not ready' },
  'keys-unavailable': { status: 503, title: 'Tokens cannot be checked at the moment' },
  'origin-slow': { status: 504, title: 'The stored boundaries did not arrive in time' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A problem's stable name. */
export type ProblemCode = keyof typeof PROBLEMS;

/** A request ends in this answer instead of a page. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Headers beyond those of every problem. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail what was wrong with what, and what is allowed: shown to the client */
  constructor(code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = headers;
  }
}

/** The members of a problem's body, in order. */
export interface ProblemJson {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
}

/** The members of a problem. `type` is a name, not an address: there is nothing behind it to fetch. */
export function problemToJson(code: ProblemCode, detail: string): ProblemJson {
  const { status, title } = PROBLEMS[code];
  return { type: `urn:administrative-boundaries:problem:${code}`, title, status, detail, code };
}

/** The answer that a problem becomes. */
export function problemToAnswer(problem: Problem): Answer {
  const { status } = PROBLEMS[problem.code];
  const body = Buffer.from(`${JSON.stringify(problemToJson(problem.code, problem.message))}\n`);
  const headers = [...COMMON_HEADERS, 'Cache-Control', 'no-store', ...Object.entries(problem.headers).flat()];
  return {
    status,
    headers,
    content: { headers: ['Content-Type', 'application/problem+json'], bytes: body.length, body },
  };
}

const QUOTE_MAX_CHARS = 40;

/** A piece of a request as it may stand in a detail: quoted, escaped, and never long enough to hold a token. */
export function quote(text: string): string {
  return JSON.stringify(text.length > QUOTE_MAX_CHARS ? `${text.slice(0, QUOTE_MAX_CHARS)}...` : text);
}
