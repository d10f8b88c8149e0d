// Where the access log is written: standard output, with a bounded buffer. Lines that it cannot take are dropped and
// counted. Used by access-log.ts.
import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { destination } from 'pino';

/** Lines in memory, in bytes; further ones are dropped until the reader catches up. */
const BUFFER_MAX_BYTES = 1024 * 1024;
/** `end` waits at most this long for the reader. */
const END_TIMEOUT_MS = 1000;
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
