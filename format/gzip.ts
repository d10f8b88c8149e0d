// Gzip members (RFC 1952) made of deflate data with seams: data that is byte-aligned and not final, and refers to
// nothing before its beginning (alone) or to the text before it (chained). Feature files consist of it, so that any run
// of features becomes a body of its own without inflating or deflating anything.
import { crc32 } from 'node:zlib';
import type { TextSum } from './crc32.ts';
import type { Format } from './levels.ts';
import { FRAMES } from './levels.ts';
import { resultOf, type Steps } from './steps.ts';

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

/** Writes the bytes after the deflate data of a member. @param crc,length of its text */
export function writeMemberEnd(target: Buffer, offset: number, crc: number, length: number): void {
  target[offset] = 0x03;
  target[offset + 1] = 0;
  target.writeUInt32LE(crc >>> 0, offset + FINAL_BLOCK.length);
  target.writeUInt32LE(length % 2 ** 32, offset + FINAL_BLOCK.length + 4);
}

/** Deflate data with the sum of its text. */
export interface DeflatedText extends TextSum {
  data: Buffer;
}

/** Maximum bytes of a stored block. */
const STORED_MAX_BYTES = 0xffff;
/** Bytes before the text of one: that it is stored, its length, and the complement of that. */
const STORED_HEAD_BYTES = 5;

/** Bytes of a text as stored blocks. */
export function storedBytes(length: number): number {
  return length + Math.ceil(length / STORED_MAX_BYTES) * STORED_HEAD_BYTES;
}

/** The text as stored deflate blocks (RFC 1951 section 3.2.4): no compressor is needed, and its bytes never vary. */
export function storedBlock(text: string): DeflatedText {
  return resultOf(storingBlocks([Buffer.from(text)]));
}

/** The same of a text in parts, a step for each block: there may be megabytes of it. */
export function* storingBlocks(parts: readonly Buffer[]): Steps<DeflatedText> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const data = Buffer.allocUnsafe(storedBytes(length));
  // Of a block: where its text begins, and how much of it is to come.
  let [begin, left] = [0, 0];
  let [at, textLeft, crc] = [0, length, 0];
  for (const part of parts)
    for (let from = 0; from < part.length; ) {
      if (left === 0) {
        if (at > 0) yield;
        left = Math.min(STORED_MAX_BYTES, textLeft);
        textLeft -= left;
        data[at] = 0;
        data.writeUInt16LE(left, at + 1);
        data.writeUInt16LE(~left & 0xffff, at + 3);
        at += STORED_HEAD_BYTES;
        begin = at;
      }
      const bytes = part.copy(data, at, from, from + left);
      from += bytes;
      at += bytes;
      left -= bytes;
      if (left === 0) crc = crc32(data.subarray(begin, at), crc);
    }
  return { data, crc, length };
}

/** The text around the features of a body (see `FRAMES`): before and after them as deflate data. */
export interface FrameData {
  before: DeflatedText;
  /** Whose separators are between them. */
  format: Format;
  after: DeflatedText;
}

/** The last byte of the data of every feature of a body but the last one. */
export const SEPARATORS: Readonly<Record<Format, number>> = {
  geojsonl: separatorOf('geojsonl'),
  fc: separatorOf('fc'),
};

function separatorOf(format: Format): number {
  return FRAMES[format].separator.charCodeAt(0);
}

/** The frame of each format as deflate data. */
export const FRAME_DATA: Readonly<Record<Format, FrameData>> = {
  geojsonl: frameData('geojsonl'),
  fc: frameData('fc'),
};

function frameData(format: Format): FrameData {
  const { before, after } = FRAMES[format];
  return { before: storedBlock(before), format, after: storedBlock(after) };
}
