// Inflates gzip members and deflate data of a release, and checks that they have no bytes left over. Used by `verify` and
// `diff`.
import { inflateRawSync } from 'node:zlib';
import { sumOf, type TextSum } from '../../format/crc32.ts';
import { codeOf } from '../../format/error-code.ts';
import { FINAL_BLOCK, MEMBER_FRAME_BYTES, MEMBER_HEADER, memberEnd, TRAILER_BYTES } from '../../format/gzip.ts';
import { FileError } from './file-error.ts';

/** The end of deflate data with a seam: an empty stored block, byte-aligned (RFC 1951 section 3.2.4). */
const SEAM = Buffer.from([0, 0, 0xff, 0xff]);
const LONGEST_CHUNK_BYTES = 1 << 24;

/**
 * Inflates a file that is one gzip member.
 * @throws FileError if it is not
 */
export function inflateMember(member: Buffer): Buffer {
  if (member.length < MEMBER_FRAME_BYTES) throw new FileError('is too short for a gzip member');
  expectBytes(member.subarray(0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
  const trailer = member.subarray(-TRAILER_BYTES);
  const textBytes = trailer.readUInt32LE(TRAILER_BYTES - 4);
  const text = inflateExactly(member.subarray(MEMBER_HEADER.length, -TRAILER_BYTES), textBytes, textBytes);
  expectTrailer(trailer, sumOf(text));
  return text;
}

/**
 * Inflates the deflate data of one feature.
 * @param textBytes expected length of its text
 * @throws FileError if it refers to data before it, has a final block, or does not end in a seam
 */
export function inflateFeature(data: Buffer, textBytes: number): Buffer {
  expectBytes(data.subarray(-SEAM.length), SEAM, 'seam');
  // With a final block it is a whole stream: zlib then tells an unfinished block or an early end from a seam.
  return inflateExactly(Buffer.concat([data, FINAL_BLOCK]), textBytes);
}

/** Inflates a deflate stream that ends with the last byte. @param room maximum bytes of its text */
function inflateExactly(deflated: Buffer, textBytes: number, room?: number): Buffer {
  const chunkSize = Math.min(Math.max(textBytes, 64), LONGEST_CHUNK_BYTES);
  const limit = room === undefined ? {} : { maxOutputLength: Math.max(room, 1) };
  let inflated: unknown;
  try {
    inflated = inflateRawSync(deflated, { info: true, chunkSize, ...limit });
  } catch (error) {
    throw inflateError(error, room);
  }
  if (!isInflated(inflated)) throw new Error('zlib does not say how many bytes it took');
  expectAllTaken(inflated.engine.bytesWritten, deflated.length);
  return inflated.buffer;
}

/** The result of zlib with `info`, which @types/node does not declare. */
function isInflated(value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}

/** Turns an error of zlib into a FileError; returns any other error unchanged. */
export function inflateError(error: unknown, room?: number): unknown {
  const code = codeOf(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') return new FileError(`inflates to more than ${room} bytes`);
  const isDamaged = error instanceof Error && code.startsWith('Z_');
  return isDamaged ? new FileError(`cannot be inflated: ${error.message}`) : error;
}

/** @throws FileError if a deflate stream ends before its bytes do */
export function expectAllTaken(taken: number, deflated: number): void {
  if (taken !== deflated) throw new FileError(`its deflate stream ends after ${taken} of ${deflated} bytes`);
}

/** @throws FileError if it is not the trailer of a member whose text has this sum */
export function expectTrailer(trailer: Buffer, sum: TextSum): void {
  expectBytes(trailer, memberEnd(sum).subarray(FINAL_BLOCK.length), 'gzip trailer');
}

/** @throws FileError if `got` is not `expected` */
export function expectBytes(got: Buffer, expected: Buffer, what: string): void {
  if (!got.equals(expected))
    throw new FileError(`its ${what} is ${got.toString('hex')}, expected ${expected.toString('hex')}`);
}
