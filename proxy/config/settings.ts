// The command line's options become typed settings once, here; what is wrong with one stops the start.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { TokenRules } from '../auth/authenticate.ts';
import type { ResourceMetadata } from '../auth/resource-metadata.ts';
import { metadataFor } from '../auth/resource-metadata.ts';
import type { TrustedProxies } from '../http/base-url.ts';
import { trustedProxies } from '../http/base-url.ts';
import { directoryOrigin } from '../origin/directory.ts';
import type { Origin } from '../origin/origin.ts';
import { hostOrigin } from '../origin/static-host.ts';
import { secondsFrom } from './duration.ts';
import type { TokenOptions } from './issuers.ts';
import { tokenRulesFrom } from './issuers.ts';
import { StartError } from './start-error.ts';

/** The options of `serve`, as given. */
export interface ServeOptions extends TokenOptions {
  /** Folder or URL. */
  origin: string;
  originHeader: readonly string[] | undefined;
  host: string;
  port: number;
  publicUrl: string | undefined;
  trustProxy: readonly string[] | undefined;
  workers: number;
  stopTimeout: string;
  metricsPort: number | undefined;
  explorer: boolean;
}

/** The options of a server for this machine, where none are given. Which tokens are valid has no default. */
export const SERVE_DEFAULTS: ServeOptions = {
  origin: 'output',
  originHeader: undefined,
  host: '127.0.0.1',
  port: 8080,
  publicUrl: undefined,
  trustProxy: undefined,
  issuer: undefined,
  jwks: undefined,
  jwksCache: '5m',
  jwksStale: '1h',
  jwksCooldown: '10s',
  secret: undefined,
  audience: undefined,
  scope: undefined,
  explorer: true,
  dev: undefined,
  workers: 1,
  stopTimeout: '30s',
  metricsPort: undefined,
};

/** What they come to. */
export interface Settings {
  origin: Origin;
  /** As it was given. */
  originName: string;
  /** Is the origin another machine? Then it may be away for a while. */
  isRemote: boolean;
  host: string;
  port: number;
  /** Without a slash at the end. */
  publicUrl: string | undefined;
  trusted: TrustedProxies | undefined;
  rules: TokenRules;
  metadata: ResourceMetadata | undefined;
  workers: number;
  stopMs: number;
  metricsPort: number | undefined;
  explorer: boolean;
}

const PORT_MAX = 65_535;
const WORKERS_MAX = 256;
/** What the proxy itself says to the host. */
const OWN_HEADERS =
  /^(accept-encoding|connection|content-.*|expect|if-.*|range|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * @param log gets a line when keys can no longer be read, and when they can again
 * @throws StartError
 */
export async function settingsFrom(options: ServeOptions, log: (line: string) => void): Promise<Settings> {
  const { host, workers } = options;
  if (!Number.isInteger(workers) || workers < 1 || workers > WORKERS_MAX)
    throw new StartError('Not a number of workers', '--workers', `give a whole number from 1 to ${WORKERS_MAX}`);
  if (options.dev) refuseUnlessLoopback(host);
  const isRemote = /^https?:/i.test(options.origin);
  const rules = await tokenRulesFrom(options, log);
  return {
    origin: isRemote ? remoteOrigin(options) : directoryOrigin(options.origin),
    originName: options.origin,
    isRemote,
    host,
    port: portFrom(options.port, '--port'),
    publicUrl: publicUrlFrom(options.publicUrl),
    trusted: trustedFrom(options.trustProxy),
    rules,
    metadata: metadataFor([...rules.issuers.keys()], rules.scope),
    workers,
    stopMs: 1000 * secondsFrom(options.stopTimeout, '--stop-timeout'),
    metricsPort: options.metricsPort === undefined ? undefined : portFrom(options.metricsPort, '--metrics-port'),
    explorer: options.explorer,
  };
}

/** @throws StartError unless only this machine can reach the host: whoever reads the clone can sign tokens. */
function refuseUnlessLoopback(host: string): void {
  if (host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host)) return;
  throw new StartError(
    'The development key is for this machine only',
    `--dev with --host ${host}`,
    'listen on 127.0.0.1, or drop --dev and name your keys: --jwks FILE --issuer I --audience A',
  );
}

function portFrom(port: number, option: string): number {
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new StartError('The port is not a port number', option, `give a whole number from 0 to ${PORT_MAX}`);
}

function remoteOrigin({ origin, originHeader = [] }: ServeOptions): Origin {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  // The value may hold a secret, in its query for one: it is not repeated.
  if (!url || url.username || url.password || url.hash)
    throw new StartError(
      'Not a URL that releases can be had from',
      '--origin',
      "give scheme, host and perhaps a path; a password belongs in --origin-header 'Authorization: Basic ...'",
    );
  return hostOrigin({ url, headers: Object.fromEntries(originHeader.map(headerFrom)) });
}

function headerFrom(text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = text.slice(colon + 1).trim();
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (value !== '' && !OWN_HEADERS.test(name)) return [name, value];
  } catch {
    // Falls through to the one answer for all.
  }
  throw new StartError(
    'Not a header for the host',
    '--origin-header',
    "give one as 'Name: value', e.g. 'X-Key: secret'",
  );
}

function trustedFrom(ranges: readonly string[] | undefined): TrustedProxies | undefined {
  if (ranges === undefined || ranges.length === 0) return undefined;
  const trusted = trustedProxies(ranges);
  if (trusted !== undefined) return trusted;
  throw new StartError(
    'Not an address or network',
    `--trust-proxy ${ranges.join(' ')}`,
    'give addresses such as 127.0.0.1, or networks such as 10.0.0.0/8',
  );
}

function publicUrlFrom(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password)
    return url.href.replace(/\/+$/, '');
  throw new StartError(
    'Not a URL that clients can reach',
    `--public-url ${text}`,
    'give scheme, host and perhaps a path, e.g. https://boundaries.example.org',
  );
}
