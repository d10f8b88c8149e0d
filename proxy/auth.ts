// Who may ask: bearer tokens (RFC 6750) that are JWTs signed by a known key (RFC 7519, RFC 8725).
// The only file that knows jose. Where keys come from is injected.
import { createPublicKey, createSecretKey } from 'node:crypto';
import type { JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet, errors, importJWK, jwtVerify, SignJWT } from 'jose';
import type { JsonObject } from '../format/parse.ts';
import { FormatError, listIn, objectFrom } from '../format/parse.ts';
import { Problem } from './problem.ts';

/** Keys that tokens may be signed with. */
export interface KeySource {
  /** JWS algorithm names; a token that names any other is refused before a key is looked for. */
  algorithms: readonly string[];
  /** Finds the key for a token's header. What it throws that is no fault of the token is not answered with 401. */
  key: JWTVerifyGetKey;
}

/** What a token must say. */
export interface TokenRules {
  keys: KeySource;
  issuer: string;
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

/** Checks the value of an Authorization header; throws a Problem unless it holds a valid token. */
export type Authenticate = (authorization: string | undefined) => Promise<void>;

const TOKEN_MAX_CHARS = 8 * 1024;
const CLOCK_TOLERANCE_SECONDS = 30;
const ASYMMETRIC_ALGORITHMS = ['EdDSA', 'ES256', 'RS256'];
// RFC 7518: section 3.2 for secrets, section 3.3 for RSA.
const SECRET_MIN_BYTES = 32;
const RSA_MIN_BITS = 2048;

const CHALLENGE = 'Bearer realm="boundaries"';

/** Makes the check for these rules: 401 without a valid token, 403 with one that lacks the scope. */
export function authenticator(rules: TokenRules): Authenticate {
  return async (authorization) => {
    const token = tokenIn(authorization);
    const claims = await verify(token, rules);
    if (rules.scope !== undefined && !scopesOf(claims).includes(rules.scope)) throw scopeMissing(rules.scope);
  };
}

/**
 * The keys of a JSON Web Key Set (RFC 7517) that can verify signatures.
 * @param where its name, for messages
 * @throws FormatError when it holds a private key, or no usable one
 */
export function keysFromJwks(text: string, where: string): KeySource {
  const keys = listIn(objectFrom(text, where), 'keys', where).map((entry, i) =>
    objectFrom(entry, `${where} keys[${i}]`),
  );
  const secret = keys.findIndex((key) => 'd' in key || 'k' in key);
  if (secret !== -1) throw new FormatError(`${where} keys[${secret}]`, 'is private, expected public keys only');
  const usable = keys.filter(isUsable);
  if (usable.length === 0)
    throw new FormatError(where, `no usable key, expected one for ${ASYMMETRIC_ALGORITHMS.join(', ')}`);
  return {
    algorithms: ASYMMETRIC_ALGORITHMS,
    key: createLocalJWKSet({ keys: usable.map((key) => ({ ...key, kty: String(key['kty']) })) }),
  };
}

/**
 * The one key that is a secret shared with the issuer (HS256).
 * @throws FormatError when it is too short to be one
 */
export function keysFromSecret(secret: string): KeySource {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < SECRET_MIN_BYTES)
    throw new FormatError('secret', `is ${bytes.length} bytes, expected at least ${SECRET_MIN_BYTES}`);
  const key = createSecretKey(bytes);
  return { algorithms: ['HS256'], key: () => key };
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
function tokenIn(authorization: string | undefined): string {
  const space = authorization?.indexOf(' ') ?? -1;
  if (authorization === undefined || space === -1 || authorization.slice(0, space).toLowerCase() !== 'bearer')
    throw new Problem('token-missing', 'Send a token in the header: Authorization: Bearer <token>.', {
      'WWW-Authenticate': CHALLENGE,
    });
  const token = authorization.slice(space).trim();
  if (token.length > TOKEN_MAX_CHARS) throw tokenInvalid();
  return token;
}

async function verify(token: string, rules: TokenRules): Promise<JsonObject> {
  try {
    const { payload } = await jwtVerify(token, rules.keys.key, {
      algorithms: [...rules.keys.algorithms],
      issuer: rules.issuer,
      audience: rules.audience,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: rules.now(),
    });
    return payload;
  } catch (error) {
    throw isTokenError(error) ? tokenInvalid() : error;
  }
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

function isUsable(key: JsonObject): boolean {
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: { ...key }, format: 'jwk' });
    if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_MIN_BITS;
    return asymmetricKeyType === 'ed25519' || asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

/** The description is fixed: telling which check failed helps only whoever forges tokens. */
function tokenInvalid(): Problem {
  return new Problem('token-invalid', 'The token is expired, damaged, or not meant for this service.', {
    'WWW-Authenticate': `${CHALLENGE}, error="invalid_token", error_description="The token is not valid here"`,
  });
}

function scopeMissing(scope: string): Problem {
  return new Problem('scope-missing', `The token must have the scope ${scope}.`, {
    'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  });
}
