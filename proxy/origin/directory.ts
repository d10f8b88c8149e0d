// The origin that is a directory of this machine: the generator's output folder, or a copy of it.
// Callbacks instead of promises: a read is one trip to the thread pool, and the event loop never waits for a disk.
import { close, closeSync, open, read, readFile } from 'node:fs';
import { join } from 'node:path';
import { OpenFiles } from './open-files.ts';
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** A large range is read in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

/** Makes an origin of a directory. Feature files, from which ranges are read again and again, are kept open. */
export function directoryOrigin(directory: string): Origin {
  const files = new OpenFiles((path) => openFile(directory, path));
  return {
    read(path, range, client) {
      if (range === undefined) return readWhole(directory, path);
      if (client === undefined) return files.use(path, (file) => readRange(file, path, range));
      return readOnce(directory, path, range);
    },
    async *stream(path, range) {
      const file = await openFile(directory, path);
      try {
        for (let done = 0; done < range.length; done += PIECE_BYTES) {
          const length = Math.min(PIECE_BYTES, range.length - done);
          yield await readRange(file, path, { offset: range.offset + done, length });
        }
      } finally {
        close(file);
      }
    },
    close: (path) => files.close(path),
  };
}

function openFile(directory: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(join(directory, path), (error, file) => (error ? reject(readError(path, error)) : resolve(file)));
  });
}

function readWhole(directory: string, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readFile(join(directory, path), (error, bytes) => (error ? reject(readError(path, error)) : resolve(bytes)));
  });
}

/** Opens, reads and closes; closing a file that was only read does not wait for a disk. */
async function readOnce(directory: string, path: string, range: ByteRange): Promise<Buffer> {
  const file = await openFile(directory, path);
  try {
    return await readRange(file, path, range);
  } finally {
    closeSync(file);
  }
}

/** @throws OriginError when the file ends before the range does */
function readRange(file: number, path: string, { offset, length }: ByteRange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.allocUnsafe(length);
    const readFrom = (done: number): void => {
      read(file, bytes, done, length - done, offset + done, (error, got) => {
        if (error) reject(readError(path, error));
        else if (done + got === length) resolve(bytes);
        else if (got === 0) reject(new OriginError('damaged', path, `ends before byte ${offset + length}`));
        else readFrom(done + got);
      });
    };
    readFrom(0);
  });
}

function readError(path: string, error: NodeJS.ErrnoException): OriginError {
  return new OriginError(error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : 'unreadable', path, error);
}
