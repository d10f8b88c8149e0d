// Authentication with bearer tokens (RFC 6750): JWTs signed with a key of a configured issuer (RFC 7519, RFC 8725).
// The only file that imports jose. Key sources and the clock are injected.
import { createSecretKey } from 'node:crypto';
import type { JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet, decodeJwt, errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { FormatError, type JsonObject } from '../../format/parse.ts';
import { scopeMissing, tokenInvalid, tokenMissing } from './challenge.ts';
import { ASYMMETRIC_ALGORITHMS, usableKeys } from './key-set.ts';
import { TokenCache } from './token-cache.ts';

/** Keys that verify tokens. */
export interface KeySet {
  /** JWS algorithm names; a token with any other is refused before a key is looked up. */
  algorithms: readonly string[];
  /** The key for the header of a token. */
  getKey: JWTVerifyGetKey;
}

/** The keys of one issuer, which may change. Its errors are not errors of the token: they do not lead to 401. */
export interface KeySource {
  /** The current set; the same object as long as the keys do not change. */
  current(): KeySet | Promise<KeySet>;
  /** A set to try if `known` lacks the key of a token; `known` itself if there is no newer one. */
  newerThan(known: KeySet): Promise<KeySet>;
}

/** The requirements for a token. */
export interface TokenRules {
  /** Accepted issuers by the exact text of `iss`. */
  issuers: ReadonlyMap<string, KeySource>;
  audience: string;
  /** The required scope; undefined if none is required. */
  scope: string | undefined;
  now: () => Date;
}

/** The claims of a token to sign. */
export interface TokenClaims {
  issuer: string;
  audience: string;
  subject: string;
  /** Space-separated; undefined omits the claim. */
  scope: string | undefined;
  lifetimeSeconds: number;
}

/** The client that a valid token identifies. */
export interface Principal {
  /** The `sub` of the token; undefined if it has none. */
  subject: string | undefined;
}

/**
 * Checks the value of an Authorization header.
 * @param metadataUrl is named in the challenge of a refusal
 * @throws Problem token-missing, token-invalid, scope-missing
 * @throws KeysUnavailableError
 */
export type Authenticate = (authorization: string | undefined, metadataUrl?: string) => Promise<Principal>;

const TOKEN_MAX_CHARS = 8 * 1024;
/** Three base64url parts (RFC 7515 section 7.1), without the white space and padding that decoders accept. */
const TOKEN_FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const CLOCK_TOLERANCE_SECONDS = 30;
/** RFC 7518 section 3.2. */
const SECRET_MIN_BYTES = 32;

/** A verified token, and the keys that verified it. */
interface VerifiedToken {
  claims: JsonObject;
  source: KeySource;
  keys: KeySet;
}

/** Creates the check for these rules. */
export function authenticator(rules: TokenRules): Authenticate {
  const cache = new TokenCache<VerifiedToken>();
  return async (authorization, metadataUrl) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw tokenMissing(metadataUrl);
    const nowMs = rules.now().getTime();
    let verified = cache.get(token, nowMs);
    // Verified again once the issuer's keys have changed: its key may have been revoked.
    if (verified === undefined || (await verified.source.current()) !== verified.keys) {
      cache.delete(token);
      verified = await verify(token, rules);
      if (verified === undefined) throw tokenInvalid(metadataUrl);
      cache.set(token, verified, Number(verified.claims['exp']) * 1000);
    }
    const { claims } = verified;
    if (rules.scope !== undefined && !scopesIn(claims).includes(rules.scope))
      throw scopeMissing(rules.scope, metadataUrl);
    return { subject: typeof claims['sub'] === 'string' ? claims['sub'] : undefined };
  };
}

/**
 * The usable keys of a JSON Web Key Set (RFC 7517).
 * @param where name of the set, for messages
 * @throws FormatError if it contains a private or secret key, or no usable key
 */
export function jwksToKeySet(text: string, where: string): KeySet {
  const keys = usableKeys(text, where).map((key) => ({ ...key, kty: String(key['kty']) }));
  return { algorithms: ASYMMETRIC_ALGORITHMS, getKey: createLocalJWKSet({ keys }) };
}

/**
 * The key set of a secret shared with the issuer (HS256).
 * @throws FormatError if the secret is too short
 */
export function secretToKeySet(secret: string): KeySet {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < SECRET_MIN_BYTES)
    throw new FormatError('secret', `${bytes.length} bytes, expected at least ${SECRET_MIN_BYTES}`);
  const key = createSecretKey(bytes);
  return { algorithms: ['HS256'], getKey: () => key };
}

/**
 * Signs a token.
 * @param key private key, a JWK with `alg` and `kid`
 * @param now start of the token's lifetime
 */
export async function signToken(key: JsonObject, claims: TokenClaims, now: Date): Promise<string> {
  const algorithm = String(key['alg']);
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT(claims.scope === undefined ? {} : { scope: claims.scope })
    .setProtectedHeader({ alg: algorithm, kid: String(key['kid']), typ: 'JWT' })
    .setIssuer(claims.issuer)
    .setAudience(claims.audience)
    .setSubject(claims.subject)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + claims.lifetimeSeconds)
    .sign(await importJWK({ ...key, kty: String(key['kty']) }, algorithm));
}

/** The token of `Bearer <token>`. Another scheme counts as no token (RFC 6750 section 3.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const space = authorization.indexOf(' ');
  if (space === -1 || authorization.slice(0, space).toLowerCase() !== 'bearer') return undefined;
  return authorization.slice(space).trim();
}

/** Undefined if the token is not valid; every other error is thrown. */
async function verify(token: string, rules: TokenRules): Promise<VerifiedToken | undefined> {
  if (token.length > TOKEN_MAX_CHARS || !TOKEN_FORM.test(token)) return undefined;
  try {
    // Not verified yet: it only selects the keys to verify with.
    const { iss } = decodeJwt(token);
    const source = iss === undefined ? undefined : rules.issuers.get(iss);
    if (iss === undefined || source === undefined) return undefined;
    const keys = await source.current();
    try {
      return { claims: await verifiedClaims(token, keys, iss, rules), source, keys };
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    const newer = await source.newerThan(keys);
    if (newer === keys) return undefined;
    return { claims: await verifiedClaims(token, newer, iss, rules), source, keys: newer };
  } catch (error) {
    if (isTokenError(error)) return undefined;
    throw error;
  }
}

async function verifiedClaims(token: string, keys: KeySet, issuer: string, rules: TokenRules): Promise<JsonObject> {
  const { payload } = await jwtVerify(token, keys.getKey, {
    algorithms: [...keys.algorithms],
    issuer,
    audience: rules.audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: rules.now(),
  });
  return payload;
}

const TOKEN_ERRORS = [
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSMultipleMatchingKeys,
  errors.JWKSNoMatchingKey,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
] as const;

/** Is the token the cause? The cause of any other error is this program or the issuer. */
function isTokenError(error: unknown): boolean {
  return TOKEN_ERRORS.some((kind) => error instanceof kind);
}

/** `scope` is space-separated text (RFC 8693 section 4.2); some issuers write a list, `scp`, instead. */
function scopesIn(claims: JsonObject): readonly unknown[] {
  if (typeof claims['scope'] === 'string') return claims['scope'].split(' ');
  return Array.isArray(claims['scp']) ? claims['scp'] : [];
}
