// The option --trust-proxy: addresses and networks of reverse proxies.
import { BlockList, isIP } from 'node:net';
import type { TrustedProxies } from '../http/base-url.ts';
import { OptionError } from './start-error.ts';

/**
 * The reverse proxies with these addresses.
 * @param ranges IP addresses, or networks such as 10.0.0.0/8 and fd00::/8
 * @returns undefined if there are none
 * @throws OptionError if a range is not valid
 */
export function rangesToTrustedProxies(ranges: readonly string[] = []): TrustedProxies | undefined {
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [, address = '', prefix] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(range) ?? [];
    const isIPv6 = isIP(address) === 6;
    try {
      list.addSubnet(address, Number(prefix ?? (isIPv6 ? 128 : 32)), isIPv6 ? 'ipv6' : 'ipv4');
    } catch {
      const remedy = 'use addresses such as 127.0.0.1, or networks such as 10.0.0.0/8';
      throw new OptionError('invalid address or network', `--trust-proxy ${range}`, remedy);
    }
  }
  // A socket that listens on IPv6 shows IPv4 clients as ::ffff:a.b.c.d.
  const plain = (address: string): string => address.replace(/^::ffff:(?=[0-9.]+$)/i, '');
  return { has: (address) => list.check(plain(address), isIP(plain(address)) === 6 ? 'ipv6' : 'ipv4') };
}
