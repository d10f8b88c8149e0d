// Why the proxy does not start: what is wrong, where, and what to do about it.
import { resolve } from 'node:path';
import { CURRENT_PATH } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { OriginError } from '../origin/origin.ts';

/** What the generator is called here: compiled, this is a package with two programs. */
const GENERATOR = import.meta.url.endsWith('.ts') ? 'npx tsx generator/main.ts' : 'boundaries-generator';

/** A fault of the options, the machine or the origin. `message` says what, `where` where, `remedy` what to do. */
export class StartError extends Error {
  readonly where: string;
  readonly remedy: string;

  constructor(message: string, where: string, remedy: string) {
    super(message);
    this.name = 'StartError';
    this.where = where;
    this.remedy = remedy;
  }
}

/** Why it cannot listen there; another error is given back as it is. */
export function listenFault(error: Error, host: string, port: number): unknown {
  const code = 'code' in error ? error.code : undefined;
  const where = `${host} port ${port}`;
  if (code === 'EADDRINUSE')
    return new StartError('The port is taken', where, `end the program that listens there, or take --port ${port + 1}`);
  if (code === 'EACCES')
    return new StartError('Listening there is not permitted', where, 'take a port above 1023, e.g. --port 8080');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError('This machine has no such address', where, 'take --host 127.0.0.1, or 0.0.0.0 for all');
  return error;
}

/** Why there is nothing to serve at this origin; another error is given back as it is. */
export function releaseFault(error: unknown, origin: string): unknown {
  const where = /^https?:/i.test(origin) ? '--origin' : resolve(origin);
  if (error instanceof OriginError && error.reason === 'missing' && error.path === CURRENT_PATH)
    return new StartError(
      'There is no release to serve',
      where,
      `build one: ${GENERATOR} build --source FILE --release ID, or --sample for a sample; or name another folder with --origin`,
    );
  if (error instanceof OriginError || error instanceof FormatError)
    return new StartError(
      `The release cannot be served: ${error.message}`,
      where,
      `build it again under another id: ${GENERATOR} build --source FILE --release ID`,
    );
  return error;
}
