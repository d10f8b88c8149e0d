// The access log: one JSON line per request, written when its response has ended. The only file that imports pino.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, destination, pino } from 'pino';
import type { Answer } from '../http/answer.ts';

/** An access log. */
export interface AccessLog {
  /** Writes a line when `res` closes. */
  observe(req: IncomingMessage, res: ServerResponse, answer: () => Answer | undefined): void;
  /** Waits for responses in progress and writes buffered lines. No request may be observed afterwards. */
  end(): Promise<void>;
}

const STDOUT = 1;
/** `end` waits at most this long for the reader of standard output. */
const END_TIMEOUT_MS = 1000;

/**
 * Creates an access log.
 * @param withSubject include the `sub` of the token?
 * @param out where lines are written; standard output by default
 */
export function accessLog(withSubject: boolean, out?: DestinationStream): AccessLog {
  const stdout = out === undefined ? destination({ dest: STDOUT, sync: false }) : undefined;
  // A closed standard output does not stop the service.
  stdout?.on('error', () => {});
  const logger = pino({ base: null, formatters: { level: (level) => ({ level }) }, timestamp: isoTime }, out ?? stdout);
  let running = 0;
  let onIdle = (): void => {};
  return {
    observe(req, res, answer) {
      running++;
      const startedAt = performance.now();
      const { socket } = req;
      const bytesBefore = socket.bytesWritten;
      res.once('close', () => {
        const known = answer();
        logger.info({
          id: randomUUID(),
          method: req.method,
          path: loggedPath(req.url, res.statusCode, known?.route),
          // 0: the client disconnected before the response began.
          status: res.headersSent ? res.statusCode : 0,
          bytes: socket.bytesWritten - bytesBefore,
          ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
          ...(withSubject && known?.subject !== undefined ? { subject: known.subject } : {}),
          ...(res.writableFinished ? {} : { cut: true }),
        });
        if (--running === 0) onIdle();
      });
    },
    end() {
      if (stdout === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        setTimeout(resolve, END_TIMEOUT_MS);
        stdout.once('close', resolve).once('error', () => resolve());
        onIdle = () => stdout.end();
        // Responses that were just cut still write their line.
        if (running === 0) onIdle();
      });
    },
  };
}

/** With the query only if the request was valid, so that no token is logged; unknown paths are not logged. */
function loggedPath(target: string | undefined, status: number, route: string | undefined): string {
  if (route === undefined) return '(other)';
  return status < 400 && target?.startsWith(route) ? target : route;
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}
