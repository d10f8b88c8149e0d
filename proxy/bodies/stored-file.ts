// Bodies that are the bytes of a stored file, unchanged: pages, names; and the text of any body,
// for clients that do not accept gzip. All are verified before their last byte is sent.
import { createHash, hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { ByteRange, QueuedReads, Recipient } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Body, BodySource } from './answer.ts';
import { type Chunks, checkedStream, rangeParts } from './checked-stream.ts';

/** Maximum size of a body that is read into memory and verified as a whole. */
export const WHOLE_MAX_BYTES: number = 1024 * 1024;
/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
const SYNC_MAX_BYTES = 256 * 1024;
/** Length of a chunk of a longer text, which is inflated in the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/** 64 bits of SHA-256 in hex: what entity tags of stored files consist of, as the index has them of pages. */
export const TAG_CHARS = 16;

/** A stored file as a body: a buffer, or a stream if it is large. */
export class StoredFile implements BodySource {
  /** Relative to the origin. */
  readonly path: string;
  readonly bytes: number;
  /** The beginning of its SHA-256 in hex, which is its entity tag. */
  readonly tag: string;

  constructor(path: string, bytes: number, tag: string) {
    this.path = path;
    this.bytes = bytes;
    this.tag = tag;
  }

  read(reads: QueuedReads, client: Recipient): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, client));
    const range: ByteRange = { offset: 0, length: this.bytes };
    const body = reads.buffer(this.bytes);
    if (reads.now(this.path, range, body, 0, false)) return this.#checked(reads, body);
    const read = () => reads.read(this.path, range, client, { page: client });
    return reads.later(client, async () => this.#checked(reads, await read()));
  }

  #checked(reads: QueuedReads, body: Buffer): Buffer {
    if (!hash('sha256', body, 'hex').startsWith(this.tag)) throw reads.damaged(this.path);
    return body;
  }

  #stream(reads: QueuedReads, client: Recipient): Chunks {
    const sha256 = createHash('sha256');
    const sent = { reads, client, path: this.path, range: { offset: 0, length: this.bytes }, at: 0 };
    const parts = rangeParts(sent, (part, isLast) => {
      sha256.update(part);
      return !isLast || sha256.digest('hex').startsWith(this.tag);
    });
    return checkedStream(reads, parts, 0, this.bytes);
  }
}

/** The text of another body. */
export class InflatedBody implements BodySource {
  readonly bytes: number;
  readonly ownBytes: number | undefined;
  readonly #gzipped: BodySource;
  /** The source of the body, for the log. */
  readonly #path: string;

  /** @param bytes the length of the text */
  constructor(gzipped: BodySource, bytes: number, path: string) {
    this.#gzipped = gzipped;
    this.bytes = bytes;
    this.ownBytes = gzipped.ownBytes;
    this.#path = path;
  }

  /**
   * @throws OriginError if the body is not one gzip member with a text of that length; from a stream, possibly after
   *   some chunks
   */
  read(reads: QueuedReads, client: Recipient): Promise<Body> {
    // One task: what has been read must not wait, or be refused, a second time.
    return reads.later(client, async (own) => {
      const gzipped = await this.#gzipped.read(own, client);
      return this.bytes <= SYNC_MAX_BYTES && Buffer.isBuffer(gzipped)
        ? inflate(gzipped, this.bytes, this.#path)
        : inflateStream(gzipped, this.bytes, this.#path);
    });
  }
}

function inflate(gzipped: Buffer, textBytes: number, path: string): Buffer {
  let text: Buffer;
  try {
    // Twice the length: Workers count the size of their buffers, of which the last is not full.
    text = gunzipSync(gzipped, {
      chunkSize: Math.max(textBytes + 1, 64),
      maxOutputLength: Math.max(2 * textBytes, 64),
    });
  } catch (error) {
    throw new OriginError('damaged', path, error);
  }
  if (text.length !== textBytes) throw new OriginError('damaged', path, `${text.length} bytes of text`);
  return text;
}

/** The last chunk is withheld until the gzipped body has ended without an error: clients check only the length. */
async function* inflateStream(gzipped: Body, textBytes: number, path: string): Chunks {
  const inflate = createGunzip({ chunkSize: CHUNK_BYTES });
  // An error of the source destroys `inflate`, which throws it in the loop below.
  pipeline(Buffer.isBuffer(gzipped) ? [gzipped] : gzipped, inflate, () => {});
  const wrongLength = (): OriginError => new OriginError('damaged', path, `not ${textBytes} bytes of text`);
  let length = 0;
  let withheld: Buffer | undefined;
  try {
    for await (const chunk of inflate) {
      if (withheld !== undefined) yield withheld;
      length += chunk.length;
      if (length > textBytes) throw wrongLength();
      withheld = chunk;
    }
    if (length !== textBytes) throw wrongLength();
  } catch (error) {
    throw error instanceof OriginError ? error : new OriginError('damaged', path, error);
  }
  if (withheld !== undefined) yield withheld;
}
