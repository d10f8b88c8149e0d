// Inflates stretches of page files, each of which must be exactly one deflate stream or block.
import { inflateRawSync } from 'node:zlib';
import { LAST_BLOCK, sumOf } from '../format/gzip.ts';
import type { Block } from '../format/manifest.ts';

/** A page file is not what it should be; the message says in what. */
export class PageError extends Error {}

const LONGEST_CHUNK_BYTES = 1 << 24;

/**
 * Inflates one block by itself.
 * @param where what to call it in messages
 * @throws PageError where it does not stand alone or is not what the manifest says
 */
export function inflateBlock(deflated: Buffer, block: Block, where: string): Buffer {
  try {
    // Behind a block that is not the last and ends at a whole byte, the empty last block makes a whole stream.
    const text = inflateWhole(Buffer.concat([deflated, LAST_BLOCK]), block.text);
    const { crc, length } = sumOf(text);
    if (length !== block.text) throw new PageError(`inflates to ${length} bytes, expected ${block.text}`);
    if (crc !== block.crc) throw new PageError(`the CRC-32 of its text is ${crc}, expected ${block.crc}`);
    return text;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    throw new PageError(`${where}: ${error.message}`);
  }
}

/**
 * Inflates a whole deflate stream.
 * @param room the most bytes that its text may have
 * @throws PageError where it does not end with its last byte, or has more text
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

/** What zlib gives with `info`, for which its types have no form. */
function isInflated(value: unknown): value is { buffer: Buffer; engine: { bytesWritten: number } } {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value;
}

/** What zlib threw, as a PageError; any other error as it is. */
export function inflateError(error: unknown, room?: number): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof PageError || !('code' in error)) return error;
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return new PageError(`inflates to more than ${room} bytes`);
  return String(error.code).startsWith('Z_') ? new PageError(`cannot be inflated: ${error.message}`) : error;
}

/** The error for a stream that ends before its bytes do. */
export function endsEarly(taken: number, deflated: number): PageError {
  return new PageError(`its deflate stream ends after ${taken} of ${deflated} bytes`);
}
