// Compressed bytes to text, with the sum checked: in one go where it is small, piece by piece where it may be anything.
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream';
import { constants, crc32, createGunzip, createInflateRaw, inflateRawSync } from 'node:zlib';
import { LAST_BLOCK, sumOf } from '../format/gzip.ts';
import type { Block } from '../format/manifest.ts';
import { OriginError } from './origin.ts';

const LINE_FEED = 0x0a;

/**
 * The text of a block.
 * @param deflated its compressed bytes
 * @param path its file, for the log
 * @throws OriginError unless it is the text that the manifest says
 */
export function blockToText(deflated: Buffer, block: Block, path: string): Buffer {
  // One buffer of the right size, with room for zlib to see that nothing follows.
  const chunkSize = Math.max(block.text + 1, constants.Z_MIN_CHUNK);
  const maxOutputLength = Math.max(block.text, 1);
  let text: Buffer;
  try {
    text = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize, maxOutputLength });
  } catch (error) {
    throw new OriginError('damaged', path, error);
  }
  const sum = sumOf(text);
  if (sum.length !== block.text || sum.crc !== block.crc) throw new OriginError('damaged', path);
  return text;
}

/**
 * The texts of a block's features, each with its line feed.
 * @throws OriginError as `blockToText` does
 */
export function featureTexts(deflated: Buffer, block: Block, path: string): Buffer[] {
  const text = blockToText(deflated, block, path);
  const texts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(LINE_FEED, start) + 1;
    if (end === 0) throw new OriginError('damaged', path);
    texts.push(text.subarray(start, end));
    start = end;
  }
  if (texts.length !== block.features) throw new OriginError('damaged', path);
  return texts;
}

/**
 * The text of a block, piece by piece.
 * @throws OriginError after the last piece unless it was the text that the manifest says
 */
export async function* blockToPieces(
  deflated: Buffer | AsyncIterable<Buffer>,
  block: Block,
  path: string,
): AsyncGenerator<Buffer, void, undefined> {
  let crc = 0;
  let length = 0;
  for await (const piece of inflated(withLastBlock(deflated), createInflateRaw(), path)) {
    crc = crc32(piece, crc);
    length += piece.length;
    yield piece;
  }
  if (length !== block.text || crc !== block.crc) throw new OriginError('damaged', path);
}

/**
 * The text of a whole page, piece by piece.
 * @throws OriginError when it is not one whole gzip member; perhaps after some pieces
 */
export function pageToPieces(
  gzipped: Buffer | AsyncIterable<Buffer>,
  path: string,
): AsyncGenerator<Buffer, void, undefined> {
  return inflated(Buffer.isBuffer(gzipped) ? [gzipped] : gzipped, createGunzip(), path);
}

async function* inflated(
  deflated: Iterable<Buffer> | AsyncIterable<Buffer>,
  inflate: Transform,
  path: string,
): AsyncGenerator<Buffer, void, undefined> {
  // An error on the way in destroys `inflate`, and so reaches the loop below.
  pipeline(deflated, inflate, () => {});
  try {
    for await (const piece of inflate) yield piece;
  } catch (error) {
    throw error instanceof OriginError ? error : new OriginError('damaged', path, error);
  }
}

/** A block's stream ended properly, so that a cut one is told from a whole one. */
async function* withLastBlock(deflated: Buffer | AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (Buffer.isBuffer(deflated)) yield deflated;
  else yield* deflated;
  yield LAST_BLOCK;
}
