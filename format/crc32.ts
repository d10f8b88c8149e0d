// CRC-32 of joined and cut texts from the CRCs of their parts, without the texts (Mark Adler's construction for zlib's
// crc32_combine): a CRC is a polynomial over GF(2), and appending n bytes multiplies it by x^(8n).
import { crc32 } from 'node:zlib';

/** The CRC-32 and length of a text, as in the trailer of a gzip member. */
export interface TextSum {
  /** CRC-32 of the text. */
  crc: number;
  /** Length of the text in bytes. */
  length: number;
}

/** The sum of the empty text. */
export const EMPTY_SUM: TextSum = { crc: 0, length: 0 };

/** Sums `text`. */
export function sumOf(text: Uint8Array): TextSum {
  return { crc: crc32(text), length: text.length };
}

/** The sum of `a` followed by `b`, from their sums alone. */
export function joinSums(a: TextSum, b: TextSum): TextSum {
  return { crc: joinCrcs(a.crc, b.crc, b.length), length: a.length + b.length };
}

/** The CRC-32 of one text followed by another, from their CRCs. @param length of the second text in bytes */
export function joinCrcs(first: number, second: number, length: number): number {
  return (shiftCrc(first, length) ^ second) >>> 0;
}

/**
 * The CRC-32 of the end of a text, from that of the whole and that of what comes before.
 * @param length of the end in bytes
 */
export function cutCrc(before: number, whole: number, length: number): number {
  return (shiftCrc(before, length) ^ whole) >>> 0;
}

/** The CRC-32 of a text that ends in a comma, from that of the same with a line feed, and back: a CRC is linear. */
export function swapSeparator(crc: number): number {
  return (crc ^ SWAP) >>> 0;
}

const SWAP = crc32(',') ^ crc32('\n');
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1, and x^8: what appending one byte multiplies a CRC by. */
const ONE = 0x80000000;
const X8 = 0x00800000;
/** Lengths as digits of 12 bits: one for most features without a geometry. */
const DIGIT_BITS = 12;
const DIGITS = 2 ** DIGIT_BITS;
/** Digits of the longest length: 2^48 bytes of text are more than a level can have. */
const LENGTH_DIGITS = 4;

/** For each digit of a length a table: entry DIGITS * k + i is x^(8 * i * DIGITS^k). */
const SHIFTS: Uint32Array = (() => {
  const shifts = new Uint32Array(LENGTH_DIGITS * DIGITS);
  let step = X8;
  for (let k = 0; k < LENGTH_DIGITS; k++) {
    let power = ONE;
    for (let i = 0; i < DIGITS; i++) {
      shifts[DIGITS * k + i] = power;
      power = multiply(power, step);
    }
    step = power;
  }
  return shifts;
})();

/**
 * A CRC multiplied by x^(8 * length): what it contributes once `length` more bytes have followed.
 * @throws RangeError from 2^48 bytes on
 */
export function shiftCrc(crc: number, length: number): number {
  let shifted = crc;
  for (let k = 0, left = length; left > 0; k += DIGITS, left = Math.floor(left / DIGITS)) {
    // `&` is exact for whole numbers up to 2^53.
    const factor = SHIFTS[k + (left & (DIGITS - 1))];
    if (factor === undefined) throw new RangeError(`a text of ${length} bytes`);
    if (factor !== ONE) shifted = multiply(factor, shifted);
  }
  return shifted >>> 0;
}

/**
 * Product of two polynomials modulo the CRC-32 polynomial, in reflected bit order. Without branches: `-1` is all ones.
 */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    product ^= factor & -((a >>> bit) & 1);
    factor = (factor >>> 1) ^ (POLYNOMIAL & -(factor & 1));
  }
  return product >>> 0;
}
