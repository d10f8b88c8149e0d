// A tile as a body: a part of the archive, which is checked or not sent.
import { crc32 } from 'node:zlib';
import type { Body, BodySource } from '../../bodies/answer.ts';
import { type Chunks, checkedStream, rangeParts } from '../../bodies/checked-stream.ts';
import { WHOLE_MAX_BYTES } from '../../bodies/stored-file.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import type { StoredTile } from './level-tiles.ts';

/** Gzipped, as it is stored. */
export class TileBody implements BodySource {
  readonly bytes: number;
  /** Of the archive, relative to the origin. */
  readonly #path: string;
  readonly #range: ByteRange;
  /** The beginning of its SHA-256 in hex, which is its entity tag. */
  readonly tag: string;
  readonly #crc: number;

  constructor(path: string, { offset, length, digest, crc }: StoredTile) {
    this.bytes = length;
    this.#path = path;
    this.#range = { offset, length };
    this.tag = digest;
    this.#crc = crc;
  }

  /** A buffer, or a stream if it is large. @throws OriginError as `BodySource` says */
  read(reads: QueuedReads, client: Recipient): Body | Promise<Body> {
    if (this.bytes > WHOLE_MAX_BYTES) return reads.later(client, () => this.#stream(reads, client));
    const body = reads.buffer(this.bytes);
    if (reads.now(this.#path, this.#range, body, 0, true)) return this.#checked(reads, body);
    return reads.later(client, async () => this.#checked(reads, await reads.read(this.#path, this.#range, client)));
  }

  #checked(reads: QueuedReads, body: Buffer): Buffer {
    if (crc32(body) !== this.#crc) throw reads.damaged(this.#path);
    return body;
  }

  #stream(reads: QueuedReads, client: Recipient): Chunks {
    let crc = 0;
    const parts = rangeParts({ reads, client, path: this.#path, range: this.#range, at: 0 }, (part, isLast) => {
      crc = crc32(part, crc);
      return !isLast || crc === this.#crc;
    });
    return checkedStream(reads, parts, 0, this.bytes);
  }
}
