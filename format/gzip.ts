// The gzip container (RFC 1952) taken apart: pages are one member whose deflate stream is cut into blocks by full
// flushes, so that blocks can be copied, replaced and joined without touching the others.
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** The member header of every page: deflate, no name, mtime 0, no extra flags, unknown operating system. */
export const GZIP_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff]);

/** The empty last deflate block that ends every page's stream; each block before it ends byte-aligned. */
export const LAST_BLOCK: Buffer = Buffer.from([0x03, 0x00]);

/** Bytes of the trailer: CRC-32 and length of the text, both modulo 2^32, little-endian. */
export const GZIP_TRAILER_BYTES = 8;

/** Bytes of a page that are not blocks: header, last block, trailer. */
export const GZIP_FRAME_BYTES: number = GZIP_HEADER.length + LAST_BLOCK.length + GZIP_TRAILER_BYTES;

/**
 * Compression: coordinates are runs of digits, which Z_FILTERED (few short matches, more Huffman coding) suits: at level 5
 * it gives smaller pages than zlib's default level 6 without it, in little more than half the time.
 */
const DEFLATE_OPTIONS = { level: 5, strategy: constants.Z_FILTERED, finishFlush: constants.Z_FULL_FLUSH };

/** What must be known of a stretch of text to join its compressed form with others. */
export interface TextSum {
  /** CRC-32 of the text. */
  crc: number;
  /** Length of the text in bytes. */
  length: number;
}

/** The sum of no text. */
export const EMPTY_SUM: TextSum = { crc: 0, length: 0 };

/** Sums `text`. */
export function sumOf(text: Uint8Array): TextSum {
  return { crc: crc32(text), length: text.length };
}

/** Deflates `text` into blocks that stand alone: no reference back past their start, byte-aligned end, not last. */
export function deflateBlock(text: Uint8Array): Buffer {
  return deflateRawSync(text, DEFLATE_OPTIONS);
}

/** The gzip trailer for text with this sum. */
export function gzipTrailer(sum: TextSum): Buffer {
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(sum.crc >>> 0, 0);
  trailer.writeUInt32LE(sum.length % 2 ** 32, 4);
  return trailer;
}

const POLYNOMIAL = 0xedb88320;

/** Product of two polynomials modulo the CRC-32 polynomial, in reflected bit order. Without branches: `-1` is all ones. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    product ^= factor & -((a >>> bit) & 1);
    factor = (factor >>> 1) ^ (POLYNOMIAL & -(factor & 1));
  }
  return product >>> 0;
}

/** x^(2^k) modulo the polynomial, k = 0..31: squares of squares; exponents repeat after 32 (x^(2^32 - 1) = 1). */
const POWERS: readonly number[] = (() => {
  const powers = [0x40000000];
  for (let k = 1; k < 32; k++) {
    const last = powers[k - 1] ?? 0;
    powers.push(multiply(last, last));
  }
  return powers;
})();

/** x^(8 * bytes) modulo the polynomial: what appending that many bytes multiplies a CRC by. */
export function shiftOf(bytes: number): number {
  let shift = 0x80000000;
  let k = 3;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(POWERS[k & 31] ?? 0, shift);
    k++;
  }
  return shift;
}

/**
 * The sum of `a` followed by `b`, from their sums alone (Mark Adler's construction for zlib's crc32_combine).
 * @param shift `shiftOf(b.length)`, for callers that have it already
 */
export function joinSums(a: TextSum, b: TextSum, shift: number = shiftOf(b.length)): TextSum {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return {
    crc: (multiply(shift, a.crc >>> 0) ^ b.crc) >>> 0,
    length: a.length + b.length,
  };
}
