// A request as HTTP: what is refused before anybody looks at what it asks for (RFC 9112, RFC 9110).
import type { IncomingMessage } from 'node:http';
import { ALLOWED_METHODS } from './headers.ts';
import { Problem } from './problem.ts';

/** Longest request target, in bytes. */
export const TARGET_MAX_BYTES: number = 8 * 1024;
/** Most bytes of header names and values. The parser's own limit is above it, so that this one can answer well. */
const HEADERS_MAX_BYTES = 16 * 1024;
/** What the parser takes, target included, before it gives up. */
export const PARSER_MAX_BYTES: number = 64 * 1024;

// A name or IPv4 address, or an IPv6 address in brackets; then perhaps a port (RFC 3986 section 3.2.2).
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/**
 * Refuses what must not be interpreted.
 * @throws Problem uri-too-long, headers-too-large, duplicate-header, bad-host
 */
export function refuseMalformed(req: IncomingMessage): void {
  if ((req.url ?? '').length > TARGET_MAX_BYTES)
    throw new Problem('uri-too-long', `The request target is longer than ${TARGET_MAX_BYTES} bytes.`);
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
  if (bytes > HEADERS_MAX_BYTES)
    throw new Problem('headers-too-large', `The headers are larger than ${HEADERS_MAX_BYTES} bytes.`);
  if (authorizations > 1) throw new Problem('duplicate-header', 'Authorization is given twice; it may be given once.');
  if (hosts > 1) throw new Problem('duplicate-header', 'Host is given twice; it may be given once.');
  if (!HOST.test(req.headers.host ?? ''))
    throw new Problem('bad-host', 'Host is missing or is not a name or address with an optional port.');
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
