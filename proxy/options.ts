// The command line's options become typed settings once, here; what is wrong with one stops the start.
import { readFile } from 'node:fs/promises';
import { FormatError } from '../format/parse.ts';
import type { KeySource, TokenRules } from './auth.ts';
import { keysFromJwks, keysFromSecret } from './auth.ts';
import { DEV_AUDIENCE, DEV_ISSUER, devKey, publicKeySet, refuseUnlessLoopback } from './dev.ts';
import { StartError } from './failure.ts';

/** The options of `serve`, as given. */
export interface ServeOptions {
  origin: string;
  host: string;
  port: number;
  publicUrl: string | undefined;
  /** Path of a key set. */
  jwks: string | undefined;
  secret: string | undefined;
  issuer: string | undefined;
  audience: string | undefined;
  scope: string | undefined;
  dev: boolean | undefined;
}

/** What they come to. */
export interface Settings {
  host: string;
  port: number;
  /** Without a slash at the end. */
  publicUrl: string | undefined;
  rules: TokenRules;
}

const PORT_MAX = 65_535;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** @throws StartError */
export async function settingsFrom(options: ServeOptions): Promise<Settings> {
  const { host, port } = options;
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    throw new StartError('The port is not a port number', '--port', `give a whole number from 0 to ${PORT_MAX}`);
  if (options.dev) refuseUnlessLoopback(host);
  return { host, port, publicUrl: publicUrlFrom(options.publicUrl), rules: await rulesFrom(options) };
}

/**
 * A length of time such as 90s, 15m, 24h or 7d, in seconds.
 * @throws StartError
 */
export function secondsFrom(text: string): number {
  const [, digits, unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new StartError('Not a length of time', `--expires ${text}`, 'give a number and a unit: 90s, 15m, 24h, 7d');
}

async function rulesFrom(options: ServeOptions): Promise<TokenRules> {
  const scope = scopeFrom(options.scope);
  const now = (): Date => new Date();
  if (options.dev) {
    const keys = keysFromJwks(publicKeySet(await devKey()), 'development key');
    return { keys, issuer: DEV_ISSUER, audience: DEV_AUDIENCE, scope, now };
  }
  const { issuer, audience } = options;
  if (!issuer || !audience || (!options.jwks && !options.secret))
    throw new StartError(
      'It is not said which tokens are valid',
      '--jwks or --secret, --issuer, --audience',
      'give all three (or BOUNDARIES_JWKS and so on in the environment), or --dev to try things on this machine',
    );
  return { keys: await keysFrom(options), issuer, audience, scope, now };
}

async function keysFrom({ jwks, secret }: ServeOptions): Promise<KeySource> {
  try {
    if (!jwks) return keysFromSecret(secret ?? '');
    return keysFromJwks(await readFile(jwks, 'utf8'), jwks);
  } catch (error) {
    const where = jwks ? `--jwks ${jwks}` : '--secret';
    if (error instanceof FormatError)
      throw new StartError(
        error.message,
        where,
        jwks ? "give the issuer's public key set" : 'give a longer one: 32 random bytes or more',
      );
    throw new StartError('The key set cannot be read', where, 'give a file that holds a JSON Web Key Set');
  }
}

/** The characters of a scope (RFC 6749 section 3.3): it stands in a header when it is missing from a token. */
function scopeFrom(scope: string | undefined): string | undefined {
  if (scope === undefined || /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) return scope;
  throw new StartError('Not a scope', `--scope ${scope}`, 'give one scope: no space, quote or backslash');
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
