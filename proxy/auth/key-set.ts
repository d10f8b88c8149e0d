// JSON Web Key Sets (RFC 7517): reads them from a file or from the issuer's URL, and selects the usable keys.
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../format/parse.ts';
import { FormatError, listIn, objectFrom } from '../../format/parse.ts';

/** Accepted signature algorithms of public keys. */
export const ASYMMETRIC_ALGORITHMS: readonly string[] = ['EdDSA', 'ES256', 'RS256'];
/** RFC 7518 section 3.3. */
const RSA_MIN_BITS = 2048;

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
    throw new Error(error instanceof Error && 'code' in error ? `cannot be read (${error.code})` : 'cannot be read');
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
    throw new KeySetError(
      signal.aborted ? `no complete response within ${timeoutMs} ms` : `cannot be reached${causeCode(error)}`,
    );
  }
}

/**
 * The keys of a set that can verify signatures. Keys of other kinds are skipped.
 * @param where name of the set, for messages
 * @throws FormatError if the set contains a private or secret key, or no usable key
 */
export function usableKeys(text: string, where: string): JsonObject[] {
  const keys = listIn(objectFrom(text, where), 'keys', where).map((entry, i) =>
    objectFrom(entry, `${where} keys[${i}]`),
  );
  const secret = keys.findIndex((key) => 'd' in key || 'k' in key);
  if (secret !== -1) throw new FormatError(`${where} keys[${secret}]`, 'is private, expected public keys only');
  const usable = keys.filter(isUsable);
  if (usable.length > 0) return usable;
  throw new FormatError(where, `no usable key, expected one for ${ASYMMETRIC_ALGORITHMS.join(', ')}`);
}

function isUsable(key: JsonObject): boolean {
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key: { ...key }, format: 'jwk' });
    const bits = asymmetricKeyDetails?.modulusLength;
    if (asymmetricKeyType === 'rsa') return bits !== undefined && bits >= RSA_MIN_BITS;
    return asymmetricKeyType === 'ed25519' || asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
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

/** The system error code in the cause of a failed `fetch`, in parentheses; empty if there is none. */
function causeCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
}
