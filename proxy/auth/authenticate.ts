// Who may ask: bearer tokens (RFC 6750) that are JWTs signed by a known key (RFC 7519, RFC 8725).
// The only file that knows jose. Where keys come from is injected.
import { createSecretKey } from 'node:crypto';
import type { JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet, decodeJwt, errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { FormatError, type JsonObject } from '../../format/parse.ts';
import { scopeMissing, tokenInvalid, tokenMissing } from './challenge.ts';
import { ASYMMETRIC_ALGORITHMS, publicKeysIn } from './key-set.ts';
import { TokenMemory } from './token-cache.ts';

/** Keys that tokens may be signed with. */
export interface KeySet {
  /** JWS algorithm names; a token that names any other is refused before a key is looked for. */
  algorithms: readonly string[];
  /** Finds the key for a token's header. */
  find: JWTVerifyGetKey;
}

/** The keys of one issuer, which may change. What it throws is no fault of the token: it is not answered with 401. */
export interface KeySource {
  /** The set to verify with now; the same object as long as nothing changed. */
  current(): KeySet | Promise<KeySet>;
  /** The set to try when a token's key is not in `known`; `known` itself when there is no newer one. */
  after(known: KeySet): Promise<KeySet>;
}

/** What a token must say. */
export interface TokenRules {
  /** Who may have issued it, by the exact text of `iss`, and with which keys. */
  issuers: ReadonlyMap<string, KeySource>;
  audience: string;
  /** A scope that the token must have; undefined asks for none. */
  scope: string | undefined;
  now: () => Date;
}

/** What a minted token says. */
export interface TokenClaims {
  issuer: string;
  audience: string;
  subject: string;
  /** Space-separated; undefined leaves the claim out. */
  scope: string | undefined;
  lifetimeSeconds: number;
}

/** Whoever sent a good token. */
export interface Bearer {
  /** Its `sub`; undefined where it has none. */
  subject: string | undefined;
}

/**
 * Checks the value of an Authorization header; throws a Problem unless it holds a valid token.
 * @param metadataUrl stands in the challenge of a refusal
 */
export type Authenticate = (authorization: string | undefined, metadataUrl?: string) => Promise<Bearer>;

const TOKEN_MAX_CHARS = 8 * 1024;
/** Three parts in base64url (RFC 7515 section 7.1); decoders forgive white space and padding, which nobody signs. */
const TOKEN_FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const CLOCK_TOLERANCE_SECONDS = 30;
/** RFC 7518 section 3.2. */
const SECRET_MIN_BYTES = 32;

/** A token that was verified, and by what. */
interface Verified {
  claims: JsonObject;
  source: KeySource;
  keys: KeySet;
}

/** Makes the check for these rules: 401 without a valid token, 403 with one that lacks the scope. */
export function authenticator(rules: TokenRules): Authenticate {
  const memory = new TokenMemory<Verified>();
  return async (authorization, metadataUrl) => {
    const token = tokenIn(authorization);
    if (token === undefined) throw tokenMissing(metadataUrl);
    const nowMs = rules.now().getTime();
    let verified = memory.find(token, nowMs);
    // What was verified by keys that are no longer the issuer's is verified anew.
    if (verified === undefined || (await verified.source.current()) !== verified.keys) {
      memory.drop(token);
      verified = await verify(token, rules);
      if (verified === undefined) throw tokenInvalid(metadataUrl);
      memory.keep(token, verified, Number(verified.claims['exp']) * 1000);
    }
    const { claims } = verified;
    if (rules.scope !== undefined && !scopesOf(claims).includes(rules.scope))
      throw scopeMissing(rules.scope, metadataUrl);
    return { subject: typeof claims['sub'] === 'string' ? claims['sub'] : undefined };
  };
}

/**
 * The keys of a JSON Web Key Set (RFC 7517) that can verify signatures.
 * @param where its name, for messages
 * @throws FormatError when it holds a private key, or no usable one
 */
export function keysFromJwks(text: string, where: string): KeySet {
  const keys = publicKeysIn(text, where).map((key) => ({ ...key, kty: String(key['kty']) }));
  return { algorithms: ASYMMETRIC_ALGORITHMS, find: createLocalJWKSet({ keys }) };
}

/**
 * The one key that is a secret shared with the issuer (HS256).
 * @throws FormatError when it is too short to be one
 */
export function keysFromSecret(secret: string): KeySet {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < SECRET_MIN_BYTES)
    throw new FormatError('secret', `is ${bytes.length} bytes, expected at least ${SECRET_MIN_BYTES}`);
  const key = createSecretKey(bytes);
  return { algorithms: ['HS256'], find: () => key };
}

/**
 * Signs a token with a private key (a JWK with `alg` and `kid`).
 * @param now when the token begins to be valid
 */
export async function mintToken(key: JsonObject, claims: TokenClaims, now: Date): Promise<string> {
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
function tokenIn(authorization: string | undefined): string | undefined {
  const space = authorization?.indexOf(' ') ?? -1;
  if (authorization === undefined || space === -1 || authorization.slice(0, space).toLowerCase() !== 'bearer')
    return undefined;
  return authorization.slice(space).trim();
}

/** Undefined when the token is at fault; every other fault is thrown. */
async function verify(token: string, rules: TokenRules): Promise<Verified | undefined> {
  if (token.length > TOKEN_MAX_CHARS || !TOKEN_FORM.test(token)) return undefined;
  try {
    // Not to be believed yet; it only says whose keys to try.
    const { iss } = decodeJwt(token);
    const source = iss === undefined ? undefined : rules.issuers.get(iss);
    if (iss === undefined || source === undefined) return undefined;
    const keys = await source.current();
    try {
      return { claims: await claimsOf(token, keys, iss, rules), source, keys };
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    const newer = await source.after(keys);
    if (newer === keys) return undefined;
    return { claims: await claimsOf(token, newer, iss, rules), source, keys: newer };
  } catch (error) {
    if (isTokenError(error)) return undefined;
    throw error;
  }
}

async function claimsOf(token: string, keys: KeySet, issuer: string, rules: TokenRules): Promise<JsonObject> {
  const { payload } = await jwtVerify(token, keys.find, {
    algorithms: [...keys.algorithms],
    issuer,
    audience: rules.audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: rules.now(),
  });
  return payload;
}

const TOKEN_ERRORS: ReadonlySet<string> = new Set(
  [
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSMultipleMatchingKeys,
    errors.JWKSNoMatchingKey,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JWTClaimValidationFailed,
    errors.JWTExpired,
    errors.JWTInvalid,
  ].map((kind) => kind.code),
);

/** Is this the token's fault? Anything else is ours, or that of whoever publishes the keys. */
function isTokenError(error: unknown): boolean {
  return error instanceof errors.JOSEError && TOKEN_ERRORS.has(error.code);
}

/** `scope` is a space-separated text (RFC 8693 section 4.2); some issuers write a list, `scp`, instead. */
function scopesOf(claims: JsonObject): readonly unknown[] {
  if (typeof claims['scope'] === 'string') return claims['scope'].split(' ');
  return Array.isArray(claims['scp']) ? claims['scp'] : [];
}
