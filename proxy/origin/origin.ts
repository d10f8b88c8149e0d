// Where a release's files are read from: a directory (directory-origin.ts) or a static host (host.ts).
// Paths come from format/layout.ts with a manifest's own data, never from the text of a request.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Some bytes of a file. */
export interface ByteRange {
  /** Of the first byte. */
  offset: number;
  /** In bytes. */
  length: number;
}

/** The client that a page is for. */
export interface Client {
  req: IncomingMessage;
  res: ServerResponse;
}

/** Where files come from. */
export interface Origin {
  /**
   * The whole file, or exactly the bytes of `range`.
   * @param client given for a stored page on its way to a client: such a file is read once and from its beginning, and
   * reading may end when the client goes away
   * @throws OriginError when the file is missing, ends before the range does, or cannot be read
   */
  read(path: string, range?: ByteRange, client?: Client): Promise<Buffer>;
  /**
   * Exactly the bytes of `range`, piece by piece; the next piece is read when it is asked for.
   * @param client as for `read`
   * @throws OriginError as `read` does, perhaps after some pieces
   */
  stream(path: string, range: ByteRange, client?: Client): AsyncGenerator<Buffer, void, undefined>;
  /**
   * Closes what is kept open of a file, or of all files in a folder: the file was found damaged and may be replaced, or
   * the folder's release is no longer hosted.
   */
  close?(path: string): void;
}

/**
 * A file of the origin is not what the manifest or the index says, or did not come in time. The message names the file:
 * it is for the log only.
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
