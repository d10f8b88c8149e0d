// The files of a key pair of one's own, for those who have no identity provider.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../../format/error-code.ts';
import { FormatError, objectFrom } from '../../format/parse.ts';
import { newKeyPair } from '../auth/key-pair.ts';
import { kidOf, SIGNING_ALGORITHM, type SigningKey } from '../auth/sign-token.ts';
import { StartError } from './start-error.ts';

const OWNER_ONLY = 0o600;
const FOR_ALL = 0o644;

/** The files of a key pair. */
export interface KeyFiles {
  privateFile: string;
  publicFile: string;
}

/**
 * Makes a key pair: `private.pem`, which only its owner can read, and `keys.json`, the JSON Web Key Set for `--jwks`.
 * Git ignores a folder that it makes; of one that exists, the private key.
 * @param set another key set, which gets the public key besides those it has: tokens of all of them are accepted
 * @returns the paths of both
 * @throws StartError if one of them exists, or cannot be written; then nothing is left
 */
export async function createKeyFiles(folder: string, set?: string): Promise<KeyFiles> {
  const others = set === undefined ? undefined : await readKeys(set);
  const { privateKey, publicKey } = newKeyPair();
  const jwk = {
    ...publicKey.export({ format: 'jwk' }),
    alg: SIGNING_ALGORITHM,
    kid: await kidOf(publicKey),
    use: 'sig',
  };
  const publicFile = join(folder, 'keys.json');
  const privateFile = join(folder, 'private.pem');
  let isMade = false;
  try {
    isMade = await makeFolder(resolve(folder));
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
  const ignored = join(folder, '.gitignore');
  try {
    await writeNew(ignored, isMade ? '*\n' : '/private.pem\n', FOR_ALL).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    if (set !== undefined && others !== undefined) await replaceKeys(set, { ...others, keys: [...others.keys, jwk] });
  } catch (error) {
    await rm(publicFile);
    await rm(privateFile);
    throw fileError(error, set ?? ignored);
  }
  return { privateFile, publicFile };
}

/** A key set, as it is written. @throws StartError if the file has none */
async function readKeys(file: string): Promise<Record<string, unknown> & { keys: unknown[] }> {
  const remedy = 'name the keys.json that the service has as --jwks';
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new StartError('there is no such file', file, remedy) : fileError(error, file);
  });
  try {
    const { keys, ...others } = objectFrom(text, file);
    if (Array.isArray(keys)) return { ...others, keys };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  throw new StartError('not a JSON Web Key Set', file, remedy);
}

/** A service that reads the file meanwhile has the old or the new set. */
async function replaceKeys(file: string, set: object): Promise<void> {
  const draft = `${file}.new`;
  try {
    await writeFile(draft, `${JSON.stringify(set, undefined, 2)}\n`, { mode: FOR_ALL });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
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

/** Node's own `recursive` never ends where no folder can be made, such as in /proc. @returns was it not there? */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    const parent = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || (await stat(parent).catch(() => undefined)) !== undefined) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
  return true;
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
