// The access log: one JSON line per request, written when its response has ended. It never delays or outlives the service:
// lines that cannot be written are dropped and counted.
import { randomUUID } from 'node:crypto';
import { fstatSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { destination, pino } from 'pino';
import type { HttpRequest } from '../http/request.ts';

/** An access log. */
export interface AccessLog {
  /** Writes a line when `res` closes. */
  observe(req: IncomingMessage, res: ServerResponse, request: HttpRequest): void;
  /** Waits for responses in progress and writes buffered lines. No request may be observed afterwards. */
  end(): Promise<void>;
}

/** `end` waits at most this long for responses that were cut, and for the reader. */
const END_TIMEOUT_MS = 1000;

/**
 * Creates an access log.
 * @param withSubject include the `sub` of the token?
 * @param out where lines are written
 * @param onDrop is called for each line that is dropped
 */
export function accessLog(withSubject: boolean, out: LogOutput, onDrop: () => void = () => {}): AccessLog {
  let dropped = 0;
  const write = (line: string): void => {
    // The first line after a gap says how many are missing.
    if (dropped > 0 && out.write(gapLine(dropped))) dropped = 0;
    if (dropped === 0 && out.write(line)) return;
    dropped++;
    onDrop();
  };
  const logger = pino({ base: null, formatters: { level: (level) => ({ level }) }, timestamp: isoTime }, { write });
  let running = 0;
  let onIdle = (): void => {};
  return {
    observe(req, res, request) {
      running++;
      const startedAt = performance.now();
      const { socket } = req;
      const bytesBefore = socket.bytesWritten;
      res.once('close', () => {
        logger.info({
          id: randomUUID(),
          method: req.method,
          path: loggedPath(req.url, res.statusCode, request.route),
          // 0: the client disconnected before the response began.
          status: res.headersSent ? res.statusCode : 0,
          bytes: socket.bytesWritten - bytesBefore,
          ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
          ...(withSubject && request.client?.subject !== undefined ? { subject: request.client.subject } : {}),
          ...(res.writableFinished ? {} : { cut: true }),
        });
        if (--running === 0) onIdle();
      });
    },
    async end() {
      // Responses that were just cut still write their line.
      await new Promise<void>((resolve) => {
        setTimeout(resolve, END_TIMEOUT_MS);
        onIdle = resolve;
        if (running === 0) resolve();
      });
      await out.end();
    },
  };
}

/** With the query only if the request was valid, so that no token is logged; unknown paths are not logged. */
function loggedPath(target: string | undefined, status: number, route: string | undefined): string {
  if (route === undefined) return '(other)';
  return status < 400 && target?.startsWith(route) ? target : route;
}

function gapLine(dropped: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, dropped, msg: 'access log lines were dropped' })}\n`;
}

function isoTime(): string {
  return `,"time":"${new Date().toISOString()}"`;
}

/** Lines in memory, in bytes; further ones are dropped until the reader catches up. */
const BUFFER_MAX_BYTES = 1024 * 1024;
const STDOUT = 1;

/** An output for lines. */
export interface LogOutput {
  /** False if the line is dropped. */
  write(line: string): boolean;
  /** Writes what is buffered, for a limited time. */
  end(): Promise<void>;
}

/**
 * Standard output. A pipe is written without blocking: a blocked write in the thread pool would prevent the exit of the
 * process. A file is written in the thread pool.
 */
export function standardOutput(): LogOutput {
  const kind = fstatSync(STDOUT);
  return kind.isFIFO() || kind.isSocket() ? streamOutput(process.stdout) : fileOutput();
}

/** A stream that does not block. */
function streamOutput(stream: Writable): LogOutput {
  // A closed standard output does not stop the service.
  stream.on('error', () => {});
  return {
    write(line) {
      if (stream.writableLength + line.length > BUFFER_MAX_BYTES) return false;
      stream.write(line);
      return true;
    },
    end: () => limited((resolve) => stream.write('', () => resolve())),
  };
}

function fileOutput(): LogOutput {
  let isFull = false;
  const file = destination({ dest: STDOUT, sync: false, maxLength: BUFFER_MAX_BYTES });
  file.on('error', () => {});
  file.on('drop', () => {
    isFull = true;
  });
  return {
    write(line) {
      isFull = false;
      // Emits `drop` at once if the buffer is full.
      file.write(line);
      return !isFull;
    },
    async end() {
      await limited((resolve) => {
        file.once('close', resolve).once('error', resolve);
        file.end();
      });
      // Otherwise pino tries again at exit, for ever on a full disk. Standard output itself stays open.
      file.destroy();
    },
  };
}

function limited(wait: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, END_TIMEOUT_MS);
    wait(resolve);
  });
}
