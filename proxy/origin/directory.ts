// The origin that is a local directory: the output folder of the generator, or a copy.
import { close, closeSync, open, openSync, read, readFile, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OpenFiles } from './open-files.ts';
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** Chunk size of streams. */
const CHUNK_BYTES = 256 * 1024;
/** Maximum length of a read on the event loop; longer ones use the thread pool. */
const DIRECT_MAX_BYTES = 128 * 1024;
/** A read that takes longer, in milliseconds, waited for a disk; on a busy machine other reads can take a few, too. */
const SLOW_MS = 5;
/** After a slow read, all reads use the thread pool for this long, in milliseconds. */
const POOL_MS = 250;

// Callbacks as promises: they cost less than the file handles of node:fs/promises.
const openInPool = promisify(open);
const readInPool = promisify(read);
const readFileInPool = promisify(readFile);

/**
 * Creates the origin of a directory. Feature files, of which many ranges are read, stay open. Small reads run on the
 * event loop while they are served by the page cache of the operating system, and in the thread pool otherwise.
 */
export function directoryOrigin(directory: string, pace: ReadPace = new ReadPace()): Origin {
  const files = new OpenFiles((path) => openSync(join(directory, path), 'r'));
  return {
    async read(path, range, client) {
      try {
        if (range === undefined) return await readFileInPool(join(directory, path));
        const isDirect = range.length <= DIRECT_MAX_BYTES && !pace.usesPool;
        if (client === undefined)
          return isDirect
            ? pace.time(() => readDirectly(files.find(path).descriptor, path, range))
            : await files.use(path, (file) => readRange(file, path, range));
        if (isDirect) return pace.time(() => readOnce(join(directory, path), path, range));
        const file = await openInPool(join(directory, path), 'r');
        return await readRange(file, path, range).finally(() => closeSync(file));
      } catch (error) {
        throw readError(path, error);
      }
    },
    async *stream(path, range) {
      let file: number | undefined;
      try {
        file = await openInPool(join(directory, path), 'r');
        for (let done = 0; done < range.length; done += CHUNK_BYTES) {
          const length = Math.min(CHUNK_BYTES, range.length - done);
          yield await readRange(file, path, { offset: range.offset + done, length });
        }
      } catch (error) {
        throw readError(path, error);
      } finally {
        if (file !== undefined) close(file);
      }
    },
    close: (path) => files.close(path),
  };
}

/**
 * Decides whether small reads run on the event loop or in the thread pool. A read from the page cache takes microseconds,
 * less than the thread pool costs; a read from a disk must not block the event loop, and does so at most once per POOL_MS.
 */
export class ReadPace {
  readonly #now: () => number;
  #poolUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Must reads go through the thread pool? */
  get usesPool(): boolean {
    return this.#now() < this.#poolUntil;
  }

  /** Runs `read` now, and measures its time. */
  time<Result>(read: () => Result): Result {
    const begun = this.#now();
    try {
      return read();
    } finally {
      const ended = this.#now();
      if (ended - begun > SLOW_MS) this.#poolUntil = ended + POOL_MS;
    }
  }
}

function readOnce(location: string, path: string, range: ByteRange): Buffer {
  const file = openSync(location, 'r');
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
    const got = readSync(file, bytes, done, length - done, offset + done);
    if (got === 0) throw endsEarly(path, offset + length);
    done += got;
  }
  return bytes;
}

/** The same in the thread pool. */
async function readRange(file: number, path: string, { offset, length }: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readInPool(file, bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw endsEarly(path, offset + length);
    done += bytesRead;
  }
  return bytes;
}

function endsEarly(path: string, end: number): OriginError {
  return new OriginError('damaged', path, `ends before byte ${end}`);
}

function readError(path: string, error: unknown): OriginError {
  if (error instanceof OriginError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EMFILE' || code === 'ENFILE') return new OriginError('busy', path, `too many open files (${code})`);
  return new OriginError(code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', path, error);
}
