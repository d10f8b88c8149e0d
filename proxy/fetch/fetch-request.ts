// Requests of the Fetch standard as `handle` reads them. Used by create-fetch-handler.ts.
import type { HttpRequest } from '../http/request.ts';
import { newRequest } from '../http/request.ts';

/**
 * The request. Its platform has parsed it: a header that occurred several times is one value, joined with commas, and the
 * target may be normalised.
 */
export function toHttpRequest({ method, url, headers }: Request): HttpRequest {
  const authority = url.indexOf('//') + 2;
  const target = url.slice(url.indexOf('/', authority));
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  return newRequest({
    method,
    target,
    headers: {
      'accept-encoding': header('accept-encoding'),
      'access-control-request-method': header('access-control-request-method'),
      authorization: header('authorization'),
      'content-length': header('content-length'),
      expect: header('expect'),
      // A request that a program makes has no Host, but an absolute URL.
      host: header('host') ?? url.slice(authority, url.indexOf('/', authority)),
      'if-none-match': header('if-none-match'),
      origin: header('origin'),
      'transfer-encoding': header('transfer-encoding'),
    },
    rawHeaders: [...headers].flat(),
    isHttp10: false,
    scheme: url.startsWith('https:') ? 'https' : 'http',
    peer: {},
  });
}
