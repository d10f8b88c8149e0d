// The origin that is a local directory: the output folder of the generator, or a copy.
import { close, closeSync, constants, fstat, open, openSync, read, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { codeOf } from '../../format/error-code.ts';
import { type ByteRange, type Origin, OriginError } from './origin.ts';
import { RecentPieces } from './recent-pieces.ts';

/**
 * A read that takes longer, in milliseconds, waited for a disk; or the process did, for a processor or the collector.
 */
const SLOW_MS = 5;
/** Slow reads among the last FORGOTTEN_READS or so that mean a slow disk. One by itself means nothing. */
const SLOW_READS = 2;
const FORGOTTEN_READS = 50;
/** Then all reads use the thread pool for this long, in milliseconds. */
const POOL_MS = 250;

/**
 * A pipe is not waited for until it has a writer. What is no file has no positions to read from, but for some devices,
 * whose bytes are none of a release.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Maximum number of feature files that stay open: those of 500,000 units. Closing one does not wait for a disk. */
const OPEN_MAX = 512;

// Callbacks as promises: they cost less than the file handles of node:fs/promises.
const openInPool = promisify(open);
const readInPool = promisify(read);
const statInPool = promisify(fstat);

/**
 * Creates the origin of a directory. `readNow` reads on the event loop while reads are served by the page cache of the
 * operating system, which takes microseconds, less than the thread pool costs; reads from a disk must not block the
 * event loop, and do so at most once per POOL_MS while the disk is slow. Feature files, of which many ranges are read,
 * stay open.
 * @param now milliseconds of a monotonic clock
 */
export function directoryOrigin(directory: string, now: () => number = () => performance.now()): Origin {
  const files = new LRUCache<string, OpenFile>({ max: OPEN_MAX, dispose: ({ descriptor }) => closeSync(descriptor) });
  const pieces = new RecentPieces();
  let opened = 0;
  let poolUntil = Number.NEGATIVE_INFINITY;
  let slowReads = 0;
  const readElsewhere = (path: string, extent: ByteRange | number): Promise<Buffer> =>
    readOnce(directory, path, extent).catch((error: unknown) => {
      // It may be open, too, and cut short since: the operator may replace it by an intact one.
      files.delete(path);
      throw error;
    });
  return {
    readNow(path, range, target, at, staysOpen) {
      const known = staysOpen ? files.get(path) : undefined;
      if (known !== undefined && pieces.read(known.number, range, target, at)) return true;
      const begun = now();
      if (begun < poolUntil) return false;
      let file = known;
      try {
        file ??= { descriptor: openSync(join(directory, path), FLAGS), number: ++opened };
        if (staysOpen && known === undefined) files.set(path, file);
        readDirectly(file.descriptor, path, range, target, at);
        if (staysOpen) pieces.keep(file.number, range, target, at);
      } catch (error) {
        // The operator may replace the file by an intact one.
        files.delete(path);
        throw readError(path, error);
      } finally {
        if (!staysOpen && file !== undefined) closeSync(file.descriptor);
        const ended = now();
        slowReads = ended - begun > SLOW_MS ? slowReads + 1 : Math.max(0, slowReads - 1 / FORGOTTEN_READS);
        if (slowReads > SLOW_READS - 1 / 2) {
          poolUntil = ended + POOL_MS;
          // The next slow read after that means that the disk still is.
          slowReads = SLOW_READS - 1;
        }
      }
      return true;
    },
    read: readElsewhere,
    close(path) {
      for (const known of [...files.keys()])
        if (path === '' || known === path || known.startsWith(`${path}/`)) files.delete(known);
    },
  };
}

/** A file that is read more than once. */
interface OpenFile {
  descriptor: number;
  /** Its number among all that were opened: descriptors are used again. */
  number: number;
}

/** @throws OriginError if the file is shorter than the range */
function readDirectly(file: number, path: string, { offset, length }: ByteRange, target: Buffer, at: number): void {
  for (let done = 0; done < length; ) {
    const got = readSync(file, target, at + done, length - done, offset + done);
    if (got === 0) throw endsEarly(path, offset + length);
    done += got;
  }
}

/** Opens a file in the thread pool, reads an extent of it, and closes it. */
async function readOnce(directory: string, path: string, extent: ByteRange | number): Promise<Buffer> {
  try {
    const file = await openInPool(join(directory, path), FLAGS);
    const reading = typeof extent === 'number' ? readWhole(file, path, extent) : readRange(file, path, extent);
    return await reading.finally(() => close(file));
  } catch (error) {
    throw readError(path, error);
  }
}

async function readWhole(file: number, path: string, maxBytes: number): Promise<Buffer> {
  const stat = await statInPool(file);
  if (!stat.isFile()) throw new OriginError('unreadable', path, 'not a file');
  const { size } = stat;
  if (size > maxBytes) throw new OriginError('damaged', path, `more than ${maxBytes} bytes`);
  return readRange(file, path, { offset: 0, length: size });
}

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
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') return new OriginError('busy', path, `too many open files (${code})`);
  return new OriginError(code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', path, error);
}
