// A file in blocks of one size, of which the last may be shorter, with a digest for each.
import { hasTileDigest } from '../../format/tiles.ts';
import type { ByteRange } from '../origin/origin.ts';
import type { PieceDirectory } from './pieces.ts';

/** Where the blocks of a file are, and what they must be. */
export class BlockFile implements PieceDirectory {
  readonly #fileBytes: number;
  readonly #blockBytes: number;
  readonly #begin: number;
  readonly #digests: Buffer;

  /**
   * @param fileBytes of the whole file
   * @param digests of the blocks, 8 bytes of SHA-256 each
   * @param begin bytes of the file before the first block
   */
  constructor(fileBytes: number, blockBytes: number, digests: Buffer, begin = 0) {
    this.#fileBytes = fileBytes;
    this.#blockBytes = blockBytes;
    this.#digests = digests;
    this.#begin = begin;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#digests.length;
  }

  /** The number of the block that has a byte. */
  pieceAt(offset: number): number {
    return Math.floor((offset - this.#begin) / this.#blockBytes);
  }

  rangeOf(block: number): ByteRange {
    const offset = this.#begin + block * this.#blockBytes;
    return { offset, length: Math.min(this.#fileBytes - offset, this.#blockBytes) };
  }

  hasBytes(block: number, bytes: Uint8Array): boolean {
    return hasTileDigest(this.#digests, block, bytes);
  }
}
