// Assembles gzip members (RFC 1952). Feature files and pages consist of
// members whose deflate data is byte-aligned and not final, so that the data of several can be joined into one member
// without inflating or deflating anything.
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Format } from './levels.ts';
import { FRAMES } from './levels.ts';

/** The header of every member: deflate, no name, mtime 0, no extra flags, unknown operating system. */
export const MEMBER_HEADER: Buffer = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff]);

/** The empty final deflate block that ends every member's deflate stream. */
export const FINAL_BLOCK: Buffer = Buffer.from([0x03, 0x00]);

/** Bytes of the trailer: CRC-32 and length of the text, both modulo 2^32, little-endian. */
export const TRAILER_BYTES = 8;

/** Bytes of a member that follow its deflate data: final block and trailer. */
export const MEMBER_END_BYTES: number = FINAL_BLOCK.length + TRAILER_BYTES;

/** Bytes of a member that are not deflate data. */
export const MEMBER_FRAME_BYTES: number = MEMBER_HEADER.length + MEMBER_END_BYTES;

/**
 * Compression: coordinates are runs of digits, which Z_FILTERED (few short matches, more Huffman coding) suits: at level 5
 * it gives smaller members than zlib's default level 6 without it, in little more than half the time.
 */
const DEFLATE_OPTIONS = { level: 5, strategy: constants.Z_FILTERED, finishFlush: constants.Z_FULL_FLUSH };

/** The CRC-32 and length of a text, as in a member's trailer. */
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

/** Deflates `text` into data that can be joined: no reference back past its start, byte-aligned end, not final. */
export function deflateText(text: Uint8Array): Buffer {
  return deflateRawSync(text, DEFLATE_OPTIONS);
}

/** Compression of names and of the overview. Levels 8 and 9 make them 1.5 % smaller in four times the time. */
const WHOLE_OPTIONS = { level: 7, finishFlush: constants.Z_FULL_FLUSH };

/** `deflateText` for a file that is not joined with others: names and the overview, which have few coordinates. */
export function deflateWhole(text: Uint8Array): Buffer {
  return deflateRawSync(text, WHOLE_OPTIONS);
}

/** Deflate data with the sum of its text. */
export interface DeflatedText extends TextSum {
  data: Buffer;
}

/**
 * Joins deflate data into one gzip member. `take` returns the bytes as they are added, so that a large member never has
 * to be in memory as a whole.
 */
export class MemberAssembly {
  #crc = 0;
  #length = 0;
  #parts: Buffer[] = [MEMBER_HEADER];

  /** Length of the text so far, in bytes. */
  get textBytes(): number {
    return this.#length;
  }

  add(piece: DeflatedText): void {
    if (piece.data.length === 0) return;
    this.#parts.push(piece.data);
    this.#crc = joinCrcs(this.#crc, piece.crc, piece.length);
    this.#length += piece.length;
  }

  /** Ends the member; nothing may be added afterwards. */
  end(): void {
    this.#parts.push(memberEnd({ crc: this.#crc, length: this.#length }));
  }

  /** The bytes added since the last call. */
  take(): Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}

/** One gzip member of deflate data, in order. */
export function joinMember(pieces: readonly DeflatedText[]): Buffer {
  const assembly = new MemberAssembly();
  for (const piece of pieces) assembly.add(piece);
  assembly.end();
  return Buffer.concat(assembly.take());
}

/** The bytes after the deflate data of a member whose text has this sum. */
export function memberEnd(sum: TextSum): Buffer {
  const end = Buffer.allocUnsafe(MEMBER_END_BYTES);
  FINAL_BLOCK.copy(end);
  end.writeUInt32LE(sum.crc >>> 0, FINAL_BLOCK.length);
  end.writeUInt32LE(sum.length % 2 ** 32, FINAL_BLOCK.length + 4);
  return end;
}

/**
 * The text as one stored deflate block (RFC 1951 section 3.2.4): no compressor is needed, and its bytes never vary.
 * @param text at most 65,535 bytes
 */
function storedBlock(text: string): DeflatedText {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return { data: bytes.length === 0 ? bytes : Buffer.concat([head, bytes]), ...sumOf(bytes) };
}

/** The text before, between and after the features of a body (see `FRAMES`), as deflate data. */
export interface FrameData {
  before: DeflatedText;
  between: DeflatedText;
  after: DeflatedText;
}

/** The frame of each format as deflate data. */
export const FRAME_DATA: Readonly<Record<Format, FrameData>> = {
  geojsonl: frameData('geojsonl'),
  fc: frameData('fc'),
};

function frameData(format: Format): FrameData {
  const { before, between, after } = FRAMES[format];
  return { before: storedBlock(before), between: storedBlock(between), after: storedBlock(after) };
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

/** The polynomial 1, and x^8: what appending one byte multiplies a CRC by. */
const ONE = 0x80000000;
const X8 = 0x00800000;

/** For each of the four bytes of a length a table of 256: entry 256 * k + i is x^(8 * i * 256^k). */
const SHIFTS: Uint32Array = (() => {
  const shifts = new Uint32Array(4 * 256);
  let step = X8;
  for (let k = 0; k < 4; k++) {
    let power = ONE;
    for (let i = 0; i < 256; i++) {
      shifts[256 * k + i] = power;
      power = multiply(power, step);
    }
    step = power;
  }
  return shifts;
})();

/**
 * The CRC-32 of one text followed by another, from their CRCs (Mark Adler's construction for zlib's crc32_combine): the
 * first is multiplied by x^(8 * length of the second).
 * @param length of the second text, in bytes: below 2^32
 */
export function joinCrcs(first: number, second: number, length: number): number {
  let crc = first;
  for (let k = 0, left = length; left > 0; k++, left >>>= 8) {
    const shift = SHIFTS[256 * k + (left & 0xff)];
    if (shift !== undefined && shift !== ONE) crc = multiply(shift, crc);
  }
  return (crc ^ second) >>> 0;
}

/** The sum of `a` followed by `b`, from their sums alone. */
export function joinSums(a: TextSum, b: TextSum): TextSum {
  return { crc: joinCrcs(a.crc, b.crc, b.length), length: a.length + b.length };
}
