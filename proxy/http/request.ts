// A request as `handle` reads it. server.ts makes it from a request of node:http, fetch/ from one of the Fetch standard.
import type { IncomingHttpHeaders } from 'node:http';

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
    | 'if-none-match'
    | 'origin'
    | 'transfer-encoding'
    | 'upgrade'
  > & { 'x-forwarded-host'?: HeaderValues; 'x-forwarded-proto'?: HeaderValues; 'x-sendfile-type'?: HeaderValues }
>;

/** The value of a header that may occur several times. */
type HeaderValues = string | string[] | undefined;

/** A request. */
export interface HttpRequest {
  method: string;
  /** The request target as it was received (RFC 9112 section 3.2), not decoded. */
  target: string;
  headers: RequestHeaders;
  /** All headers: alternating names and values, with repeated ones if the platform has them. */
  rawHeaders: readonly string[];
  /** Scheme of the connection. */
  scheme: 'http' | 'https';
  /** IP address at the other end of the connection; undefined if it is not known. */
  remoteAddress: string | undefined;
}
