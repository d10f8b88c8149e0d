// Tokens that are signed here, with the development key (dev-key.ts) or with a key pair of one's own
// (config/key-files.ts).
import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';

/** Ed25519 (RFC 8037): short signatures, no parameters to choose. */
export const SIGNING_ALGORITHM = 'EdDSA';
const MS_PER_SECOND = 1000;

/** What a token says. */
export interface TokenClaims {
  issuer: string;
  audience: string;
  subject: string;
  /** Separated by spaces; undefined omits the claim. */
  scope: string | undefined;
  lifetimeSeconds: number;
  /** By which this token alone can be withdrawn (`jti`). */
  tokenId: string;
}

/** A private key with the name that its tokens give it. */
export interface SigningKey {
  key: KeyObject;
  kid: string;
}

/** A token (RFC 7519) that is valid from now on. */
export function signToken({ key, kid }: SigningKey, claims: TokenClaims): Promise<string> {
  const { issuer, audience, subject, scope, lifetimeSeconds, tokenId } = claims;
  const now = Math.floor(Date.now() / MS_PER_SECOND);
  return new SignJWT(scope === undefined ? {} : { scope })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(tokenId)
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(key);
}

/** The name of a key follows from the key (RFC 7638), so the private file alone is enough to sign. */
export function kidOf(publicKey: KeyObject): Promise<string> {
  return calculateJwkThumbprint(publicKey);
}
