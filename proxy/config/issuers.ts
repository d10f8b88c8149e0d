// Which tokens are valid, from the options: issuers, and where the keys of each are.
import { FormatError } from '../../format/parse.ts';
import type { KeySource, TokenRules } from '../auth/authenticate.ts';
import { keysFromJwks, keysFromSecret } from '../auth/authenticate.ts';
import { DEV_AUDIENCE, DEV_ISSUER, devKey, publicKeySet } from '../auth/dev-key.ts';
import { fetchKeySet, readKeySet } from '../auth/key-set.ts';
import type { KeyPolicy } from '../auth/rotating-keys.ts';
import { fixedKeys, RotatingKeys } from '../auth/rotating-keys.ts';
import { secondsFrom } from './duration.ts';
import { StartError } from './start-error.ts';

/** The options about tokens, as given. */
export interface TokenOptions {
  issuer: readonly string[] | undefined;
  /** Files or URLs, one an issuer, in the same order. */
  jwks: readonly string[] | undefined;
  jwksCache: string;
  jwksStale: string;
  jwksCooldown: string;
  secret: string | undefined;
  audience: string | undefined;
  scope: string | undefined;
  dev: boolean | undefined;
}

/** A file is looked at this often, and the set in it is good until another one stands there. */
const FILE_POLICY: KeyPolicy = { cacheMs: 1_000, staleMs: Number.POSITIVE_INFINITY, cooldownMs: 250 };

/**
 * The rules that the options come to.
 * @param log gets a line when keys can no longer be read, and when they can again
 * @throws StartError
 */
export async function tokenRulesFrom(options: TokenOptions, log: (line: string) => void): Promise<TokenRules> {
  const scope = scopeFrom(options.scope);
  const now = (): Date => new Date();
  if (options.dev) {
    const keys = fixedKeys(keysFromJwks(publicKeySet(await devKey()), 'development key'));
    return { issuers: new Map([[DEV_ISSUER, keys]]), audience: DEV_AUDIENCE, scope, now };
  }
  const { issuer: names = [], jwks: places = [], secret, audience } = options;
  if (names.length === 0 || !audience || (places.length === 0 && !secret))
    throw new StartError(
      'It is not said which tokens are valid',
      '--jwks or --secret, --issuer, --audience',
      'give all three (or BOUNDARIES_JWKS and so on in the environment), or --dev to try things on this machine',
    );
  if (names.length !== (secret ? 1 : places.length) || new Set(names).size !== names.length)
    throw new StartError(
      'It is not said which keys are whose',
      `${names.length} --issuer, ${secret ? '--secret' : `${places.length} --jwks`}`,
      'give each issuer once, and one --jwks for each, in the same order; a --secret has one issuer',
    );
  const issuers = new Map<string, KeySource>();
  for (const [i, name] of names.entries()) {
    const place = places[i];
    issuers.set(name, place === undefined ? secretKeys(secret ?? '') : await keysAt(place, options, log));
  }
  return { issuers, audience, scope, now };
}

function secretKeys(secret: string): KeySource {
  try {
    return fixedKeys(keysFromSecret(secret));
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new StartError(error.message, '--secret', 'give a longer one: 32 random bytes or more');
  }
}

/** Keys at a URL may come later; a file must be there. */
async function keysAt(place: string, options: TokenOptions, log: (line: string) => void): Promise<KeySource> {
  const parse = (text: string) => keysFromJwks(text, 'set');
  if (/^https?:/i.test(place)) {
    const url = keysUrl(place);
    const policy = {
      cacheMs: 1000 * secondsFrom(options.jwksCache, '--jwks-cache'),
      staleMs: 1000 * secondsFrom(options.jwksStale, '--jwks-stale'),
      cooldownMs: 1000 * secondsFrom(options.jwksCooldown, '--jwks-cooldown'),
    };
    const keys = new RotatingKeys({ where: url.href, read: () => fetchKeySet(url), parse }, policy, log);
    // Asked for at once, so that the first request need not wait.
    Promise.resolve(keys.current()).catch(() => {});
    return keys;
  }
  const keys = new RotatingKeys({ where: place, read: () => readKeySet(place), parse }, FILE_POLICY, log);
  await Promise.resolve(keys.current()).catch(() => {
    throw new StartError(
      `The key set is of no use: ${keys.complaint}`,
      `--jwks ${place}`,
      "give a file that holds the issuer's public key set, a JSON Web Key Set, or the URL of it",
    );
  });
  return keys;
}

/** Whoever can change the keys on their way can sign tokens, so they come encrypted or from this machine. */
function keysUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(localhost|\[::1\]|127(\.[0-9]{1,3}){3})$/.test(url.hostname);
  if (url && !url.username && !url.password && (url.protocol === 'https:' || isLocal)) return url;
  throw new StartError(
    'Not a URL that keys can be had from',
    '--jwks',
    'give an https:// URL without a password in it',
  );
}

/** The characters of a scope (RFC 6749 section 3.3): it stands in a header when it is missing from a token. */
function scopeFrom(scope: string | undefined): string | undefined {
  if (scope === undefined || /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) return scope;
  throw new StartError('Not a scope', `--scope ${scope}`, 'give one scope: no space, quote or backslash');
}
