// How the client reached us: what stands before the path in Link headers. X-Forwarded-* is believed only of the proxies
// that the configuration names; from anyone else those headers are as if they were not there.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Problem } from './problem.ts';
import { isHost } from './validate-request.ts';

/** The proxies in front of this one. */
export interface TrustedProxies {
  /** Is this the address of one? */
  has(address: string): boolean;
}

/**
 * Scheme and host, without a slash at the end. Host has been checked.
 * @throws Problem bad-host when a trusted proxy says something that is no host
 */
export function baseOf(req: IncomingMessage, trusted: TrustedProxies | undefined): string {
  if (trusted === undefined || !trusted.has(req.socket.remoteAddress ?? '')) return `http://${req.headers.host}`;
  const host = lastOf(req.headers['x-forwarded-host']) ?? req.headers.host ?? '';
  const scheme = lastOf(req.headers['x-forwarded-proto'])?.toLowerCase() === 'https' ? 'https' : 'http';
  if (isHost(host)) return `${scheme}://${host}`;
  throw new Problem('bad-host', 'X-Forwarded-Host is not a name or address with an optional port.');
}

/**
 * The proxies named by `ranges`: addresses, or networks such as 10.0.0.0/8 and fd00::/8.
 * @returns undefined for the first range that is none
 */
export function trustedProxies(ranges: readonly string[]): TrustedProxies | undefined {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits, more] = range.split('/');
    const version = isIP(address);
    const size = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? size : /^[0-9]{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (version === 0 || more !== undefined || !(prefix <= size)) return undefined;
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  // A socket that listens on IPv6 shows IPv4 peers as ::ffff:a.b.c.d.
  const plain = (address: string): string => address.replace(/^::ffff:(?=[0-9.]+$)/i, '');
  return { has: (address) => list.check(plain(address), isIP(plain(address)) === 6 ? 'ipv6' : 'ipv4') };
}

/** The last item of a list: what the proxy nearest to us wrote. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim();
}
