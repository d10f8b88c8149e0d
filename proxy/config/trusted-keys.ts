// The public keys of those whose releases are served, and an origin of theirs alone.
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CHANGES_PATH } from '../../format/changes.ts';
import { codeOf } from '../../format/error-code.ts';
import { NewestRelease } from '../data/newest-release.ts';
import { signedOrigin, trustedKey } from '../data/signed-origin.ts';
import type { Origin } from '../origin/origin.ts';
import { OptionError } from './start-error.ts';

/** Reads the files of `--trusted-key`. @throws OptionError if one cannot be read, or has no public Ed25519 key */
export async function readTrustedKeys(files: readonly string[]): Promise<KeyObject[]> {
  const read = (file: string): Promise<string> =>
    readFile(file, 'utf8').catch((error: unknown) => {
      throw new OptionError(
        `cannot be read (${codeOf(error)})`,
        `--trusted-key ${file}`,
        'check the path and its rights',
      );
    });
  return Promise.all(files.map(async (file) => requireKey(await read(file), file)));
}

/**
 * An origin as it is served: where there are keys, only what is signed with one of them.
 * @returns with what refuses a release that is older than the one before it, unless that may be
 */
export function trustedOrigin(
  origin: Origin,
  keys: readonly KeyObject[],
  allowsRollback = false,
): { origin: Origin; newest: NewestRelease | undefined } {
  if (keys.length === 0) return { origin, newest: undefined };
  const signed = signedOrigin(origin, keys, [CHANGES_PATH]);
  const newest = allowsRollback ? undefined : new NewestRelease(signed);
  return { origin: newest?.origin ?? signed, newest };
}

/** A public key in PEM. @throws OptionError if the text is none */
export function requireKey(pem: string, where: string): KeyObject {
  const key = trustedKey(pem);
  if (key !== undefined) return key;
  throw new OptionError(
    'not a public Ed25519 key in PEM',
    `--trusted-key ${where}`,
    'make one: openssl pkey -in private.pem -pubout -out public.pem',
  );
}
