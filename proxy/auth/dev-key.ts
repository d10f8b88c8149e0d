// The development key: a key pair created on first use, so that the service can be tried without a token issuer; and
// tokens signed with it.
import { createPrivateKey, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../format/error-code.ts';
import type { JsonObject } from '../../format/parse.ts';
import { objectFrom } from '../../format/parse.ts';
import { newKeyPair } from './key-pair.ts';
import { signToken } from './sign-token.ts';

/** `iss` and `aud` of development tokens. */
export const DEV_ISSUER = 'boundaries-development';
export const DEV_AUDIENCE = 'boundaries';

/**
 * The folder of the key: git-ignored in a clone; in the home folder for an installed package, which may be read-only.
 */
const DEV_FOLDER: string = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('../../.dev', import.meta.url))
  : join(homedir(), '.boundaries-dev');
const OWNER_ONLY = 0o600;

/** The development key including its private part: a JWK with `alg` and `kid`. */
async function devKey(): Promise<JsonObject> {
  const file = join(DEV_FOLDER, 'key.json');
  try {
    return objectFrom(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(DEV_FOLDER, { recursive: true });
  const { privateKey } = newKeyPair();
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', kid: randomUUID(), use: 'sig' };
  // Two processes may do this at once: `link` fails for the second, and both then read the key of the first.
  const draft = join(DEV_FOLDER, `${key.kid}.json`);
  await writeFile(draft, `${JSON.stringify(key)}\n`, { mode: OWNER_ONLY });
  await link(draft, file).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await rm(draft);
  return objectFrom(await readFile(file, 'utf8'), file);
}

/** The JSON Web Key Set that verifies development tokens: the public part of the key only. */
export async function devJwks(): Promise<string> {
  const { d: _private, ...publicPart } = await devKey();
  return JSON.stringify({ keys: [publicPart] });
}

/**
 * A token signed with the development key, valid from now on.
 * @param scope space-separated; undefined omits the claim
 */
export async function devToken(subject: string, scope: string | undefined, lifetimeSeconds: number): Promise<string> {
  const jwk = await devKey();
  const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
  const tokenId = randomUUID();
  const claims = { issuer: DEV_ISSUER, audience: DEV_AUDIENCE, subject, scope, lifetimeSeconds, tokenId };
  return signToken({ key, kid: String(jwk['kid']) }, claims);
}
