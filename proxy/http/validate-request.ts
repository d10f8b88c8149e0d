// A request as HTTP: what is refused before anybody looks at what it asks for (RFC 9112, RFC 9110).
import type { IncomingMessage } from 'node:http';
import { ALLOWED_METHODS } from './cors.ts';
import { Problem } from './problem.ts';

/** Longest request target, in bytes. */
export const TARGET_MAX_BYTES: number = 8 * 1024;
/** Most bytes of header names and values. The parser's own limit is above it, so that this one can answer well. */
const HEADERS_MAX_BYTES = 16 * 1024;
/** Most headers; no client of ours has half as many. */
const HEADERS_MAX = 200;
/** What the parser takes, target included, before it gives up. */
export const PARSER_MAX_BYTES: number = 64 * 1024;

// A name or IPv4 address, or an IPv6 address in brackets; then perhaps a port (RFC 3986 section 3.2.2).
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/**
 * Refuses what must not be interpreted.
 * @throws Problem uri-too-long, bad-target, headers-too-large, duplicate-header, bad-host
 */
export function refuseMalformed(req: IncomingMessage): void {
  if ((req.url ?? '').length > TARGET_MAX_BYTES)
    throw new Problem('uri-too-long', `The request target is longer than ${TARGET_MAX_BYTES} bytes.`);
  // Absolute-form is for forward proxies, `*` for the server as a whole (RFC 9112 section 3.2): neither is served here.
  if (!req.url?.startsWith('/'))
    throw new Problem('bad-target', 'The request target must be a path that begins with /.');
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  // Node keeps the first of two such headers and says nothing; only the raw list shows both.
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i] ?? '';
    bytes += name.length + (req.rawHeaders[i + 1] ?? '').length;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
  }
  if (req.rawHeaders.length > 2 * HEADERS_MAX)
    throw new Problem('headers-too-large', `There are more than ${HEADERS_MAX} headers.`);
  if (bytes > HEADERS_MAX_BYTES)
    throw new Problem('headers-too-large', `The headers are larger than ${HEADERS_MAX_BYTES} bytes.`);
  if (authorizations > 1) throw new Problem('duplicate-header', 'Authorization is given twice; it may be given once.');
  if (hosts > 1) throw new Problem('duplicate-header', 'Host is given twice; it may be given once.');
  if (!isHost(req.headers.host ?? ''))
    throw new Problem('bad-host', 'Host is missing or is not a name or address with an optional port.');
}

/** Is this a name or an address, perhaps with a port? */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** The path and the query (without `?`) of the request target, as they came. */
export function targetOf(req: IncomingMessage): { path: string; query: string } {
  const target = req.url ?? '';
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * Lets GET and HEAD pass.
 * @throws Problem method-not-allowed
 */
export function refuseOtherMethods(req: IncomingMessage): void {
  if (req.method === 'GET' || req.method === 'HEAD') return;
  throw new Problem('method-not-allowed', `Allowed: ${ALLOWED_METHODS}.`, { Allow: ALLOWED_METHODS });
}

/**
 * What a request has beyond its headers, or wants beyond an answer: nothing of that is ever read, and the connection is
 * closed behind the answer, so that it cannot be taken for another request.
 */
export function extraOf(req: IncomingMessage): 'body' | 'upgrade' | 'expectation' | undefined {
  const { headers } = req;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')) return 'body';
  if (headers.upgrade !== undefined) return 'upgrade';
  return headers.expect === undefined ? undefined : 'expectation';
}

const EXTRA_DETAILS = {
  body: 'A request here has no body: leave out Content-Length and Transfer-Encoding.',
  upgrade: 'Only HTTP/1.1 is spoken here: leave out Upgrade.',
  expectation: 'Leave out Expect: there is nothing to wait for.',
} as const;

/**
 * Lets a request pass that is headers alone.
 * @throws Problem body-refused, upgrade-refused, expectation-refused
 */
export function refuseExtras(req: IncomingMessage): void {
  const extra = extraOf(req);
  if (extra !== undefined) throw new Problem(`${extra}-refused`, EXTRA_DETAILS[extra]);
}
