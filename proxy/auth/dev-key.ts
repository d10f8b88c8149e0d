// Development only: a key pair made once on this machine, so that tokens can be had without an identity provider.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../format/parse.ts';
import { objectFrom } from '../../format/parse.ts';

/** What development tokens say and the development server asks for. */
export const DEV_ISSUER = 'boundaries-development';
export const DEV_AUDIENCE = 'boundaries';

/** The folder that holds the key: git-ignored in the clone; of the user where an installed package may be read-only. */
const DEV_FOLDER: string = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('../../.dev', import.meta.url))
  : join(homedir(), '.boundaries-dev');
const OWNER_ONLY = 0o600;

/** The development key, private part included: a JWK with `alg` and `kid`. Made on first use. */
export async function devKey(): Promise<JsonObject> {
  const file = join(DEV_FOLDER, 'key.json');
  try {
    return objectFrom(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  await mkdir(DEV_FOLDER, { recursive: true });
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', kid: randomUUID(), use: 'sig' };
  // Two commands may start at once: whichever links its key first has made it, both use that one.
  const draft = join(DEV_FOLDER, `${key.kid}.json`);
  await writeFile(draft, `${JSON.stringify(key)}\n`, { mode: OWNER_ONLY });
  await link(draft, file).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await rm(draft);
  return objectFrom(await readFile(file, 'utf8'), file);
}

/** The key set that verifies what `key` signs: its public part alone. */
export function publicKeySet(key: JsonObject): string {
  const { d: _private, ...shown } = key;
  return JSON.stringify({ keys: [shown] });
}
