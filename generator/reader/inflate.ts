// Inflates gzip members and deflate streams of a release, and checks that they have no bytes left over.
import { inflateRawSync } from 'node:zlib';
import {
  FINAL_BLOCK,
  MEMBER_END_BYTES,
  MEMBER_FRAME_BYTES,
  MEMBER_HEADER,
  memberEnd,
  sumOf,
  TRAILER_BYTES,
} from '../../format/gzip-members.ts';

/** A file of a release, or a feature in it, is damaged; the message says how. */
export class FileError extends Error {}

const LONGEST_CHUNK_BYTES = 1 << 24;

/**
 * Inflates a feature's gzip member.
 * @throws FileError if it is not one member as format/gzip-members.ts writes it
 */
export function inflateMember(member: Buffer): Buffer {
  if (member.length <= MEMBER_FRAME_BYTES) throw new FileError('is too short for a gzip member');
  const end = member.subarray(-MEMBER_END_BYTES);
  expectBytes(member.subarray(0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
  expectBytes(end.subarray(0, FINAL_BLOCK.length), FINAL_BLOCK, 'final block');
  const deflated = member.subarray(MEMBER_HEADER.length, -TRAILER_BYTES);
  const text = inflateWhole(deflated, end.readUInt32LE(MEMBER_END_BYTES - 4));
  expectBytes(end, memberEnd(sumOf(text)), 'gzip trailer');
  return text;
}

/**
 * Inflates a whole deflate stream.
 * @param room maximum bytes of its text
 * @throws FileError if the stream does not end with the last byte, or has more text
 */
export function inflateWhole(deflated: Buffer, room: number): Buffer {
  const maxOutputLength = Math.max(room, 1);
  const chunkSize = Math.min(Math.max(room, 64), LONGEST_CHUNK_BYTES);
  let inflated: unknown;
  try {
    inflated = inflateRawSync(deflated, { info: true, maxOutputLength, chunkSize });
  } catch (error) {
    throw inflateError(error, room);
  }
  if (!isInflated(inflated)) throw new Error('zlib does not say how many bytes it took');
  const taken = inflated.engine.bytesWritten;
  if (taken !== deflated.length) throw endsEarly(taken, deflated.length);
  return inflated.buffer;
}

/** The result of zlib with `info`, which @types/node does not declare. */
function isInflated(value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}

/** Turns an error of zlib into a FileError; returns any other error unchanged. */
export function inflateError(error: unknown, room?: number): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof FileError || !('code' in error)) return error;
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return new FileError(`inflates to more than ${room} bytes`);
  return String(error.code).startsWith('Z_') ? new FileError(`cannot be inflated: ${error.message}`) : error;
}

/** The error for a stream that ends before its bytes do. */
export function endsEarly(taken: number, deflated: number): FileError {
  return new FileError(`its deflate stream ends after ${taken} of ${deflated} bytes`);
}

/** Compares bytes. @throws FileError if `got` is not `expected` */
export function expectBytes(got: Buffer, expected: Buffer, what: string): void {
  if (!got.equals(expected))
    throw new FileError(`its ${what} is ${got.toString('hex')}, expected ${expected.toString('hex')}`);
}
