// The files of a key pair of one's own, for those who have no identity provider. Used by main.ts.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../format/error-code.ts';
import { kidOf, SIGNING_ALGORITHM, type SigningKey } from '../auth/sign-token.ts';
import { StartError } from './start-error.ts';

const OWNER_ONLY = 0o600;
const FOR_ALL = 0o644;

/**
 * Makes a key pair: `private.pem`, which only its owner can read, and `keys.json`, the JSON Web Key Set for `--jwks`.
 * @returns the paths of both
 * @throws StartError if one of them exists; then nothing is written
 */
export async function createKeyFiles(folder: string): Promise<{ privateFile: string; publicFile: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = {
    ...publicKey.export({ format: 'jwk' }),
    alg: SIGNING_ALGORITHM,
    kid: await kidOf(publicKey),
    use: 'sig',
  };
  const publicFile = join(folder, 'keys.json');
  const privateFile = join(folder, 'private.pem');
  try {
    await mkdir(folder, { recursive: true });
    await writeNew(publicFile, `${JSON.stringify({ keys: [jwk] }, undefined, 2)}\n`, FOR_ALL);
  } catch (error) {
    throw fileError(error, publicFile);
  }
  try {
    await writeNew(privateFile, String(privateKey.export({ format: 'pem', type: 'pkcs8' })), OWNER_ONLY);
  } catch (error) {
    await rm(publicFile);
    throw fileError(error, privateFile);
  }
  return { privateFile, publicFile };
}

/**
 * Reads the private key that `createKeyFiles` wrote.
 * @throws StartError
 */
export async function readSigningKey(file: string): Promise<SigningKey> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileError(error, file);
  });
  const key = privateKeyIn(text);
  if (key !== undefined) return { key, kid: await kidOf(createPublicKey(key)) };
  throw new StartError('not a private Ed25519 key', file, 'name the private.pem that `keys` made');
}

/** Undefined if the text is no private Ed25519 key. */
function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Never replaces a file: tokens that were handed out would become invalid. */
async function writeNew(file: string, text: string, mode: number): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode });
}

function fileError(error: unknown, file: string): unknown {
  switch (codeOf(error)) {
    case 'EEXIST':
      return new StartError('exists already, and its tokens are in use', file, 'name another folder with --out');
    case 'ENOENT':
      return new StartError('there is no such file', file, 'make a key pair with `keys`');
    case 'EACCES':
    case 'ENOTDIR':
      return new StartError('cannot be read or written', file, 'check the path and its rights');
    default:
      return error;
  }
}
