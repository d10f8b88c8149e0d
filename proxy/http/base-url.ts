// The base URL that a client used, for Link headers. X-Forwarded-* is used only if the connection comes from a
// configured reverse proxy, and ignored otherwise.
import { Problem } from './problem.ts';
import type { HttpRequest } from './request.ts';
import { HEADER_MAX_CHARS, isHost } from './request.ts';

/** The reverse proxies in front of this one. */
export interface TrustedProxies {
  /** Is this IP address one of them? */
  has(address: string): boolean;
}

/**
 * The base URL of a request, in Link headers: scheme and host, without a slash at the end. The Host header has been
 * validated before. Throws Problem bad-host if X-Forwarded-Host of a trusted proxy is not a host.
 */
export type BaseUrl = (request: HttpRequest) => string;

/**
 * What determines the base URL.
 * @param publicUrl without a slash at the end; undefined uses that of the request
 * @param log receives a line if the first request shows that links say http where clients use https
 */
export function baseUrlBy(
  publicUrl: string | undefined,
  trusted: TrustedProxies | undefined,
  log: (line: string) => void,
): BaseUrl {
  if (publicUrl !== undefined) return () => publicUrl;
  if (trusted !== undefined) return (request) => forwardedBase(request, trusted);
  let isChecked = false;
  return ({ headers, scheme }) => {
    // A hint only: any client can send it.
    if (!isChecked && lastItem(headers['x-forwarded-proto'])?.toLowerCase() === 'https')
      log(
        'a request came with X-Forwarded-Proto: https, but Link headers say http: set --public-url or --trust-proxy (with --public, --forwarded-host, too)',
      );
    isChecked = true;
    return `${scheme}://${headers.host ?? ''}`;
  };
}

function forwardedBase({ headers, scheme, peer }: HttpRequest, trusted: TrustedProxies): string {
  const address = peer.remoteAddress;
  if (address === undefined || !trusted.has(address)) return `${scheme}://${headers.host}`;
  const host = lastItem(headers['x-forwarded-host']) ?? headers.host;
  const forwarded = lastItem(headers['x-forwarded-proto'])?.toLowerCase() === 'https' ? 'https' : 'http';
  if (isHost(host)) return `${forwarded}://${host}`;
  throw new Problem('bad-host', 'X-Forwarded-Host must be a name or an address, with an optional port.');
}

/** The last item of a list header: the one that the nearest proxy added. */
function lastItem(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.slice(-HEADER_MAX_CHARS).split(',').at(-1)?.trim();
}
