// The access log: one JSON line per request on standard output, written when its response has ended. It never delays or
// outlives the service: lines that cannot be written are dropped and counted.
import { fstatSync, write } from 'node:fs';
import { Writable } from 'node:stream';
import { isProtected } from '../http/request.ts';
import type { EndedRequest } from './watch-requests.ts';

/** Lines in memory, in bytes; further ones are dropped until they can be written. */
const BUFFER_MAX_BYTES = 1024 * 1024;
/** A file on a full disk is tried again after this. */
const RETRY_MS = 500;
const STDOUT = 1;

/**
 * Opens the access log.
 * @param withSubject include the `sub` and the `jti` of the token?
 * @param onDrop is called for each line that is dropped
 */
export function openAccessLog(withSubject: boolean, onDrop: () => void) {
  const out = standardOutput();
  // A closed standard output does not stop the service.
  out.on('error', () => {});
  let dropped = 0;
  const lineOf = (level: 'info' | 'warn', entry: object): string =>
    `${JSON.stringify({ level, time: new Date().toISOString(), ...entry })}\n`;
  return {
    /** Writes the line of a request. */
    log({ method, target, route, status, bytes, ms, isCut, subject, code, id, kid, tokenId, address }: EndedRequest) {
      // The first line after a gap says how many are missing.
      const gap = dropped > 0 ? lineOf('warn', { dropped, msg: 'access log lines were dropped' }) : '';
      const line = lineOf('info', {
        method,
        path: loggedPath({ method, target, status, route }),
        status,
        // Left out of the line if undefined.
        code,
        bytes,
        ms: Math.round(ms * 1000) / 1000,
        id,
        kid,
        ...(withSubject ? { subject, jti: tokenId } : {}),
        address,
        ...(isCut ? { cut: true } : {}),
      });
      if (out.destroyed || out.writableLength + gap.length + line.length > BUFFER_MAX_BYTES) {
        dropped++;
        onDrop();
      } else {
        dropped = 0;
        out.write(gap + line);
      }
    },
    /** Resolves when everything is written. */
    written: () => new Promise<void>((resolve) => out.write('', () => resolve())),
  };
}

/**
 * With the query only of a request that was parsed and found valid, so that no token is logged: public paths and
 * OPTIONS ignore theirs, and a client that left before the response (0) may have sent anything. Unknown paths are not
 * logged.
 */
function loggedPath({ method, target, status, route }: Pick<EndedRequest, 'method' | 'target' | 'status' | 'route'>) {
  if (route === undefined) return '(other)';
  const isParsed = isProtected(route) && method !== 'OPTIONS' && status > 0 && status < 400;
  return isParsed && target?.startsWith(route) ? target : route;
}

/**
 * Standard output. A pipe is written without blocking: a blocked write in the thread pool would prevent the exit of the
 * process. A file is written in the thread pool.
 */
function standardOutput(): Writable {
  const kind = fstatSync(STDOUT);
  return kind.isFIFO() || kind.isSocket() ? process.stdout : fileStream(STDOUT);
}

/** A file that is written as soon as it can be: streams of node:fs end at the first error. */
function fileStream(file: number): Writable {
  return new Writable({
    writev(chunks, done) {
      const attempt = (rest: Buffer): void =>
        write(file, rest, (error, written) => {
          if (error !== null) setTimeout(attempt, RETRY_MS, rest).unref();
          else if (written < rest.length) attempt(rest.subarray(written));
          else done();
        });
      attempt(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    },
  });
}
