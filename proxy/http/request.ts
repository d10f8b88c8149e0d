// A request as `handle` reads it, and its validation as an HTTP message (RFC 9112, RFC 9110) before path and query are
// interpreted. server.ts makes it from a request of node:http, fetch/ from one of the Fetch standard.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from './problem.ts';

/** The headers that the service reads, by their names in lower case. */
export type RequestHeaders = Readonly<
  Pick<
    IncomingHttpHeaders,
    | 'accept-encoding'
    | 'access-control-request-method'
    | 'authorization'
    | 'content-length'
    | 'expect'
    | 'host'
    | 'if-match'
    | 'if-none-match'
    | 'origin'
    | 'range'
    | 'transfer-encoding'
  > & {
    'if-range'?: HeaderValues;
    'x-forwarded-for'?: HeaderValues;
    'x-forwarded-host'?: HeaderValues;
    'x-forwarded-proto'?: HeaderValues;
  }
>;

/** The value of a header that may occur several times. */
type HeaderValues = string | string[] | undefined;

/** The client that a valid token identifies, or of a public service the address. */
export interface Principal {
  /** The `sub` of the token; undefined if it has none. */
  readonly subject: string | undefined;
  /** Issuer and subject, or what stands for a missing subject: the same for every token of a client. Or the address. */
  readonly id: string;
  /** The `kid` and `jti` of its token, for the log. */
  readonly kid?: string | undefined;
  readonly tokenId?: string | undefined;
}

/** A request as a platform gives it. */
export interface ReceivedRequest {
  /** Its name in logs, which the answer has as X-Request-Id; undefined where the platform names requests itself. */
  id?: string | undefined;
  method: string;
  /** The request target as it was received (RFC 9112 section 3.2), not decoded. */
  target: string;
  headers: RequestHeaders;
  /** All headers: alternating names and values, with repeated ones if the platform has them. */
  rawHeaders: readonly string[];
  /** Is it HTTP/1.0? */
  isHttp10: boolean;
  /** Scheme of the connection. */
  scheme: 'http' | 'https';
  /** The other end of the connection, if it is known, and whether it has been cut. */
  peer: Partial<Pick<Socket, 'remoteAddress' | 'destroyed' | 'once' | 'off'>>;
}

/** What a request is answered from. */
export interface Source {
  readonly release: { readonly id: string; readonly digest: string };
  /** Does the request name the release? */
  readonly isPinned: boolean;
  /** The members of current.json, if the answer depends on what they list. */
  readonly members?: object;
}

/** A request, with what is learnt of it on its way: the access log and the metrics read that when it has ended. */
export interface HttpRequest extends Readonly<ReceivedRequest> {
  /** The path of the target; empty until `validate` has read it. */
  path: string;
  /** The query of the target without `?`. */
  query: string;
  /** The endpoint, or a label for a kind of path; undefined for an unknown path. */
  route: string | undefined;
  /** Whom the token identifies; undefined without a valid one. */
  principal: Principal | undefined;
  /** Why its token was refused: one of a fixed set; undefined if it was not. */
  tokenFault: string | undefined;
  /** What it is answered from, once that is known. */
  source: Source | undefined;
  /** Headers that state the limits of the client; undefined if there are none. */
  limitFields: readonly string[] | undefined;
  /** To be called when the response has ended, completely or not. */
  onClose: (() => void) | undefined;
}

/** What of a request says whom it comes from. */
export type Sender = Pick<HttpRequest, 'headers' | 'peer'>;

/** Tells the client of each request, or refuses it: by its token, or of a public service by its address. */
export interface Principals {
  /** The client, as far as it is known without waiting. */
  known(request: Sender): Principal | undefined;
  /**
   * The client.
   * @param metadataUrl the URL of the metadata that a challenge names, if there is one
   * @throws Problem token-missing, token-invalid, scope-missing, keys-unavailable
   */
  verify(request: Sender, metadataUrl: () => string | undefined): Promise<Principal>;
}

/** Whom a request under /api/ comes from. */
export function principalOf({ principal }: HttpRequest): Principal {
  if (principal === undefined) throw new TypeError('a request without a token');
  return principal;
}

/** Every path under it requires a token. */
const API_PREFIX = '/api/';
/** The paths of this version of the interface begin so. */
export const API_PATH = `${API_PREFIX}v1`;

/** Does this path require a token? Unknown paths under the prefix do too. */
export function isProtected(path: string): boolean {
  return path.startsWith(API_PREFIX);
}

/** A request of which nothing is known yet. */
export function newRequest(received: ReceivedRequest): HttpRequest {
  const { id, method, target, headers, rawHeaders, isHttp10, scheme, peer } = received;
  // Not `...received`: an object that is made so is a dictionary to V8, and every access to it slow.
  return {
    id,
    method,
    target,
    headers,
    rawHeaders,
    isHttp10,
    scheme,
    peer,
    path: '',
    query: '',
    route: undefined,
    principal: undefined,
    tokenFault: undefined,
    source: undefined,
    limitFields: undefined,
    onClose: undefined,
  };
}

/** The methods of every path, as `Allow` lists them. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** Maximum length of the request target, in bytes. */
export const TARGET_MAX_BYTES: number = 8 * 1024;
/** Maximum size of all header names and values. Below the limit of the parser, for a precise error message. */
const HEADERS_MAX_BYTES = 16 * 1024;
/** Maximum number of headers; real clients send fewer than half. */
const HEADERS_MAX = 200;
/**
 * A header that is parsed is read up to this many characters, a list of hops from its end. A longer one says nothing:
 * thousands of items would cost everybody else a millisecond for each request.
 */
export const HEADER_MAX_CHARS = 500;

// A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986 section 3.2.2).
const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/;
/** The longest name in DNS has 253 characters. */
const HOST_MAX_CHARS = 255;
const PORT_MAX = 65_535;

/**
 * Reads path and query; refuses requests that are too large, ambiguous, or not meant for an origin server.
 * @throws Problem uri-too-long, bad-target, headers-too-large, duplicate-header, bad-host
 */
export function validate(request: HttpRequest): void {
  const { target, rawHeaders, headers } = request;
  if (target.length > TARGET_MAX_BYTES)
    throw new Problem('uri-too-long', `The request target is longer than ${TARGET_MAX_BYTES} bytes.`);
  // Absolute-form is for forward proxies, `*` for the server as a whole (RFC 9112 section 3.2).
  if (!target.startsWith('/')) throw new Problem('bad-target', 'The request target must be a path that begins with /.');
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  // Of repeated headers like these, node:http keeps the first; rawHeaders, alternating names and values, has all.
  for (let i = 0; i < rawHeaders.length; i++) {
    const text = rawHeaders[i] ?? '';
    bytes += text.length;
    if (i % 2 === 1) continue;
    if (text.length === 4 && text.toLowerCase() === 'host') hosts++;
    else if (text.length === 13 && text.toLowerCase() === 'authorization') authorizations++;
  }
  if (rawHeaders.length > 2 * HEADERS_MAX)
    throw new Problem('headers-too-large', `The request has more than ${HEADERS_MAX} headers.`);
  if (bytes > HEADERS_MAX_BYTES)
    throw new Problem('headers-too-large', `The headers are larger than ${HEADERS_MAX_BYTES} bytes.`);
  if (authorizations > 1)
    throw new Problem('duplicate-header', 'Authorization occurs more than once; it may occur once.');
  if (hosts > 1) throw new Problem('duplicate-header', 'Host occurs more than once; it may occur once.');
  const mark = target.indexOf('?');
  request.path = mark === -1 ? target : target.slice(0, mark);
  request.query = mark === -1 ? '' : target.slice(mark + 1);
  // Health checks of HAProxy and F5 are HTTP/1.0 without Host, which that version does not require.
  const mayLackHost = request.isHttp10 && (request.path === '/healthz' || request.path === '/readyz');
  if (!isHost(headers.host) && !(mayLackHost && headers.host === undefined))
    throw new Problem('bad-host', 'Host must be a name or an address, with an optional port.');
}

/** Is this a name or an address, with an optional port? */
export function isHost(text: string | undefined): text is string {
  const port = text !== undefined && text.length <= HOST_MAX_CHARS ? HOST.exec(text) : null;
  return port !== null && Number(port[1] ?? 0) <= PORT_MAX;
}

/** Is this a CORS preflight? Browsers send it without a token (Fetch standard, section 3.3). */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Does the request have a body, or expect an interim response? Then its connection is closed after the answer. */
export function hasContent({ headers }: HttpRequest): boolean {
  return hasBody(headers) || headers.expect !== undefined;
}

/**
 * Refuses all methods except GET and HEAD, and requests with a body or Expect.
 * @throws Problem method-not-allowed, body-refused, expectation-refused
 */
export function refuseUnsupported({ method, headers }: HttpRequest): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('method-not-allowed', `Allowed: ${ALLOWED_METHODS}.`, { Allow: ALLOWED_METHODS });
  if (hasBody(headers))
    throw new Problem('body-refused', 'Requests must not have a body: omit Content-Length and Transfer-Encoding.');
  if (headers.expect !== undefined)
    throw new Problem('expectation-refused', 'Expectations are not supported: omit the Expect header.');
}

function hasBody(headers: RequestHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The content coding of a body; `identity` is plain text. */
export type Coding = 'gzip' | 'identity';

/**
 * The content coding of the response (RFC 9110 section 12.5.3): the one with the higher weight, gzip if equal.
 * @param accept the value of Accept-Encoding, undefined if absent
 */
export function codingFor(accept: string | undefined): Coding {
  // The common values of browsers, curl and HTTP libraries.
  if (accept === undefined || accept.length > HEADER_MAX_CHARS) return 'identity';
  if (accept.startsWith('gzip') && /^gzip(, (deflate|br|zstd))*$/.test(accept)) return 'gzip';
  const weights = new Map<string, number>();
  for (const item of accept.split(',')) {
    const end = item.indexOf(';');
    const coding = (end === -1 ? item : item.slice(0, end)).trim().toLowerCase();
    const parameters = end === -1 ? [] : item.slice(end + 1).split(';');
    // x-gzip is an older name of gzip (RFC 9110 section 8.4.1.3).
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // identity is acceptable even if it is not listed, but less preferred than a listed coding.
  const identity = weights.get('identity') ?? 0;
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

/** The weight (`q`) among the parameters of an item: 1 if absent, 0 if it is not a number from 0 to 1. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.map((parameter) => parameter.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (weight === undefined) return 1;
  const value = Number(weight.slice('q='.length).trim() || Number.NaN);
  return value >= 0 && value <= 1 ? value : 0;
}
