// The files of a key pair of one's own, for those who have no identity provider. Used by main.ts.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../../format/error-code.ts';
import { kidOf, SIGNING_ALGORITHM, type SigningKey } from '../auth/sign-token.ts';
import { StartError } from './start-error.ts';

const OWNER_ONLY = 0o600;
const FOR_ALL = 0o644;

/**
 * Makes a key pair: `private.pem`, which only its owner can read, and `keys.json`, the JSON Web Key Set for `--jwks`.
 * @returns the paths of both
 * @throws StartError if one of them exists, or cannot be written; then nothing is left
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
    await makeFolder(resolve(folder));
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
    throw codeOf(error) === 'ENOENT'
      ? new StartError('there is no such file', file, 'make a key pair with `keys`')
      : fileError(error, file);
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

/** Node's own `recursive` never ends where no folder can be made, such as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    const parent = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || (await stat(parent).catch(() => undefined)) !== undefined) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
}

/**
 * Never replaces a file: tokens that were handed out would become invalid. What could not be written whole is removed.
 */
async function writeNew(file: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

function fileError(error: unknown, file: string): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === 'EEXIST')
    return new StartError('exists already, and its tokens are in use', file, 'name another folder with --out');
  return new StartError(
    `cannot be read or written (${code})`,
    file,
    'check the path, its rights, and room on the disk',
  );
}
