// Where a release's files are read from. Two methods, and a third where whole pages take another way (proxy/host.ts).
// The directory below is the embedded origin.
// Paths come from format/layout.ts with a manifest's own data, never from the text of a request.
import type { FileHandle } from 'node:fs/promises';
import { open, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

/** Some bytes of a file. */
export interface ByteRange {
  /** Of the first byte. */
  offset: number;
  /** In bytes. */
  length: number;
}

/** Where files come from. */
export interface Origin {
  /**
   * The whole file, or exactly the bytes of `range`, at once.
   * @throws OriginError when the file is missing, ends before the range does, or cannot be read
   */
  read(path: string, range?: ByteRange): Promise<Buffer>;
  /**
   * Exactly the bytes of `range`, piece by piece; the next piece is read when it is asked for.
   * @throws OriginError as `read` does, perhaps after some pieces
   */
  stream(path: string, range: ByteRange): AsyncGenerator<Buffer, void, undefined>;
  /**
   * A whole file of exactly `bytes`, on its way to a client: what `stream` does, but it ends when the client goes away.
   * Left out where `stream` is all there is.
   * @throws OriginError as `stream` does
   */
  pass?(path: string, bytes: number, client: Client): AsyncGenerator<Buffer, void, undefined>;
}

/** Whoever an answer is for. */
export interface Client {
  req: IncomingMessage;
  res: ServerResponse;
}

/**
 * A file of the origin is not what the manifest says, or did not come in time. The message names the file: it is for
 * the log only.
 */
export class OriginError extends Error {
  readonly reason: 'missing' | 'unreadable' | 'damaged' | 'slow';
  /** Relative to the origin. */
  readonly path: string;

  /** @param cause an error, or words for the log */
  constructor(reason: OriginError['reason'], path: string, cause?: unknown) {
    super(`${path}: ${reason}${typeof cause === 'string' ? `, ${cause}` : ''}`, { cause });
    this.name = 'OriginError';
    this.reason = reason;
    this.path = path;
  }
}

/** All pieces, one behind the other. */
export async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const PIECE_BYTES = 256 * 1024;

/** The origin that is a directory of this machine: the generator's output folder, or a copy of it. */
export function directoryOrigin(directory: string): Origin {
  const opened = async (path: string): Promise<FileHandle> => {
    try {
      return await open(join(directory, path));
    } catch (error) {
      throw readError(path, error);
    }
  };
  return {
    async read(path, range) {
      if (range === undefined) {
        try {
          return await readFile(join(directory, path));
        } catch (error) {
          throw readError(path, error);
        }
      }
      const file = await opened(path);
      try {
        return await readExactly(file, path, range);
      } finally {
        await file.close();
      }
    },
    async *stream(path, range) {
      const file = await opened(path);
      try {
        for (let done = 0; done < range.length; done += PIECE_BYTES) {
          const length = Math.min(PIECE_BYTES, range.length - done);
          yield await readExactly(file, path, { offset: range.offset + done, length });
        }
      } finally {
        await file.close();
      }
    },
  };
}

async function readExactly(file: FileHandle, path: string, range: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(range.length);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, range.offset + done).catch((error) => {
      throw readError(path, error);
    });
    if (bytesRead === 0) throw new OriginError('damaged', path);
    done += bytesRead;
  }
  return bytes;
}

function readError(path: string, error: unknown): OriginError {
  const missing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
  return new OriginError(missing ? 'missing' : 'unreadable', path, error);
}
