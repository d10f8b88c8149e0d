// The clients of a public service, which knows no tokens: one principal for each address, in place of the authenticator.
import { isIP, isIPv4 } from 'node:net';
import type { TrustedProxies } from '../http/base-url.ts';
import { HEADER_MAX_CHARS, type HttpRequest, type Principal, type Principals, type Sender } from '../http/request.ts';

/**
 * A network of this many bits is one client: whoever has an IPv6 address has all of its /64 (RFC 4291 section 2.5.1).
 */
const IPV6_BITS = 64;
const GROUPS = 8;
const GROUP_BITS = 16;

/** Tells clients apart by their addresses; nobody is refused, and what Authorization says is not read. */
export class ClientAddresses implements Principals {
  readonly #trusted: TrustedProxies | undefined;

  /** @param trusted reverse proxies, of which X-Forwarded-For is believed */
  constructor(trusted: TrustedProxies | undefined) {
    this.#trusted = trusted;
  }

  known({ headers, peer }: Sender): Principal {
    const address = plainAddress(peer.remoteAddress ?? '');
    const client = this.#trusted?.has(address) ? forwardedFor(headers, address, this.#trusted) : address;
    return { subject: undefined, id: networkOf(client) };
  }

  async verify(request: Sender): Promise<Principal> {
    return this.known(request);
  }
}

/**
 * The address that the outermost trusted hop saw: from the last entry of X-Forwarded-For, which the nearest one wrote,
 * to the first that is not trusted itself. What stands before that, any client can write.
 */
function forwardedFor(headers: HttpRequest['headers'], nearest: string, trusted: TrustedProxies): string {
  const list = [headers['x-forwarded-for'] ?? []].flat().join(',');
  const entries = list.slice(-HEADER_MAX_CHARS).split(',').reverse();
  // The first one that is left of a longer list may be cut: another address.
  if (list.length > HEADER_MAX_CHARS) entries.pop();
  let address = nearest;
  for (const entry of entries) {
    const before = plainAddress(entry.trim().replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3'));
    if (isIP(before) === 0) return address;
    address = before;
    if (!trusted.has(address)) return address;
  }
  return address;
}

/** Without a zone; a socket that listens on IPv6 shows IPv4 clients as ::ffff:a.b.c.d. */
function plainAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=[0-9.]+$)/i, '');
}

/** The address itself of IPv4; of IPv6 its network. */
function networkOf(address: string): string {
  if (isIPv4(address) || isIP(address) === 0) return address;
  // In the form of RFC 5952, whichever one it was written in.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array(GROUPS - (first?.length ?? 0) - (last?.length ?? 0)).fill('0');
  const groups = [...(first ?? []), ...zeros, ...(last ?? [])];
  return `${groups.slice(0, IPV6_BITS / GROUP_BITS).join(':')}::/${IPV6_BITS}`;
}
