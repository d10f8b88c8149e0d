// The origin that is a local directory: the output folder of the generator, or a copy.
import { close, closeSync, open, openSync, read, readFile, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ByteRange, Origin } from './origin.ts';
import { OriginError } from './origin.ts';

/** Chunk size of streams. */
const CHUNK_BYTES = 256 * 1024;
/** A read that takes longer, in milliseconds, waited for a disk; on a busy machine other reads can take a few, too. */
const SLOW_MS = 5;
/** After a slow read, all reads use the thread pool for this long, in milliseconds. */
const POOL_MS = 250;

// Callbacks as promises: they cost less than the file handles of node:fs/promises.
const openInPool = promisify(open);
const readInPool = promisify(read);
const readFileInPool = promisify(readFile);

/**
 * Creates the origin of a directory. `readNow` reads on the event loop while reads are served by the page cache of the
 * operating system, which takes microseconds, less than the thread pool costs; a read from a disk must not block the
 * event loop, and does so at most once per POOL_MS. Feature files, of which many ranges are read, stay open.
 * @param now milliseconds of a monotonic clock
 */
export function directoryOrigin(directory: string, now: () => number = () => performance.now()): Origin {
  const files = new OpenFiles((path) => openSync(join(directory, path), 'r'));
  let poolUntil = Number.NEGATIVE_INFINITY;
  return {
    readNow(path, range, target, at, staysOpen) {
      const begun = now();
      if (begun < poolUntil) return false;
      let own: number | undefined;
      try {
        if (!staysOpen) own = openSync(join(directory, path), 'r');
        readDirectly(own ?? files.find(path), path, range, target, at);
      } catch (error) {
        throw readError(path, error);
      } finally {
        if (own !== undefined) closeSync(own);
        const ended = now();
        if (ended - begun > SLOW_MS) poolUntil = ended + POOL_MS;
      }
      return true;
    },
    async read(path, range) {
      try {
        if (range === undefined) return await readFileInPool(join(directory, path));
        const file = await openInPool(join(directory, path), 'r');
        return await readRange(file, path, range).finally(() => close(file));
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

/** @throws OriginError if the file is shorter than the range */
function readDirectly(file: number, path: string, { offset, length }: ByteRange, target: Buffer, at: number): void {
  for (let done = 0; done < length; ) {
    const got = readSync(file, target, at + done, length - done, offset + done);
    if (got === 0) throw endsEarly(path, offset + length);
    done += got;
  }
}

/** The bytes of a range, read in the thread pool. */
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

/** Maximum number of open files: the feature files of 500,000 units. */
const OPEN_MAX = 512;

/** Files that stay open between reads on the event loop: a limited number, of which the least recently used is closed. */
export class OpenFiles {
  readonly #open: (path: string) => number;
  readonly #max: number;
  /** Descriptors by path, the least recently used first. */
  readonly #files = new Map<string, number>();

  /** @param open returns a file descriptor, which this object closes */
  constructor(open: (path: string) => number, max: number = OPEN_MAX) {
    this.#open = open;
    this.#max = max;
  }

  /** Number of open files. */
  get size(): number {
    return this.#files.size;
  }

  /** The descriptor of the file at `path`, for one synchronous read. */
  find(path: string): number {
    const known = this.#files.get(path);
    if (known !== undefined) this.#files.delete(path);
    const descriptor = known ?? this.#open(path);
    this.#files.set(path, descriptor);
    const [leastUsed] = this.#files.size > this.#max ? this.#files.keys() : [];
    if (leastUsed !== undefined) this.close(leastUsed);
    return descriptor;
  }

  /** Closes the file at `path`, or every file in the folder at `path`; every file if it is empty. */
  close(path: string): void {
    for (const [known, descriptor] of this.#files) {
      if (path !== '' && known !== path && !known.startsWith(`${path}/`)) continue;
      this.#files.delete(known);
      // Closing a file that was only read does not wait for a disk.
      closeSync(descriptor);
    }
  }
}
