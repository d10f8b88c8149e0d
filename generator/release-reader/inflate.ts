// Inflates gzip members and deflate data of a release, and checks that they have no bytes left over.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, gunzipSync, inflateRawSync } from 'node:zlib';
import type { CheckedFile } from '../../format/checked-files.ts';
import { EMPTY_SUM, sumOf, type TextSum } from '../../format/crc32.ts';
import { codeOf } from '../../format/error-code.ts';
import { FINAL_BLOCK, MEMBER_FRAME_BYTES, MEMBER_HEADER, TRAILER_BYTES } from '../../format/gzip.ts';
import { memberEnd, SEAM } from '../../format/write/gzip.ts';
import { FileError } from './file-error.ts';

/** What a text may have beyond what it should be, so that one can say where it differs. */
export const EXCESS_BYTES = 1 << 20;
const LONGEST_CHUNK_BYTES = 1 << 24;
const READ_BYTES = 1 << 20;
/** Maximum bytes of a member that is inflated in one call: a stream has a cost for each file. */
const WHOLE_BYTES = 1 << 20;

/**
 * The sum of the text of a file that is one gzip member. A page's text can be hundreds of MB: that of a large one is
 * never in memory as a whole.
 * @param most bytes of its text: one that has more is inflated no further
 * @throws FileError if it is not one, or has more
 */
export async function sumOfMember(file: string, most: number): Promise<TextSum> {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    if (size < MEMBER_FRAME_BYTES) throw new FileError('is too short for a gzip member');
    const [begin, end] = [MEMBER_HEADER.length, size - TRAILER_BYTES];
    expectBytes(readAt(handle, 0, begin), MEMBER_HEADER, 'gzip header');
    const trailer = readAt(handle, end, TRAILER_BYTES);
    const textBytes = Math.min(trailer.readUInt32LE(TRAILER_BYTES - 4), most);
    const sum =
      size <= WHOLE_BYTES
        ? sumOf(inflateExactly(readAt(handle, begin, end - begin), textBytes))
        : await sumOfStream(handle, begin, end, most);
    expectBytes(trailer, memberEnd(sum).subarray(FINAL_BLOCK.length), 'gzip trailer');
    return sum;
  } finally {
    closeSync(handle);
  }
}

/** The sum of the text of the deflate stream from `begin` up to but not including `end`, of at most so many bytes. */
async function sumOfStream(handle: number, begin: number, end: number, most: number): Promise<TextSum> {
  const inflate = createInflateRaw({ chunkSize: READ_BYTES });
  let sum = EMPTY_SUM;
  await pipeline(piecesOf(handle, begin, end), inflate, async (texts: AsyncIterable<Buffer>) => {
    for await (const text of texts) {
      sum = { crc: crc32(text, sum.crc), length: sum.length + text.length };
      if (sum.length > most) throw tooLong(most);
    }
  }).catch((error) => {
    // The pipeline is aborted if the deflate stream ends before the file does.
    if (error.name !== 'AbortError') throw inflateError(error);
  });
  expectAllTaken(inflate.bytesWritten, end - begin);
  return sum;
}

/**
 * Inflates the deflate data of one feature.
 * @param textBytes maximum length of its text
 * @param before the text before it, if it is chained
 * @throws FileError if it refers to other data before it, has a final block, or does not end in a seam
 */
export function inflateFeature(data: Buffer, textBytes: number, before?: Buffer): Buffer {
  expectBytes(data.subarray(-SEAM.length), SEAM, 'seam');
  // With a final block it is a whole stream: zlib then tells an unfinished block or an early end from a seam.
  return inflateExactly(Buffer.concat([data, FINAL_BLOCK]), textBytes, before);
}

/** Reads `bytes` bytes at `offset`; fewer if the file ends before. */
export function readAt(handle: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  for (let read = -1; done < bytes && read !== 0; done += read)
    read = readSync(handle, buffer, done, bytes - done, offset + done);
  return buffer.subarray(0, done);
}

/** Size and SHA-256 of a file of any size. */
export function sizeAndSum(file: string): CheckedFile {
  const sum = createHash('sha256');
  const handle = openSync(file, 'r');
  try {
    const bytes = fstatSync(handle).size;
    for (const piece of piecesOf(handle, 0, bytes)) sum.update(piece);
    return { bytes, sha256: sum.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

/** The bytes from `start` up to but not including `end`, in large pieces. */
export function* piecesOf(handle: number, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += READ_BYTES) yield readAt(handle, at, Math.min(READ_BYTES, end - at));
}

/** @throws FileError if `got` is not `expected` */
export function expectBytes(got: Buffer, expected: Buffer, what: string): void {
  if (!got.equals(expected))
    throw new FileError(`its ${what} is ${got.toString('hex')}, expected ${expected.toString('hex')}`);
}

/** Inflates a deflate stream that ends with the last byte. @param textBytes maximum length of its text */
function inflateExactly(deflated: Buffer, textBytes: number, dictionary?: Buffer): Buffer {
  const chunkSize = Math.min(Math.max(textBytes, 64), LONGEST_CHUNK_BYTES);
  let inflated: unknown;
  try {
    const limits = { chunkSize, maxOutputLength: Math.max(textBytes, 1) };
    inflated = inflateRawSync(deflated, { info: true, ...limits, ...(dictionary && { dictionary }) });
  } catch (error) {
    throw inflateError(error, textBytes);
  }
  if (!isInflated(inflated)) throw new Error('zlib does not say how many bytes it took');
  expectAllTaken(inflated.engine.bytesWritten, deflated.length);
  return inflated.buffer;
}

/** Inflates a gzip file. @throws FileError if it is damaged, or its text is longer than `most` bytes */
export function gunzipWithin(bytes: Buffer, most: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(most, 1) });
  } catch (error) {
    throw inflateError(error, most);
  }
}

/** The result of zlib with `info`, which @types/node does not declare. */
function isInflated(value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}

/** Turns an error of zlib into a FileError; returns any other error unchanged. */
function inflateError(error: unknown, room?: number): unknown {
  const code = codeOf(error);
  if (code === 'ERR_BUFFER_TOO_LARGE' && room !== undefined) return tooLong(room);
  const isDamaged = error instanceof Error && code.startsWith('Z_');
  return isDamaged ? new FileError(`cannot be inflated: ${error.message}`) : error;
}

function tooLong(room: number): FileError {
  return new FileError(`inflates to more than ${room} bytes`);
}

function expectAllTaken(taken: number, deflated: number): void {
  if (taken !== deflated) throw new FileError(`its deflate stream ends after ${taken} of ${deflated} bytes`);
}
