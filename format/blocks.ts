// blocks.bin of a signed release: a digest of each block of each file, by which a range is checked although others may
// have written the file. The generator writes it when it signs; README.md, 'Signatures', describes the bytes.
import { hash } from 'node:crypto';
import { FormatError } from './parse.ts';

/** Bytes of each block of a file but the last. */
export const BLOCK_BYTES: number = 16 * 1024;
/** Bytes of a block's digest: the beginning of its SHA-256. */
const DIGEST_BYTES = 16;
export const MAGIC: Buffer = Buffer.from('blocks\0\x01', 'latin1');
/** Bytes before the files: magic and number of files. */
export const HEAD_BYTES = 16;
/** Bytes of what is said of a file: its key, its length, the number of its first block. */
export const FILE_BYTES = 24;
const KEY_BYTES = 8;

/** The digest of a block. */
export function blockDigest(block: Uint8Array): Buffer {
  return hash('sha256', block, 'buffer').subarray(0, DIGEST_BYTES);
}

/** What files are sorted and found by: the beginning of the SHA-256 of the path. */
export function keyOf(path: string): Buffer {
  return hash('sha256', path, 'buffer').subarray(0, KEY_BYTES);
}

/** The digests of a release's blocks. */
export class Blocks {
  readonly #content: Buffer;
  readonly #files: number;

  /** @throws FormatError if the content is not that of a file of blocks; whether it is signed is checked before */
  constructor(content: Buffer, file: string) {
    if (!content.subarray(0, MAGIC.length).equals(MAGIC)) throw new FormatError(file, 'is no list of blocks');
    this.#content = content;
    this.#files = content.readDoubleLE(MAGIC.length);
  }

  /** Where the digests of a file begin, and its length; undefined of a path that is none of the release's files. */
  fileOf(path: string): { at: number; bytes: number } | undefined {
    const key = keyOf(path);
    let low = 0;
    for (let high = this.#files; low < high; ) {
      const middle = (low + high) >>> 1;
      const at = HEAD_BYTES + FILE_BYTES * middle;
      const order = key.compare(this.#content, at, at + KEY_BYTES);
      const [bytes, first] = [this.#content.readDoubleLE(at + 8), this.#content.readDoubleLE(at + 16)];
      if (order === 0) return { at: HEAD_BYTES + FILE_BYTES * this.#files + DIGEST_BYTES * first, bytes };
      if (order > 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /**
   * Are these the bytes of a file from `offset` on? A block begins there, and ends, or the file does, where they end.
   */
  areIntact({ at }: { at: number }, offset: number, bytes: Uint8Array): boolean {
    for (let begin = 0; begin < bytes.length; begin += BLOCK_BYTES) {
      const digestAt = at + (DIGEST_BYTES * (offset + begin)) / BLOCK_BYTES;
      const block = blockDigest(bytes.subarray(begin, begin + BLOCK_BYTES));
      if (!block.equals(this.#content.subarray(digestAt, digestAt + DIGEST_BYTES))) return false;
    }
    return true;
  }
}
