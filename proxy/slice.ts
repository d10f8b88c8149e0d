// Bodies that are no stored page: features cut from the level's unfiltered geojsonl pages, block by block.
// What is held at a time is one read, or one piece of a block that is too large for that; never a page.
import type { TextSum } from '../format/gzip.ts';
import { deflateBlock, EMPTY_SUM, GZIP_HEADER, gzipTrailer, joinSums, LAST_BLOCK, sumOf } from '../format/gzip.ts';
import type { Format } from '../format/levels.ts';
import { FRAMES } from '../format/levels.ts';
import type { Manifest } from '../format/manifest.ts';
import type { Runs } from '../format/runs.ts';
import { valuesOf } from '../format/runs.ts';
import type { Coding } from './encoding.ts';
import { blockToPieces, featureTexts } from './inflate.ts';
import type { Origin } from './origin.ts';
import { OriginError } from './origin.ts';
import { smallSlice } from './small-slice.ts';
import type { Touch, TouchGroup } from './touch.ts';
import { bytesOf, groupTouches, passes, pathOf, touchesOf } from './touch.ts';

/** Compressed bytes of a block: at once, or as a stream where it is large. */
type Deflated = Buffer | AsyncIterable<Buffer>;

/** A stretch of a body: text, or one feature or more in a block that is wanted whole. */
type Piece = Buffer | Stored;

/** A block as it was read. */
interface Stored {
  touch: Touch;
  path: string;
  deflated: Deflated;
}

/** Blocks that follow each other are read together up to this size; a larger one is streamed. */
const READ_MAX_BYTES = 1024 * 1024;
/** Short texts are gathered until there is this much. */
const TEXT_BYTES = 128 * 1024;

/**
 * The body with the features at `positions`, in `coding`.
 * @throws OriginError when stored bytes are not what the manifest says. Blocks that pass through compressed are not
 * looked into: the trailer is made from the manifest's sums, so no gunzip accepts a body with a damaged one.
 */
export function sliceToBody(
  origin: Origin,
  manifest: Manifest,
  format: Format,
  positions: Runs,
  coding: Coding,
): Buffer | Promise<Buffer> | AsyncGenerator<Buffer, void, undefined> {
  const small = coding === 'gzip' ? smallSlice(origin, manifest, format, positions) : undefined;
  if (small !== undefined) return small;
  const pieces = gathered(piecesOf(origin, manifest, format, positions));
  return coding === 'gzip' ? behind(GZIP_HEADER, gzipped(pieces)) : plain(pieces);
}

/** `header`, then `body`; nothing leaves before the first piece of `body` is there, so that a fault in it can be told. */
async function* behind(header: Buffer, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let lead = header;
  for await (const piece of body) {
    yield lead.length > 0 ? Buffer.concat([lead, piece]) : piece;
    lead = Buffer.alloc(0);
  }
}

/** One gzip member but for its header: stored blocks as they are, text deflated anew, the sum of all. */
async function* gzipped(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer, void, undefined> {
  let sum: TextSum = EMPTY_SUM;
  for await (const piece of pieces) {
    if (Buffer.isBuffer(piece)) {
      yield deflateBlock(piece);
      sum = joinSums(sum, sumOf(piece));
    } else {
      if (Buffer.isBuffer(piece.deflated)) yield piece.deflated;
      else yield* piece.deflated;
      sum = joinSums(sum, { crc: piece.touch.block.crc, length: piece.touch.block.text });
    }
  }
  yield Buffer.concat([LAST_BLOCK, gzipTrailer(sum)]);
}

async function* plain(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* blockToPieces(piece.deflated, piece.touch.block, piece.path);
  }
}

/** Joins texts that follow each other, so that none is deflated or sent in crumbs. */
async function* gathered(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece, void, undefined> {
  let texts: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    if (Buffer.isBuffer(piece)) {
      texts.push(piece);
      bytes += piece.length;
      if (bytes < TEXT_BYTES) continue;
    }
    if (bytes > 0) yield Buffer.concat(texts);
    texts = [];
    bytes = 0;
    if (!Buffer.isBuffer(piece)) yield piece;
  }
  if (bytes > 0) yield Buffer.concat(texts);
}

/** The frame, the features in order, and what stands between them. */
async function* piecesOf(
  origin: Origin,
  manifest: Manifest,
  format: Format,
  positions: Runs,
): AsyncGenerator<Piece, void, undefined> {
  const { before, between, after } = FRAMES[format];
  let isFirst = true;
  yield Buffer.from(before);
  for (const group of groupTouches(touchesOf(manifest, positions), READ_MAX_BYTES)) {
    for await (const stored of readGroup(origin, manifest, group)) {
      for (const piece of passes(stored.touch, format) ? [stored] : featuresIn(stored)) {
        if (!isFirst) yield Buffer.from(between);
        isFirst = false;
        yield piece;
      }
    }
  }
  yield Buffer.from(after);
}

/** Reads blocks that follow each other. */
async function* readGroup(
  origin: Origin,
  manifest: Manifest,
  group: TouchGroup,
): AsyncGenerator<Stored, void, undefined> {
  const [first] = group;
  const path = pathOf(manifest, first);
  const { offset } = first;
  const length = bytesOf(group);
  if (length > READ_MAX_BYTES) {
    yield { touch: first, path, deflated: origin.stream(path, { offset, length }) };
    return;
  }
  const bytes = await origin.read(path, { offset, length });
  for (const touch of group) {
    const start = touch.offset - offset;
    yield { touch, path, deflated: bytes.subarray(start, start + touch.block.bytes) };
  }
}

/** The texts of the wanted features of a block. One that holds several features is small (see format/manifest.ts). */
function featuresIn({ touch: { block, wanted }, path, deflated }: Stored): Buffer[] {
  if (!Buffer.isBuffer(deflated)) throw new OriginError('damaged', path);
  const texts = featureTexts(deflated, block, path);
  return [...valuesOf(wanted)].map((i) => texts[i] ?? Buffer.alloc(0));
}
