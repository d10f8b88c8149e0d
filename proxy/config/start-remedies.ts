// Errors of listening and of loading the first release become start errors that say what to do.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GENERATOR, shellWord, signatureRemedy } from '../../format/command-line/messages.ts';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import { codeOf } from '../../format/error-code.ts';
import { CURRENT_PATH, RELEASE_FILE } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { SignatureError } from '../data/signed-origin.ts';
import { OriginError } from '../origin/origin.ts';
import { StartError } from './start-error.ts';

const NO_ADDRESS = [
  'this machine does not have this address',
  'use --host 127.0.0.1, or --host 0.0.0.0 for all addresses',
] as const;

/** What is wrong and what to do, by the code of an error of `server.listen`. */
const LISTEN_ERRORS: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  EADDRINUSE: [
    'the port is already in use',
    'stop the program that listens there, or choose another port: --port 9000',
  ],
  EACCES: ['no permission to listen on this port', 'use a port above 1023, e.g. --port 8080'],
  EADDRNOTAVAIL: NO_ADDRESS,
  ENOTFOUND: NO_ADDRESS,
};

/** An error of `server.listen` as a StartError; an unknown error is returned unchanged. */
export function listenErrorToStartError(error: Error, host: string, port: number): Error {
  const [message, remedy = ''] = LISTEN_ERRORS[codeOf(error)] ?? [];
  return message === undefined ? error : new StartError(message, `${host} port ${port}`, remedy);
}

/**
 * An error of loading the first release as a StartError; an unknown error is returned unchanged.
 * @param mustBeSigned are only signed releases served?
 */
export function releaseErrorToStartError(error: unknown, origin: string, mustBeSigned = false): unknown {
  const isRemote = /^(https?|s3):/i.test(origin);
  const where = isRemote ? '--origin' : resolve(origin);
  if (error instanceof OriginError && error.reason === 'missing' && error.path === CURRENT_PATH)
    return new StartError(
      isRemote
        ? 'there is no release to serve: no current.json below this address, which is tried again each second'
        : 'there is no release to serve',
      where,
      existsSync(join(origin, RELEASE_FILE))
        ? `this is the folder of one release: name the output folder, --origin ${shellWord(resolve(origin, '..', '..'))}`
        : `build one: ${GENERATOR.join(' ')} build --source FILE --release ID (or --sample), or choose another folder with --origin`,
    );
  if (error instanceof FormatVersionError)
    return new StartError(error.message, where, upgradeRemedy(error, isRemote ? undefined : origin, mustBeSigned));
  if (error instanceof SignatureError) {
    const release = /^releases\/([^/]+)\//.exec(error.path)?.[1] ?? 'ID';
    const remedy = signatureRemedy(error.isSigned, release, isRemote ? undefined : origin);
    return new StartError(error.message, where, remedy);
  }
  if (error instanceof OriginError || error instanceof FormatError)
    return new StartError(
      `the release cannot be served: ${error.message}`,
      where,
      `build it again under another id: ${GENERATOR.join(' ')} build --source FILE --release ID`,
    );
  return error;
}
