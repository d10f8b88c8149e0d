// Errors of listening and of loading the first release become start errors that say what to do. Used by serve.ts and
// assemble-server.ts.
import { resolve } from 'node:path';
import { CURRENT_PATH } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { OriginError } from '../origin/origin.ts';
import { StartError } from './start-error.ts';

/** Compiled, this file is part of a package that installs two programs; a clone has npm scripts. */
const IS_CLONE = import.meta.url.endsWith('.ts');
/** The generator's command. */
const GENERATOR = IS_CLONE ? 'npx tsx generator/main.ts' : 'boundaries-generator';
/** How to set a port. npm passes on the arguments after two dashes only. */
const OTHER_PORT = IS_CLONE ? 'npm start -- --port 9000' : '--port 9000';

/** An error of `server.listen` as a StartError; an unknown error is returned unchanged. */
export function listenErrorToStartError(error: Error, host: string, port: number): unknown {
  const code = 'code' in error ? error.code : undefined;
  const where = `${host} port ${port}`;
  if (code === 'EADDRINUSE')
    return new StartError(
      'the port is already in use',
      where,
      `stop the program that listens there, or choose another port, e.g. ${OTHER_PORT}`,
    );
  if (code === 'EACCES')
    return new StartError('no permission to listen on this port', where, 'use a port above 1023, e.g. --port 8080');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(
      'this machine does not have this address',
      where,
      'use --host 127.0.0.1, or --host 0.0.0.0 for all addresses',
    );
  return error;
}

/** An error of loading the first release as a StartError; an unknown error is returned unchanged. */
export function releaseErrorToStartError(error: unknown, origin: string): unknown {
  const where = /^(https?|s3):/i.test(origin) ? '--origin' : resolve(origin);
  if (error instanceof OriginError && error.reason === 'missing' && error.path === CURRENT_PATH)
    return new StartError(
      'there is no release to serve',
      where,
      `build one: ${GENERATOR} build --source FILE --release ID (or --sample), or choose another folder with --origin`,
    );
  if (error instanceof OriginError || error instanceof FormatError)
    return new StartError(
      `the release cannot be served: ${error.message}`,
      where,
      `build it again under another id: ${GENERATOR} build --source FILE --release ID`,
    );
  return error;
}
