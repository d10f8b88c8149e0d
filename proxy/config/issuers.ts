// The token options: accepted issuers and the location of their keys.
import { FormatError } from '../../format/parse.ts';
import type { KeySource, TokenRules } from '../auth/authenticate.ts';
import { fetchKeySet, jwksToKeySet, readKeySet, secretToKeySet } from '../keys/key-set.ts';
import type { KeyPolicy } from '../keys/rotating-keys.ts';
import { FILE_POLICY, fixedKeys, RotatingKeys } from '../keys/rotating-keys.ts';
import { denyListIn } from './denied-tokens.ts';
import { durationToSeconds, isPrivate, parseUrl } from './option-values.ts';
import type { ServeOptions } from './options.ts';
import { SERVE_OPTIONS } from './options.ts';
import { OptionError, StartError } from './start-error.ts';

/**
 * Where the keys of an issuer are: a URL, a file, the text of a JSON Web Key Set, or the set itself; or what reads its
 * text, which is called again as a URL is asked again.
 */
export type KeyLocation = string | { keys: readonly object[] } | (() => Promise<string>);

/** The options that concern tokens. */
export interface TokenOptions
  extends Pick<
    ServeOptions,
    | 'audience'
    | 'deny'
    | 'dev'
    | 'issuer'
    | 'jwksCache'
    | 'jwksCooldown'
    | 'jwksHttp'
    | 'jwksStale'
    | 'scope'
    | 'secret'
  > {
  jwks?: readonly KeyLocation[] | undefined;
}

/** Requests the text of a key set. */
type FetchKeys = (url: URL) => Promise<string>;

/**
 * The rules for valid tokens.
 * @param log receives a line when a key set becomes unavailable, and when it is available again
 * @param fetchKeys if given, key sets are requested with it, and only when a token needs them
 * @throws StartError
 */
export async function optionsToTokenRules(
  options: TokenOptions,
  log: (line: string) => void,
  fetchKeys?: FetchKeys,
): Promise<TokenRules> {
  refuseConflicts(options);
  const scope = parseScope(options.scope);
  const now = (): number => Date.now();
  const denied = options.deny === undefined ? undefined : await denyListIn(options.deny, log);
  if (options.dev) {
    // Loaded only here: it reads the file system.
    const { DEV_AUDIENCE, DEV_ISSUER, devJwks } = await import('../auth/dev-key.ts');
    const keys = fixedKeys(jwksToKeySet(await devJwks()));
    return { issuers: new Map([[DEV_ISSUER, keys]]), audience: DEV_AUDIENCE, scope, denied, now };
  }
  const { issuer: names = [], jwks: locations = [], secret, audience } = options;
  const keys = secret ? 1 : locations.length;
  const given = { '--issuer': names.length, '--audience': audience, '--jwks or --secret': keys };
  const missing = Object.entries(given).filter(([, value]) => !value);
  if (missing.length > 0 || !audience)
    throw new OptionError(
      'no token issuer is configured',
      `missing ${missing.map(([name]) => name).join(', ')}`,
      'set --issuer, --audience and --jwks (or BOUNDARIES_ISSUER and so on), or use --public to serve everybody, or --dev to try the service locally',
    );
  if (names.length !== keys || new Set(names).size !== names.length)
    throw new OptionError(
      'issuers and key sets do not match',
      `${names.length} --issuer, ${secret ? '--secret' : `${locations.length} --jwks`}`,
      'give each issuer once, and one --jwks for each in the same order; --secret has exactly one issuer',
    );
  const issuers = new Map<string, KeySource>();
  for (const [i, name] of names.entries()) {
    const location = locations[i];
    if (location !== undefined) issuers.set(name, await keysAt(location, options, log, fetchKeys));
    else if (secret) issuers.set(name, secretKeys(secret));
  }
  return { issuers, audience, scope, denied, now };
}

/**
 * Refuses every option of tokens: --public is all or nothing.
 * @throws OptionError that names them
 */
export function refuseTokenOptions(options: TokenOptions & Pick<ServeOptions, 'logSubject' | 'signInHelp'>): void {
  const { dev, deny, issuer, audience, jwks, jwksHttp, secret, scope, logSubject, signInHelp } = options;
  const flags = { dev: dev || undefined, 'log-subject': logSubject || undefined };
  // The command line gives these their defaults.
  const given = (option: 'jwks-cache' | 'jwks-stale' | 'jwks-cooldown', text: string | undefined) => ({
    [option]: text === SERVE_OPTIONS[option].default ? undefined : text,
  });
  const durations = {
    ...given('jwks-cache', options.jwksCache),
    ...given('jwks-stale', options.jwksStale),
    ...given('jwks-cooldown', options.jwksCooldown),
  };
  const texts = { issuer, audience, jwks, 'jwks-http': jwksHttp, secret, deny, scope, 'sign-in-help': signInHelp };
  const names = Object.entries({ ...texts, ...durations, ...flags })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (names.length > 0)
    throw new OptionError(
      'a public service knows no tokens',
      `--public with ${names.join(', ')}`,
      'omit --public, or omit the other options',
    );
}

/** @throws StartError if options cannot be combined */
function refuseConflicts({ dev, issuer, audience, jwks, secret }: TokenOptions): void {
  const given = Object.entries({ issuer, audience, jwks, secret })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (dev && given.length > 0)
    throw new OptionError(
      'development tokens exclude other issuers',
      `--dev with ${given.join(', ')}`,
      'omit --dev, or omit the other options',
    );
  if (jwks !== undefined && secret !== undefined)
    throw new OptionError(
      'two kinds of keys are configured',
      '--jwks with --secret',
      'use --jwks for public keys, or --secret for a shared secret (HS256)',
    );
}

function secretKeys(secret: string): KeySource {
  try {
    return fixedKeys(secretToKeySet(secret));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new OptionError(error.message, '--secret', 'use a longer one: 32 random bytes or more');
  }
}

/** Characters of a value that are shown in a message, where it is no path and no URL: it may be all keys. */
const SHOWN_CHARS = 40;

/** The keys of a set that is given as its text. @throws OptionError */
function keysIn(text: string): KeySource {
  try {
    const keys = jwksToKeySet(text);
    if (keys.size === 0) throw new FormatError('key set', 'no usable key');
    return fixedKeys(keys);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new OptionError(
      `the key set cannot be used: ${error.message}`,
      `--jwks ${text.slice(0, SHOWN_CHARS)}...`,
      "give the issuer's whole JSON Web Key Set (public keys only), a file that has it, or its URL",
    );
  }
}

/** A key set file must be valid at the start; a URL may become reachable later. */
async function keysAt(
  location: KeyLocation,
  options: TokenOptions,
  log: (line: string) => void,
  fetchKeys: FetchKeys | undefined,
): Promise<KeySource> {
  if (typeof location === 'function')
    return new RotatingKeys({ name: 'of the option jwks', read: location }, urlPolicy(options), log);
  if (typeof location === 'object') return keysIn(JSON.stringify(location));
  if (location.trimStart().startsWith('{')) return keysIn(location.trim());
  if (/^https?:/i.test(location)) {
    const url = parseKeySetUrl(location, options.jwksHttp);
    const read = (): Promise<string> => (fetchKeys ?? fetchKeySet)(url);
    const keys = new RotatingKeys({ name: url.href, read }, urlPolicy(options), log);
    // Requested at once, so that the first client does not wait.
    if (fetchKeys === undefined) keys.load().catch(() => {});
    return keys;
  }
  const keys = new RotatingKeys({ name: location, read: () => readKeySet(location) }, FILE_POLICY, log);
  const loaded = await keys.load().catch(() => undefined);
  // Later an empty set withdraws every key; at the start it is a mistake.
  if (loaded === undefined || loaded.size === 0)
    throw new StartError(
      `the key set cannot be used: ${keys.lastError || 'no usable key'}`,
      `--jwks ${location}`,
      "use a file with the issuer's JSON Web Key Set (public keys only), or its URL",
    );
  return keys;
}

function urlPolicy({ jwksCache, jwksStale, jwksCooldown }: TokenOptions): KeyPolicy {
  const ms = (
    option: 'jwks-cache' | 'jwks-stale' | 'jwks-cooldown',
    text: string = SERVE_OPTIONS[option].default,
  ): number => 1000 * durationToSeconds(text, `--${option}`);
  const policy = {
    cacheMs: ms('jwks-cache', jwksCache),
    staleMs: ms('jwks-stale', jwksStale),
    cooldownMs: ms('jwks-cooldown', jwksCooldown),
  };
  if (policy.cooldownMs <= policy.cacheMs) return policy;
  // Between two requests a revoked key would work for longer than --jwks-cache says.
  throw new OptionError(
    'longer than --jwks-cache',
    `--jwks-cooldown ${jwksCooldown ?? SERVE_OPTIONS['jwks-cooldown'].default}`,
    'use a shorter --jwks-cooldown, or a longer --jwks-cache',
  );
}

/**
 * Anyone who can change the key set in transit can sign tokens: TLS is required except on a loopback address, and of
 * hosts that the operator names.
 */
function parseKeySetUrl(text: string, trusted: readonly string[] = []): URL {
  const { protocol = '', host = '', hostname = '' } = URL.canParse(text) ? new URL(text) : {};
  const isTrusted = trusted.some((name) => [host, hostname].includes(name.toLowerCase()));
  const inOwnNetwork = `; in a network of your own, such as that of a compose file, name its host: --jwks-http ${hostname}; or give the keys as a file`;
  const remedy = `use an https:// URL without user name and password${protocol === 'http:' ? inOwnNetwork : ''}`;
  return parseUrl(text, '--jwks', remedy, (url) => isTrusted || isPrivate(url));
}

/** The characters of one scope (RFC 6749 section 3.3): it appears in the WWW-Authenticate header. */
function parseScope(scope: string | undefined): string | undefined {
  if (scope === undefined || /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) return scope;
  throw new OptionError('invalid scope', `--scope ${scope}`, 'use one scope without spaces, quotes and backslashes');
}
