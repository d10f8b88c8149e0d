// Values of options, parsed and checked: URLs, request headers and durations.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { secondsOf, TIMER_MAX_SECONDS } from '../../format/command-line/duration.ts';
import type { StaticHost } from '../origin/static-host.ts';
import { OptionError } from './start-error.ts';

/** Request headers that the proxy sets itself when it sends a request to the static host. */
const RESERVED_HEADERS =
  /^(accept-encoding|connection|content-.*|expect|if-.*|range|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * The static host at a URL.
 * @param headers each as `Name: value`
 * @throws StartError
 */
export function parseOriginUrl(text: string, headers: readonly string[] = []): Pick<StaticHost, 'url' | 'headers'> {
  // The message does not repeat the URL: its query may contain a secret.
  const remedy = "use scheme, host and optional path; for a password use --origin-header 'Authorization: Basic ...'";
  const url = parseUrl(text, '--origin', remedy);
  return { url, headers: Object.fromEntries(headers.map(parseHeader)) };
}

/**
 * Checks --public-url: the URL without a slash at the end.
 * @throws StartError
 */
export function parsePublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const remedy = 'use scheme, host and optional path, e.g. https://boundaries.example.org';
  const url = parseUrl(text, `--public-url ${text}`, remedy, ({ search }) => search === '');
  return url.href.replace(/\/+$/, '');
}

/** A name, or an address of IPv4: a policy of content has no others, and ends at characters that URLs permit here. */
const SITE_HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/;

/**
 * The origin of a site, as browsers write it: a name in capitals, the default port and a slash at the end are nothing
 * else.
 * @throws StartError
 */
export function parseSite(text: string, option: string): string {
  const remedy = 'write scheme, host and, unless it is the default one, port of each site: https://www.example.org';
  // A password does not belong into a message.
  const where = `${option} ${text.replace(/[^/]*@/, '')}`;
  const isSite = ({ origin, href, hostname }: URL): boolean => href === `${origin}/` && SITE_HOST.test(hostname);
  return parseUrl(text, where, remedy, isSite).origin;
}

/**
 * Parses an http(s) URL without user name, password and fragment.
 * @param isAllowed what else is required of it
 * @throws StartError
 */
export function parseUrl(text: string, where: string, remedy: string, isAllowed = (_url: URL): boolean => true): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { protocol = '', username, password, hash } = url ?? {};
  if (url && /^https?:$/.test(protocol) && !username && !password && !hash && isAllowed(url)) return url;
  throw new OptionError('not a usable URL', where, remedy);
}

/** Does nobody in between read what is sent there, or change what comes? By TLS, or as it is this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|\[::1\]|127(\.[0-9]{1,3}){3})$/.test(hostname);
}

function parseHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = text.slice(colon + 1).trim();
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (value !== '' && !RESERVED_HEADERS.test(name)) return [name, value];
  } catch {
    // The error below applies to all invalid headers.
  }
  throw new OptionError(
    'not a usable request header',
    '--origin-header',
    "use 'Name: value', e.g. 'X-Key: secret'; Range, Content-*, If-* and connection headers are not allowed",
  );
}

/**
 * A duration of at most a day in milliseconds, for a timer: those of the platform end at 24 days, and a longer one at
 * once.
 * @throws StartError
 */
export function durationToTimerMs(text: string, option: string, minSeconds = 1): number {
  const seconds = durationToSeconds(text, option, minSeconds);
  if (seconds <= TIMER_MAX_SECONDS) return 1000 * seconds;
  throw new OptionError('too long', `${option} ${text}`, 'use at most 1d');
}

/**
 * A duration in seconds, from a number and a unit, such as 90s, 15m, 24h, 7d.
 * @param option the option that has this value, for the message
 * @param minSeconds the shortest allowed duration
 * @throws StartError
 */
export function durationToSeconds(text: string, option: string, minSeconds = 1): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds >= minSeconds) return seconds;
  throw new OptionError('invalid duration', `${option} ${text}`, 'use a number and a unit: 90s, 15m, 24h, 7d');
}
