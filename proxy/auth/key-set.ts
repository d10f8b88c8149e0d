// JSON Web Key Sets (RFC 7517): their text, from a file of this machine or their issuer's address, and the keys in it.
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../format/parse.ts';
import { FormatError, listIn, objectFrom } from '../../format/parse.ts';

/** The algorithms that public keys may be for. */
export const ASYMMETRIC_ALGORITHMS: readonly string[] = ['EdDSA', 'ES256', 'RS256'];
/** RFC 7518 section 3.3. */
const RSA_MIN_BITS = 2048;

/** Far above any real set; what is larger is no set. */
const KEY_SET_MAX_BYTES = 512 * 1024;
/** The issuer has this long for its whole answer. */
const KEY_SET_TIMEOUT_MS = 5_000;

/**
 * Reads the file.
 * @throws Error whose message may be logged
 */
export async function readKeySet(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(error instanceof Error && 'code' in error ? `cannot be read (${error.code})` : 'cannot be read');
  });
}

/**
 * Asks the issuer. A redirect is not followed: whoever could answer one could name keys of their own.
 * @throws Error whose message may be logged: nothing of the answer stands in it
 */
export async function fetchKeySet(url: URL, timeoutMs: number = KEY_SET_TIMEOUT_MS): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const answer = await fetch(url, { headers, redirect: 'manual', signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new KeySetError(`answered ${answer.status}, expected 200`);
    }
    return await textOf(answer);
  } catch (error) {
    if (error instanceof KeySetError) throw error;
    throw new KeySetError(signal.aborted ? `no answer within ${timeoutMs} ms` : `cannot be reached${codeOf(error)}`);
  }
}

/**
 * The keys in a set that can verify signatures.
 * @param where its name, for messages
 * @throws FormatError when it holds a private key, or no usable one
 */
export function publicKeysIn(text: string, where: string): JsonObject[] {
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
    if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_MIN_BITS;
    return asymmetricKeyType === 'ed25519' || asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

/** A fault whose message is ours. */
class KeySetError extends Error {}

async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > KEY_SET_MAX_BYTES) throw new KeySetError(`answered more than ${KEY_SET_MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The system's name of what went wrong, which fetch hides in the cause. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
}
