// The access log: one line of JSON a request, when its answer has ended. The only file that knows pino.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, destination, pino } from 'pino';
import type { Answer } from '../http/answer.ts';

/** An access log. */
export interface AccessLog {
  /** Writes a line when `res` closes. */
  observe(req: IncomingMessage, res: ServerResponse, answer: () => Answer | undefined): void;
  /** Writes what is still held back; nothing may be observed from then on. */
  end(): Promise<void>;
}

const STDOUT = 1;
/** Whoever reads the lines no longer does after this long. */
const END_MS = 1000;

/**
 * Makes an access log.
 * @param withSubject shall a line say who asked, by the token's `sub`?
 * @param out where lines go; standard output when left out
 */
export function accessLog(withSubject: boolean, out?: DestinationStream): AccessLog {
  const stdout = out === undefined ? destination({ dest: STDOUT, sync: false }) : undefined;
  // Whoever read the lines may be gone; that is no reason to stop answering.
  stdout?.on('error', () => {});
  const logger = pino({ base: null, formatters: { level: (level) => ({ level }) }, timestamp: isoTime }, out ?? stdout);
  let running = 0;
  let onIdle = (): void => {};
  return {
    observe(req, res, answer) {
      running++;
      const begun = performance.now();
      const { socket } = req;
      const before = socket.bytesWritten;
      res.once('close', () => {
        const known = answer();
        logger.info({
          id: randomUUID(),
          method: req.method,
          path: shownPath(req.url, res.statusCode, known?.route),
          // A client that went away before its answer began got none.
          status: res.headersSent ? res.statusCode : 0,
          bytes: socket.bytesWritten - before,
          ms: Math.round((performance.now() - begun) * 1000) / 1000,
          ...(withSubject && known?.subject !== undefined ? { subject: known.subject } : {}),
          ...(res.writableFinished ? {} : { cut: true }),
        });
        if (--running === 0) onIdle();
      });
    },
    end() {
      if (stdout === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        setTimeout(resolve, END_MS);
        stdout.once('close', resolve).once('error', () => resolve());
        onIdle = () => stdout.end();
        // An answer that was cut a moment ago has not told yet.
        if (running === 0) onIdle();
      });
    },
  };
}

/** The query too, once it is known to hold nothing but our own parameters; of a path that is none of ours nothing. */
function shownPath(url: string | undefined, status: number, route: string | undefined): string {
  if (route === undefined) return '(other)';
  return status < 400 && url?.startsWith(route) ? url : route;
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}
