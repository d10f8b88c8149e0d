// Why a token is refused, as a word for the access log and the metrics; the client does not learn it.
import { errors } from 'jose';

/** A token is refused for the first of these that is noticed; OPERATING.md says what each means. */
export const TOKEN_FAULTS = [
  'missing',
  'too-long',
  'malformed',
  'expiry',
  'expired',
  'issuer',
  'algorithm',
  'unknown-key',
  'signature',
  'audience',
  'not-yet-valid',
  'claim',
  'type',
  'denied',
  'scope',
] as const;

/** One of these. */
export type TokenFault = (typeof TOKEN_FAULTS)[number];

const FAULTS_OF_CLAIMS: ReadonlyMap<string, TokenFault> = new Map([
  ['aud', 'audience'],
  ['exp', 'expiry'],
  ['iss', 'issuer'],
]);

const FAULTS: ReadonlyMap<string, TokenFault> = new Map([
  [errors.JOSEAlgNotAllowed.code, 'algorithm'],
  [errors.JOSENotSupported.code, 'algorithm'],
  [errors.JWKSMultipleMatchingKeys.code, 'unknown-key'],
  [errors.JWKSNoMatchingKey.code, 'unknown-key'],
  [errors.JWSInvalid.code, 'malformed'],
  [errors.JWSSignatureVerificationFailed.code, 'signature'],
  [errors.JWTExpired.code, 'expired'],
  [errors.JWTInvalid.code, 'malformed'],
]);

/** What is wrong with the token; undefined if it is not the cause of an error, but this program or the issuer. */
export function errorToFault(error: unknown): TokenFault | undefined {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') return 'not-yet-valid';
    return FAULTS_OF_CLAIMS.get(error.claim) ?? 'claim';
  }
  return error instanceof errors.JOSEError ? FAULTS.get(error.code) : undefined;
}
