// Key sets: JSON Web Key Sets (RFC 7517), read from a file or from the issuer's URL, and shared secrets.
import { createPublicKey, createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createLocalJWKSet } from 'jose';
import { codeOf } from '../../format/error-code.ts';
import type { JsonObject } from '../../format/parse.ts';
import { FormatError, listIn, objectFrom } from '../../format/parse.ts';
import type { KeySet } from '../auth/authenticate.ts';

/** Accepted signature algorithms of public keys. */
const ASYMMETRIC_ALGORITHMS: readonly string[] = ['EdDSA', 'Ed25519', 'ES256', 'RS256'];
/** RFC 7518 section 3.3. */
const RSA_MIN_BITS = 2048;
/** The smallest exponent of NIST FIPS 186-5, appendix A.1.1. With exponent 1 every text is its own signature. */
const RSA_EXPONENT_MIN = 65_537n;
/** RFC 7518 section 3.2. */
const SECRET_MIN_BYTES = 32;

/** Far above the size of any real key set. */
const KEY_SET_MAX_BYTES = 512 * 1024;
/** Time for the whole response of the issuer. */
const KEY_SET_TIMEOUT_MS = 5_000;

/**
 * Reads a key set file.
 * @throws Error with a message that is safe to log
 */
export async function readKeySet(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new KeySetError(`cannot be read (${codeOf(error)})`);
  });
}

/**
 * Requests a key set. Redirects are not followed: a redirect target could supply keys of an attacker.
 * @throws Error with a message that is safe to log: it contains nothing of the response
 */
export async function fetchKeySet(url: URL, timeoutMs: number = KEY_SET_TIMEOUT_MS): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const response = await fetch(url, { headers, redirect: 'manual', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new KeySetError(`status ${response.status}, expected 200`);
    }
    return await readBody(response);
  } catch (error) {
    if (error instanceof KeySetError) throw error;
    if (signal.aborted) throw new KeySetError(`no complete response within ${timeoutMs} ms`);
    const code = codeOf(error instanceof Error ? error.cause : undefined);
    throw new KeySetError(`cannot be reached${code && ` (${code})`}`);
  }
}

/**
 * The usable keys of a JSON Web Key Set (RFC 7517). A set without any key says that none is valid any more.
 * @throws FormatError if it contains a private or secret key, or only keys that are not usable
 */
export function jwksToKeySet(text: string): KeySet {
  const keys = usableKeys(text).map(({ alg, ...key }) => {
    const kty = String(key['kty']);
    // A key for Ed25519 verifies signatures under the name EdDSA and under its own (RFC 9864), whichever it is listed
    // with.
    return kty === 'OKP' || alg === undefined ? { ...key, kty } : { ...key, kty, alg: String(alg) };
  });
  const kids = keys.flatMap(({ kid }: JsonObject) => (typeof kid === 'string' ? [kid] : []));
  return { algorithms: ASYMMETRIC_ALGORITHMS, size: keys.length, kids, getKey: createLocalJWKSet({ keys }) };
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
  return { algorithms: ['HS256'], size: 1, kids: [], getKey: () => key };
}

/**
 * The keys of a set that can verify signatures. Keys of other kinds are skipped.
 * @throws FormatError as `jwksToKeySet` does
 */
function usableKeys(text: string): JsonObject[] {
  const where = 'key set';
  const keys = listIn(objectFrom(text, where), 'keys', where).map((entry, i) =>
    objectFrom(entry, `${where} keys[${i}]`),
  );
  const secret = keys.findIndex((key) => 'd' in key || 'k' in key);
  if (secret !== -1) throw new FormatError(`${where} keys[${secret}]`, 'is private, expected public keys only');
  const usable = keys.filter(isUsable);
  if (usable.length > 0 || keys.length === 0) return usable;
  throw new FormatError(where, `no usable key, expected one for ${ASYMMETRIC_ALGORITHMS.join(', ')}`);
}

function isUsable(key: JsonObject): boolean {
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: { ...key }, format: 'jwk' });
    const bits = asymmetricKeyDetails?.modulusLength;
    if (asymmetricKeyType === 'rsa')
      return bits !== undefined && bits >= RSA_MIN_BITS && isStrong(asymmetricKeyDetails?.publicExponent);
    return asymmetricKeyType === 'ed25519' || asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function isStrong(exponent = 0n): boolean {
  return exponent >= RSA_EXPONENT_MIN && exponent % 2n === 1n;
}

/** An error whose message is safe to log. */
class KeySetError extends Error {}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > KEY_SET_MAX_BYTES) throw new KeySetError(`response of more than ${KEY_SET_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
