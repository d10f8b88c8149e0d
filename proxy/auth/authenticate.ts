// Authentication with bearer tokens (RFC 6750): JWTs signed with a key of a configured issuer (RFC 7519, RFC 8725), and
// the challenges of refusals. Key sources and the clock are injected.
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { decodeJwt, errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { Problem, type ProblemCode } from '../http/problem.ts';
import type { HttpRequest, Principal, Principals } from '../http/request.ts';
import { errorToFault, type TokenFault } from './token-fault.ts';

/** Keys that verify tokens. */
export interface KeySet {
  /** JWS algorithm names; a token with any other is refused before a key is looked up. */
  algorithms: readonly string[];
  /** Number of keys; with none, no token is valid. */
  size: number;
  /** The names of the keys that have one, for the log. */
  kids: readonly string[];
  /** The key for the header of a token. */
  getKey: JWTVerifyGetKey;
}

/** The keys of one issuer, which may change. Its errors are not errors of the token: they do not lead to 401. */
export interface KeySource {
  /** The set as far as it is known without waiting; the same object as long as the keys do not change. */
  known(): KeySet | undefined;
  /**
   * The current set.
   * @param other lacks the key of a token: a newer set, or itself if there is none
   * @throws Problem keys-unavailable
   */
  load(other?: KeySet): Promise<KeySet>;
  /** Milliseconds since they were read; undefined if they never change. */
  readonly ageMs?: () => number;
}

/** The `sub` and `jti` of tokens that are refused although they are valid. */
export type DenyList = ReadonlySet<string>;

/** The requirements for a token. */
export interface TokenRules {
  /** Accepted issuers by the exact text of `iss`. */
  issuers: ReadonlyMap<string, KeySource>;
  audience: string;
  /** The required scope; undefined if none is required. */
  scope: string | undefined;
  /** Undefined if no token is refused by name. A changed list is another object. */
  denied?: { known(): DenyList | undefined; load(): Promise<DenyList> } | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** The longest token. */
export const TOKEN_MAX_CHARS: number = 8 * 1024;
/**
 * Three base64url parts (RFC 7515 section 7.1), without the white space and padding that decoders accept. 77u_ is the
 * byte order mark, which JSON must not begin with (RFC 8259 section 8.1) and decoders skip.
 */
const TOKEN_FORM = /^(?!77u_)[A-Za-z0-9_-]+\.(?!77u_)[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Other types are tokens for another purpose, such as logout+jwt (RFC 8725 section 3.11). */
const TOKEN_TYPES: readonly string[] = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];
/** The end of the year 9999, in seconds since 1970. */
export const EXPIRY_MAX_SECONDS = 253_402_300_799;
const CLOCK_TOLERANCE_SECONDS = 30;
/** Keys of one issuer that are tried for a token that names none. */
const KEYS_MAX = 4;
const MS_PER_SECOND = 1000;
const CHALLENGE = 'Bearer realm="boundaries"';
const MISSING = 'Send a token in the header: Authorization: Bearer <token>.';
// Both descriptions are fixed: which check failed would only help an attacker.
const INVALID = 'The token is expired, damaged, or not meant for this service.';
const INVALID_ATTRIBUTES = ', error="invalid_token", error_description="The token is not valid for this service"';

/** What is remembered of a verified token, and the keys that verified it. */
interface VerifiedToken extends Principal {
  hasScope: boolean;
  notBeforeMs: number;
  expiresMs: number;
  source: KeySource;
  keys: KeySet;
  /** The list that it is not on. */
  denied: DenyList | undefined;
}

/** The token, or what is wrong with it. */
type Verification = VerifiedToken | TokenFault;

/** Characters of all remembered headers; those that were not used for longest are forgotten first. */
const REMEMBERED_MAX_CHARS = 8 * 1024 * 1024;

/** Checks the values of Authorization headers, and remembers those that are valid. */
export class Authenticator implements Principals {
  readonly #rules: TokenRules;
  /** Verified tokens by the text of the header: a repeated token costs a look-up instead of a signature check. */
  readonly #tokens: LRUCache<string, VerifiedToken>;

  constructor(rules: TokenRules, maxChars: number = REMEMBERED_MAX_CHARS) {
    this.#rules = rules;
    this.#tokens = new LRUCache({
      maxSize: maxChars,
      sizeCalculation: ({ id }, header) => header.length + id.length,
    });
  }

  /** The client of a remembered token; undefined if the token must be verified. */
  known({ headers: { authorization } }: Pick<HttpRequest, 'headers'>): Principal | undefined {
    const token = authorization === undefined ? undefined : this.#tokens.get(authorization);
    if (token === undefined) return undefined;
    const now = this.#rules.now();
    // The clock may have been ahead when the token was verified.
    if (now < token.notBeforeMs || now >= token.expiresMs) return undefined;
    // Verified again once the issuer's keys or the deny list have changed: its key may have been revoked, or itself.
    const isKnown = token.source.known() === token.keys && this.#rules.denied?.known() === token.denied;
    return isKnown ? token : undefined;
  }

  async verify({ headers }: Pick<HttpRequest, 'headers'>, metadataUrl: () => string | undefined): Promise<Principal> {
    const { authorization } = headers;
    const token = bearerToken(authorization);
    if (authorization === undefined || token === undefined) throw refusal('missing', MISSING, '', metadataUrl());
    this.#tokens.delete(authorization);
    const verified = await verify(token, this.#rules);
    if (typeof verified === 'string') throw refusal(verified, INVALID, INVALID_ATTRIBUTES, metadataUrl());
    const { scope } = this.#rules;
    if (scope !== undefined && !verified.hasScope) {
      const attributes = `, error="insufficient_scope", scope="${scope}"`;
      throw refusal('scope', `The token lacks the required scope ${scope}.`, attributes, metadataUrl());
    }
    this.#tokens.set(authorization, verified);
    return verified;
  }
}

/** The token of `Bearer <token>`. Another scheme counts as no token (RFC 6750 section 3.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const space = authorization.indexOf(' ');
  if (space === -1 || authorization.slice(0, space).toLowerCase() !== 'bearer') return undefined;
  return authorization.slice(space).trim();
}

/** What is wrong with the token if it is not valid; every other error is thrown. */
async function verify(token: string, rules: TokenRules): Promise<Verification> {
  if (token.length > TOKEN_MAX_CHARS) return 'too-long';
  if (!TOKEN_FORM.test(token)) return 'malformed';
  try {
    // Not verified yet: it only selects the keys to verify with.
    const { iss, exp } = decodeJwt(token);
    // Nor is this: an expired token is refused without the cost of its signature.
    if (exp === undefined) return 'expiry';
    if ((exp + CLOCK_TOLERANCE_SECONDS) * MS_PER_SECOND <= rules.now()) return 'expired';
    const source = iss === undefined ? undefined : rules.issuers.get(iss);
    if (iss === undefined || source === undefined) return 'issuer';
    const [keys, denied] = await Promise.all([source.load(), rules.denied?.load()]);
    try {
      return await verifyWithAny(token, { source, keys, denied, issuer: iss }, rules);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    const newer = await source.load(keys);
    if (newer === keys) return 'unknown-key';
    return await verifyWithAny(token, { source, keys: newer, denied, issuer: iss }, rules);
  } catch (error) {
    const fault = errorToFault(error);
    if (fault !== undefined) return fault;
    throw error;
  }
}

/** The issuer that a token names, and its keys. */
type NamedIssuer = Pick<VerifiedToken, 'source' | 'keys' | 'denied'> & { issuer: string };

/** Verifies with the key that the token names; where it names none and several fit, with each of them. */
async function verifyWithAny(token: string, known: NamedIssuer, rules: TokenRules): Promise<Verification> {
  try {
    return await verifyWith(token, known, known.keys.getKey, rules);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (tried++ === KEYS_MAX) break;
      try {
        return await verifyWith(token, known, async () => key, rules);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    return 'signature';
  }
}

/** What is wrong if claims or header are not acceptable. */
async function verifyWith(
  token: string,
  known: NamedIssuer,
  getKey: KeySet['getKey'],
  rules: TokenRules,
): Promise<Verification> {
  const { payload, protectedHeader } = await jwtVerify(token, getKey, {
    algorithms: [...known.keys.algorithms],
    issuer: known.issuer,
    audience: rules.audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(rules.now()),
  });
  const { exp, nbf = 0, sub, jti } = payload;
  // 1e999 is JSON, and Infinity in JavaScript.
  if (exp === undefined || exp > EXPIRY_MAX_SECONDS) return 'expiry';
  // Whatever its type says, it is any JSON.
  const { typ, kid }: { typ?: unknown; kid?: string | undefined } = protectedHeader;
  if (typ !== undefined && !(typeof typ === 'string' && TOKEN_TYPES.includes(typ.toLowerCase()))) return 'type';
  const hasScope = rules.scope !== undefined && scopesIn(payload).includes(rules.scope);
  const subject = typeof sub === 'string' ? sub : undefined;
  const tokenId = typeof jti === 'string' ? jti : undefined;
  const { source, keys, denied, issuer } = known;
  const names = [subject ?? payload['client_id'] ?? payload['azp'], tokenId];
  if (names.some((name) => typeof name === 'string' && denied?.has(name.trim()))) return 'denied';
  // An object is no subject: a client without one is never another client whose subject has the same text.
  const id = JSON.stringify([issuer, subject ?? { client_id: payload['client_id'] ?? payload['azp'] }]);
  const [notBeforeMs, expiresMs] = [nbf * MS_PER_SECOND, exp * MS_PER_SECOND];
  return { source, keys, denied, subject, id, kid, tokenId, hasScope, notBeforeMs, expiresMs };
}

/** `scope` is space-separated text (RFC 8693 section 4.2); some issuers write `scp`, as text or as a list, instead. */
function scopesIn({ scope, scp }: JWTPayload): readonly unknown[] {
  const scopes = typeof scope === 'string' ? scope : scp;
  if (typeof scopes === 'string') return scopes.split(' ');
  return Array.isArray(scopes) ? scopes : [];
}

/** The problems of what is not `token-invalid`. */
const CODES: ReadonlyMap<TokenFault, ProblemCode> = new Map([
  ['missing', 'token-missing'],
  ['scope', 'scope-missing'],
]);

/** The problem with its WWW-Authenticate challenge (RFC 6750 section 3, RFC 9728 section 5.1). */
function refusal(fault: TokenFault, detail: string, attributes: string, metadataUrl: string | undefined): Problem {
  const metadata = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`;
  const headers = { 'WWW-Authenticate': `${CHALLENGE}${attributes}${metadata}` };
  return new Problem(CODES.get(fault) ?? 'token-invalid', detail, headers, fault);
}
