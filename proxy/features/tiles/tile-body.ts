// A tile as a body: a part of the archive, which is its digest's or is not sent. Used by tiles.ts.
import { createHash, hash } from 'node:crypto';
import type { Body, BodySource } from '../../bodies/answer.ts';
import { WHOLE_MAX_BYTES } from '../../bodies/stored-file.ts';
import { type ByteRange, OriginError, type QueuedReads, type Recipient } from '../../origin/origin.ts';
import type { StoredTile } from './level-tiles.ts';

/** Gzipped, as it is stored. */
export class TileBody implements BodySource {
  readonly bytes: number;
  /** Of the archive, relative to the origin. */
  readonly #path: string;
  readonly #range: ByteRange;
  /** The beginning of its SHA-256 in hex, which is its entity tag. */
  readonly tag: string;

  constructor(path: string, { offset, length, digest }: StoredTile) {
    this.bytes = length;
    this.#path = path;
    this.#range = { offset, length };
    this.tag = digest;
  }

  /** A buffer, or a stream if it is large. @throws OriginError as `BodySource` says */
  read(reads: QueuedReads, client: Recipient): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, client));
    const body = reads.buffer(this.bytes);
    if (reads.now(this.#path, this.#range, body, 0, true)) return this.#checked(body);
    return reads.later(client, async () => this.#checked(await reads.read(this.#path, this.#range, client)));
  }

  #checked(body: Buffer): Buffer {
    if (!hash('sha256', body, 'hex').startsWith(this.tag)) throw new OriginError('damaged', this.#path);
    return body;
  }

  #stream(reads: QueuedReads, client: Recipient): AsyncGenerator<Buffer, void, undefined> {
    const sha256 = createHash('sha256');
    return reads.pieces(this.#path, this.#range, client, (chunk, isLast) => {
      sha256.update(chunk);
      return !isLast || sha256.digest('hex').startsWith(this.tag);
    });
  }
}
