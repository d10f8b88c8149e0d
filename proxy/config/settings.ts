// Options become typed and checked settings here, once; an invalid value prevents the start.
import { secondsOf } from '../../format/command-line/duration.ts';
import { issuersToMetadata } from '../auth/resource-metadata.ts';
import type { LimitRules, RateRule } from '../guards/admit-client.ts';
import { directoryOrigin } from '../origin/directory.ts';
import type { Origin } from '../origin/origin.ts';
import { isS3Url, parseS3Url, s3Origin } from '../origin/s3.ts';
import { S3Error } from '../origin/s3-signer.ts';
import { staticHostOrigin } from '../origin/static-host.ts';
import { optionsToTokenRules, refuseTokenOptions } from './issuers.ts';
import { durationToTimerMs, parseOriginUrl, parsePublicUrl, parseSite, parseUrl } from './option-values.ts';
import type { ServeOptions } from './options.ts';
import { SERVE_OPTIONS } from './options.ts';
import { OptionError, StartError } from './start-error.ts';
import { readTrustedKeys, trustedOrigin } from './trusted-keys.ts';
import { rangesToTrustedProxies } from './trusted-proxies.ts';

/** The options of `serve`, checked. */
export type Settings = Awaited<ReturnType<typeof optionsToSettings>>;

const PORT_MAX = 65_535;
const WORKERS_MAX = 256;

/**
 * Checks the options and applies the defaults.
 * @param log receives a line when a key set becomes unavailable, and when it is available again
 * @throws StartError
 */
export async function optionsToSettings(options: ServeOptions, log: (line: string) => void) {
  const {
    origin = SERVE_OPTIONS.origin.default,
    host = SERVE_OPTIONS.host.default,
    port = SERVE_OPTIONS.port.default,
    workers = SERVE_OPTIONS.workers.default,
    drain = SERVE_OPTIONS.drain.default,
    stopTimeout = SERVE_OPTIONS['stop-timeout'].default,
    metricsHost = SERVE_OPTIONS['metrics-host'].default,
    explorer = SERVE_OPTIONS.explorer.default,
  } = options;
  if (options.dev) refuseUnlessLoopback(host);
  const isRemote = /^https?:/i.test(origin) || isS3Url(origin);
  if (!/^https?:/i.test(origin) && options.originHeader !== undefined && options.originHeader.length > 0)
    throw new OptionError(
      'only a static host takes request headers',
      `--origin-header with --origin ${origin}`,
      'omit --origin-header, or use --origin https://...',
    );
  if (options.public) refuseTokenOptions(options);
  const tokenRules = options.public ? undefined : await optionsToTokenRules(options, log);
  const opened = await openOrigin(origin, options);
  const trustedKeys = await readTrustedKeys(options.trustedKey ?? []);
  return {
    /** `newest`: what is older is not served; undefined if it may be. */
    ...trustedOrigin(opened, trustedKeys, options.allowRollback),
    /** Are only signed releases served? */
    mustBeSigned: trustedKeys.length > 0,
    /** The value of --origin. */
    originName: origin,
    /** Is the origin a static host or a bucket? It may be unreachable when the proxy starts. */
    isRemote,
    host,
    port: wholeNumber(port, '--port', 0, PORT_MAX),
    publicUrl: parsePublicUrl(options.publicUrl),
    title: options.title,
    /** What the explorer says of who gives tokens; undefined for the issuers. */
    signInHelp: options.signInHelp,
    trustedProxies: rangesToTrustedProxies(options.trustProxy),
    /** Are X-Forwarded-Host and -Proto used of a public service, too? */
    forwardedHost: options.forwardedHost,
    /** Undefined for a public service. */
    tokenRules,
    resourceMetadata: tokenRules && issuersToMetadata([...tokenRules.issuers.keys()], tokenRules.scope),
    workers: wholeNumber(workers, '--workers', 1, WORKERS_MAX),
    limits: parseLimits(options, workers),
    drainMs: durationToTimerMs(drain, '--drain', 0),
    stopTimeoutMs: durationToTimerMs(stopTimeout, '--stop-timeout'),
    metricsPort:
      options.metricsPort === undefined ? undefined : wholeNumber(options.metricsPort, '--metrics-port', 0, PORT_MAX),
    metricsHost,
    hasExplorer: explorer,
    embedOrigins: parseEmbedOrigins(options),
  };
}

/**
 * The sites whose pages may show /embed.
 * @throws StartError
 */
function parseEmbedOrigins({ embedOrigin = [], explorer, ...options }: ServeOptions): readonly string[] {
  if (embedOrigin.length === 0) return [];
  if (!options.public)
    throw new OptionError(
      'only a public service has a map for other sites: nobody should give a token to a page in a frame',
      '--embed-origin without --public',
      'add --public, or omit --embed-origin',
    );
  if (explorer === false)
    throw new OptionError(
      'the map for other sites is part of the explorer',
      '--embed-origin with --no-explorer',
      'omit one of both',
    );
  return [...new Set(embedOrigin.map((text) => parseSite(text, '--embed-origin')))];
}

/**
 * @throws StartError if other machines can reach the host: everyone who can read the development key can sign tokens
 */
function refuseUnlessLoopback(host: string): void {
  if (host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host)) return;
  throw new OptionError(
    'the development key works on loopback addresses only',
    `--dev with --host ${host}`,
    'use --host 127.0.0.1, or replace --dev by a token issuer: --jwks FILE --issuer URL --audience NAME',
  );
}

function wholeNumber(value: number, option: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new OptionError('not a whole number in range', option, `use a whole number from ${min} to ${max}`);
}

/** Each worker process counts by itself, and gets its share of the limits: connections are handed to them in turn. */
function parseLimits({ rateLimit, concurrency }: ServeOptions, workers: number): LimitRules | undefined {
  if (concurrency !== undefined) wholeNumber(concurrency, '--concurrency', 1);
  const rate = rateLimit === undefined ? undefined : parseRate(rateLimit);
  if (rate === undefined && concurrency === undefined) return undefined;
  return {
    rate: rate && { ...rate, requests: Math.ceil(rate.requests / workers) },
    concurrency: concurrency && Math.ceil(concurrency / workers),
  };
}

function parseRate(text: string): RateRule {
  const [, requests, unit = ''] = /^([1-9][0-9]{0,8})\/([smh])$/.exec(text) ?? [];
  const windowSeconds = secondsOf(`1${unit}`);
  if (windowSeconds !== undefined) return { requests: Number(requests), windowSeconds };
  throw new OptionError('invalid rate', `--rate-limit ${text}`, 'use a number per second, minute or hour, e.g. 20/s');
}

/**
 * Opens the origin with this name: a folder, the URL of a static host, or a folder in a bucket.
 * @throws StartError if it is not valid
 */
export async function openOrigin(
  origin: string,
  { originHeader, s3Endpoint }: Pick<ServeOptions, 'originHeader' | 's3Endpoint'> = {},
): Promise<Origin> {
  if (isS3Url(origin)) return openS3Origin(origin, s3Endpoint);
  if (s3Endpoint !== undefined)
    throw new OptionError('only for buckets', '--s3-endpoint', 'use it with --origin s3://bucket/prefix');
  return /^https?:/i.test(origin) ? staticHostOrigin(parseOriginUrl(origin, originHeader)) : directoryOrigin(origin);
}

async function openS3Origin(origin: string, endpoint: string | undefined): Promise<Origin> {
  const location = parseS3Url(origin);
  if (location === undefined)
    throw new OptionError('not an s3:// URL', `--origin ${origin}`, 'use s3://bucket or s3://bucket/prefix');
  if (endpoint !== undefined)
    parseUrl(endpoint, '--s3-endpoint', 'use scheme and host, e.g. https://minio.internal:9000');
  try {
    return await s3Origin(location, { endpoint });
  } catch (error) {
    throw error instanceof S3Error ? new StartError(error.message, `--origin ${origin}`, error.remedy) : error;
  }
}
