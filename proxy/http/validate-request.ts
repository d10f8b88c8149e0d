// Validation of a request as an HTTP message (RFC 9112, RFC 9110), before its path and query are interpreted.
import { ALLOWED_METHODS } from './cors.ts';
import { Problem } from './problem.ts';
import type { HttpRequest } from './request.ts';

/** Maximum length of the request target, in bytes. */
export const TARGET_MAX_BYTES: number = 8 * 1024;
/** Maximum size of all header names and values. Below the limit of the parser, for a precise error message. */
const HEADERS_MAX_BYTES = 16 * 1024;
/** Maximum number of headers; real clients send fewer than half. */
const HEADERS_MAX = 200;
/** Limit of the parser of node:http for request line and headers. */
export const PARSER_MAX_BYTES: number = 64 * 1024;

// A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986 section 3.2.2).
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;
/** The longest name in DNS has 253 characters. */
const HOST_MAX_CHARS = 255;
const PORT_MAX = 65_535;

/** A request target (RFC 9112 section 3.2), not decoded. */
export interface Target {
  /** As received. */
  target: string;
  path: string;
  /** Without `?`. */
  query: string;
}

/**
 * Reads the target; refuses requests that are too large, ambiguous, or not meant for an origin server.
 * @throws Problem uri-too-long, bad-target, headers-too-large, duplicate-header, bad-host
 */
export function validateRequest({ target, rawHeaders, headers }: HttpRequest): Target {
  if (target.length > TARGET_MAX_BYTES)
    throw new Problem('uri-too-long', `The request target is longer than ${TARGET_MAX_BYTES} bytes.`);
  // Absolute-form is for forward proxies, `*` for the server as a whole (RFC 9112 section 3.2).
  if (!target.startsWith('/')) throw new Problem('bad-target', 'The request target must be a path that begins with /.');
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  // Of repeated headers like these, node:http keeps the first; rawHeaders, alternating names and values, has all.
  let isName = true;
  for (const text of rawHeaders) {
    bytes += text.length;
    if (isName && text.length === 4 && text.toLowerCase() === 'host') hosts++;
    else if (isName && text.length === 13 && text.toLowerCase() === 'authorization') authorizations++;
    isName = !isName;
  }
  if (rawHeaders.length > 2 * HEADERS_MAX)
    throw new Problem('headers-too-large', `The request has more than ${HEADERS_MAX} headers.`);
  if (bytes > HEADERS_MAX_BYTES)
    throw new Problem('headers-too-large', `The headers are larger than ${HEADERS_MAX_BYTES} bytes.`);
  if (authorizations > 1)
    throw new Problem('duplicate-header', 'Authorization occurs more than once; it may occur once.');
  if (hosts > 1) throw new Problem('duplicate-header', 'Host occurs more than once; it may occur once.');
  if (!isHost(headers.host)) throw new Problem('bad-host', 'Host must be a name or an address, with an optional port.');
  const mark = target.indexOf('?');
  return mark === -1
    ? { target, path: target, query: '' }
    : { target, path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Is this a name or an address, with an optional port? */
export function isHost(text: string | undefined): text is string {
  const port = text !== undefined && text.length <= HOST_MAX_CHARS ? HOST.exec(text) : null;
  return port !== null && Number(port[1] ?? 0) <= PORT_MAX;
}

/**
 * Refuses all methods except GET and HEAD.
 * @throws Problem method-not-allowed
 */
export function refuseOtherMethods({ method }: HttpRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new Problem('method-not-allowed', `Allowed: ${ALLOWED_METHODS}.`, { Allow: ALLOWED_METHODS });
}

/** What a request can ask for and this service does not support. */
export type UnsupportedFeature = keyof typeof UNSUPPORTED_DETAILS;

/** The feature that a request uses and this service does not support. */
export function unsupportedFeature({ headers }: HttpRequest): UnsupportedFeature | undefined {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')) return 'body';
  if (headers.upgrade !== undefined) return 'upgrade';
  return headers.expect === undefined ? undefined : 'expectation';
}

const UNSUPPORTED_DETAILS = {
  body: 'Requests must not have a body: omit Content-Length and Transfer-Encoding.',
  upgrade: 'Only HTTP/1.1 is supported: omit the Upgrade header.',
  expectation: 'Expectations are not supported: omit the Expect header.',
} as const;

/**
 * Refuses a request with a body, Upgrade or Expect.
 * @throws Problem body-refused, upgrade-refused, expectation-refused
 */
export function refuseUnsupported(feature: UnsupportedFeature | undefined): void {
  if (feature !== undefined) throw new Problem(`${feature}-refused`, UNSUPPORTED_DETAILS[feature]);
}
