// The origin that is a local directory: the output folder of the generator, or a copy.
import { close, closeSync, open, openSync, read, readFile, readSync } from 'node:fs';
import { join } from 'node:path';
import { OpenFiles } from './open-files.ts';
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';
import { ReadPace } from './read-pace.ts';

/** Chunk size of streams. */
const CHUNK_BYTES = 256 * 1024;
/** Maximum length of a read on the event loop; longer ones use the thread pool. */
const DIRECT_MAX_BYTES = 128 * 1024;

/**
 * Creates the origin of a directory. Feature files, of which many ranges are read, stay open. Small reads run on the
 * event loop while they are served by the page cache of the operating system, and in the thread pool otherwise.
 */
export function directoryOrigin(directory: string, pace: ReadPace = new ReadPace()): Origin {
  const openAt = (path: string): number => {
    try {
      return openSync(join(directory, path), 'r');
    } catch (error) {
      throw readError(path, error);
    }
  };
  const files = new OpenFiles(openAt);
  return {
    async read(path, range, client) {
      if (range === undefined) return readWhole(directory, path);
      const isDirect = range.length <= DIRECT_MAX_BYTES && !pace.usesPool;
      if (client === undefined)
        return isDirect
          ? pace.time(() => readDirectly(files.find(path).descriptor, path, range))
          : files.use(path, (file) => readRange(file, path, range));
      return isDirect ? pace.time(() => readOnceDirectly(openAt(path), path, range)) : readOnce(directory, path, range);
    },
    async *stream(path, range) {
      const file = await openFile(directory, path);
      try {
        for (let done = 0; done < range.length; done += CHUNK_BYTES) {
          const length = Math.min(CHUNK_BYTES, range.length - done);
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

async function readOnce(directory: string, path: string, range: ByteRange): Promise<Buffer> {
  const file = await openFile(directory, path);
  try {
    return await readRange(file, path, range);
  } finally {
    closeSync(file);
  }
}

function readOnceDirectly(file: number, path: string, range: ByteRange): Buffer {
  try {
    return readDirectly(file, path, range);
  } finally {
    closeSync(file);
  }
}

/** @throws OriginError if the file is shorter than the range */
function readDirectly(file: number, path: string, { offset, length }: ByteRange): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const got = readNow(file, path, bytes, done, offset);
    if (got === 0) throw endsEarly(path, offset + length);
    done += got;
  }
  return bytes;
}

function readNow(file: number, path: string, bytes: Buffer, done: number, offset: number): number {
  try {
    return readSync(file, bytes, done, bytes.length - done, offset + done);
  } catch (error) {
    throw readError(path, error);
  }
}

/** The same in the thread pool. Callbacks cost less than the promises of node:fs. */
function readRange(file: number, path: string, { offset, length }: ByteRange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.allocUnsafe(length);
    const readFrom = (done: number): void => {
      read(file, bytes, done, length - done, offset + done, (error, got) => {
        if (error) reject(readError(path, error));
        else if (done + got === length) resolve(bytes);
        else if (got === 0) reject(endsEarly(path, offset + length));
        else readFrom(done + got);
      });
    };
    readFrom(0);
  });
}

function endsEarly(path: string, end: number): OriginError {
  return new OriginError('damaged', path, `ends before byte ${end}`);
}

function readError(path: string, error: unknown): OriginError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new OriginError(code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', path, error);
}
