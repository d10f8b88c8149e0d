// Bodies that are bytes of a stored file, unchanged: pages, names, tiles; and the text of any body,
// for clients that do not accept gzip. All are verified before their last byte is sent.
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { ByteRange, QueuedReads, Recipient } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { Body, BodySource } from './answer.ts';
import { type Check, type Chunks, checkedStream, rangeParts, sha256Check } from './checked-stream.ts';

/** Maximum size of a body that is read into memory and verified as a whole. */
export const WHOLE_MAX_BYTES: number = 1024 * 1024;
/** Maximum length of a text that is inflated on the event loop, in about a millisecond. */
export const INFLATED_NOW_MAX_BYTES: number = 256 * 1024;
/** Length of a chunk of a longer text, which is inflated in the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/** 64 bits of SHA-256 in hex: what entity tags of stored files consist of, as the index has them of pages. */
export const FILE_TAG_CHARS = 16;

/** A stored file, or a part of one, as a body: a buffer, or a stream if it is large. */
export class StoredBytes implements BodySource {
  /** Relative to the origin. */
  readonly path: string;
  readonly bytes: number;
  /** Entity tag without quotes. */
  readonly tag: string;
  readonly #range: ByteRange;
  readonly #newCheck: () => Check;
  readonly #isWhole: boolean;

  /** @param isWhole is the range all of the file? Other ranges of it will be read otherwise */
  constructor(path: string, range: ByteRange, tag: string, newCheck: () => Check, isWhole: boolean) {
    this.path = path;
    this.bytes = range.length;
    this.tag = tag;
    this.#range = range;
    this.#newCheck = newCheck;
    this.#isWhole = isWhole;
  }

  read(reads: QueuedReads, client: Recipient): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, client));
    const body = reads.buffer(this.bytes);
    if (reads.now(this.path, this.#range, body, 0, !this.#isWhole)) return this.#checked(reads, body);
    const reader = this.#isWhole ? { page: client } : undefined;
    const read = () => reads.read(this.path, this.#range, client, reader);
    return reads.later(client, async () => this.#checked(reads, await read()));
  }

  #checked(reads: QueuedReads, body: Buffer): Buffer {
    if (!this.#newCheck()(body, true)) throw reads.damaged(this.path);
    return body;
  }

  #stream(reads: QueuedReads, client: Recipient): Chunks {
    const sent = { reads, client, path: this.path, range: this.#range, at: 0 };
    return checkedStream(reads, rangeParts(sent, this.#newCheck()), 0, this.bytes);
  }
}

/** A stored file as a body. @param tag the beginning of its SHA-256 in hex, which is its entity tag */
export function storedFile(path: string, bytes: number, tag: string): StoredBytes {
  return new StoredBytes(path, { offset: 0, length: bytes }, tag, () => sha256Check(tag), true);
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
      return this.bytes <= INFLATED_NOW_MAX_BYTES && Buffer.isBuffer(gzipped)
        ? inflate(gzipped, this.bytes, this.#path)
        : inflateStream(gzipped, this.bytes, this.#path);
    });
  }
}

/** The text of a gzip member, on the event loop. @throws Error if it is none, or its text is much longer */
export function inflateNow(gzipped: Buffer, textBytes: number): Buffer {
  // Twice the length: Workers count the size of their buffers, of which the last is not full.
  return gunzipSync(gzipped, { chunkSize: Math.max(textBytes + 1, 64), maxOutputLength: Math.max(2 * textBytes, 64) });
}

function inflate(gzipped: Buffer, textBytes: number, path: string): Buffer {
  let text: Buffer;
  try {
    text = inflateNow(gzipped, textBytes);
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
