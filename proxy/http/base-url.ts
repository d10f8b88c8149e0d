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

/** The base URL in Link headers: a configured one, or that of the request. */
export class BaseUrl {
  readonly #publicUrl: string | undefined;
  readonly #trusted: TrustedProxies | undefined;
  readonly #log: (line: string) => void;
  #isChecked = false;
  /** Scheme and host of the last request, and its base URL: most clients use the same one. */
  #scheme: HttpRequest['scheme'] | undefined;
  #host = '';
  #base = '';

  /**
   * @param publicUrl without a slash at the end; undefined uses that of the request
   * @param log receives a line if the first request shows that links say http where clients use https
   */
  constructor(publicUrl: string | undefined, trusted: TrustedProxies | undefined, log: (line: string) => void) {
    this.#publicUrl = publicUrl;
    this.#trusted = trusted;
    this.#log = log;
  }

  /**
   * Scheme and host, without a slash at the end. The Host header has been validated before.
   * @throws Problem bad-host if X-Forwarded-Host of a trusted proxy is not a host
   */
  of(request: HttpRequest): string {
    if (this.#publicUrl !== undefined) return this.#publicUrl;
    if (this.#trusted !== undefined) return forwardedBase(request, this.#trusted);
    const { headers, scheme } = request;
    if (!this.#isChecked) this.#check(headers);
    const host = headers.host ?? '';
    if (host !== this.#host || scheme !== this.#scheme) {
      [this.#scheme, this.#host] = [scheme, host];
      this.#base = `${scheme}://${host}`;
    }
    return this.#base;
  }

  /** X-Forwarded-Proto is a hint only: any client can send it. */
  #check(headers: HttpRequest['headers']): void {
    this.#isChecked = true;
    if (lastItem(headers['x-forwarded-proto'])?.toLowerCase() === 'https')
      this.#log(
        'a request came with X-Forwarded-Proto: https, but Link headers say http: set --public-url or --trust-proxy (with --public, --forwarded-host, too)',
      );
  }
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
