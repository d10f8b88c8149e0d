// Slices of little, for gzip clients: the commonest kind. Each feature that must be cut out of a block is deflated by
// itself, once, and kept, and so is each block that passes whole; a body is then put together from kept pieces, without
// inflating or deflating anything.
import {
  deflateBlock,
  EMPTY_SUM,
  GZIP_HEADER,
  gzipTrailer,
  joinSums,
  LAST_BLOCK,
  shiftOf,
  sumOf,
} from '../format/gzip.ts';
import type { Format } from '../format/levels.ts';
import { FORMATS, FRAMES } from '../format/levels.ts';
import type { Manifest } from '../format/manifest.ts';
import type { Runs } from '../format/runs.ts';
import { valuesOf } from '../format/runs.ts';
import type { CachedPiece } from './cache.ts';
import { blockName, cacheOf, pieceName } from './cache.ts';
import { featureTexts } from './inflate.ts';
import type { Origin } from './origin.ts';
import type { Touch } from './touch.ts';
import { bytesOf, groupTouches, passes, pathOf, touchesOf } from './touch.ts';

/** The fixed pieces of each format. */
const FRAME_PIECES: Readonly<Record<Format, { before: CachedPiece; between: CachedPiece; after: CachedPiece }>> =
  (() => {
    const piecesOf = (format: Format) => {
      const { before, between, after } = FRAMES[format];
      return {
        before: pieceOf(Buffer.from(before)),
        between: pieceOf(Buffer.from(between)),
        after: pieceOf(Buffer.from(after)),
      };
    };
    const [geojsonl, fc] = FORMATS.map(piecesOf) as [ReturnType<typeof piecesOf>, ReturnType<typeof piecesOf>];
    return { geojsonl, fc };
  })();

/** Slices of blocks with no more compressed bytes than this are made in memory. */
const SMALL_MAX_BYTES = 1024 * 1024;

/**
 * The gzipped body with the features at `positions`, or a promise of it where some must be read; undefined where the
 * blocks that hold them are too large for that. Neither this nor the bytes depend on what is kept: a strong entity tag
 * stands for the same bytes every time.
 * @throws OriginError when stored bytes are not what the manifest says
 */
export function smallSlice(
  origin: Origin,
  manifest: Manifest,
  format: Format,
  positions: Runs,
): Buffer | Promise<Buffer> | undefined {
  const touches = touchesOf(manifest, positions);
  if (bytesOf(touches) > SMALL_MAX_BYTES) return undefined;
  const cut: Cut = { origin, manifest, format };
  const kept = new Map(touches.map((touch) => [touch, keptPieces(cut, touch)]));
  const missing = touches.filter((touch) => kept.get(touch) === undefined);
  return missing.length === 0 ? bodyOf(kept, format) : readMissing(cut, missing, kept);
}

/** What pieces are cut from, and for which format. */
interface Cut {
  origin: Origin;
  manifest: Manifest;
  format: Format;
}

/** The pieces of a block, where all are kept. */
function keptPieces({ origin, manifest, format }: Cut, touch: Touch): CachedPiece[] | undefined {
  const { pieces } = cacheOf(origin);
  const { first, wanted } = touch;
  if (passes(touch, format)) {
    const whole = pieces.find(blockName(manifest, first));
    return whole && [whole];
  }
  const found: CachedPiece[] = [];
  for (const i of valuesOf(wanted)) {
    const piece = pieces.find(pieceName(manifest, first + i));
    if (piece === undefined) return undefined;
    found.push(piece);
  }
  return found;
}

/** The pieces of each block, in order; undefined until they are there. */
type PiecesByTouch = Map<Touch, readonly CachedPiece[] | undefined>;

/** The body, with what is missing read; blocks that follow each other are read at once. */
async function readMissing(cut: Cut, missing: readonly Touch[], kept: PiecesByTouch): Promise<Buffer> {
  const reads = groupTouches(missing, SMALL_MAX_BYTES).map(async (group) => {
    const [{ offset }] = group;
    const path = pathOf(cut.manifest, group[0]);
    const bytes = await cut.origin.read(path, { offset, length: bytesOf(group) });
    for (const touch of group) {
      const start = touch.offset - offset;
      kept.set(touch, piecesIn(cut, touch, bytes.subarray(start, start + touch.block.bytes), path));
    }
  });
  await Promise.all(reads);
  return bodyOf(kept, cut.format);
}

/** The wanted pieces of a block that was read; from now on they are kept. */
function piecesIn({ origin, manifest, format }: Cut, touch: Touch, deflated: Buffer, path: string): CachedPiece[] {
  const { pieces } = cacheOf(origin);
  const { block, first, wanted } = touch;
  const texts = featureTexts(deflated, block, path);
  if (passes(touch, format)) {
    const sum = { crc: block.crc, length: block.text };
    const whole = { bytes: Buffer.from(deflated), sum, shift: shiftOf(block.text) };
    pieces.keep(blockName(manifest, first), whole);
    return [whole];
  }
  return Array.from(valuesOf(wanted), (i) => {
    const name = pieceName(manifest, first + i);
    const kept = pieces.find(name);
    if (kept !== undefined) return kept;
    const piece = pieceOf(texts[i] ?? Buffer.alloc(0));
    pieces.keep(name, piece);
    return piece;
  });
}

function bodyOf(features: PiecesByTouch, format: Format): Buffer {
  const { before, between, after } = FRAME_PIECES[format];
  const pieces = [before];
  for (const block of features.values()) {
    for (const feature of block ?? []) {
      if (pieces.length > 1) pieces.push(between);
      pieces.push(feature);
    }
  }
  pieces.push(after);
  const parts = [GZIP_HEADER];
  let sum = EMPTY_SUM;
  for (const piece of pieces) {
    if (piece.sum.length === 0) continue;
    parts.push(piece.bytes);
    sum = joinSums(sum, piece.sum, piece.shift);
  }
  parts.push(LAST_BLOCK, gzipTrailer(sum));
  return Buffer.concat(parts);
}

function pieceOf(text: Buffer): CachedPiece {
  // A copy: what zlib gives is the start of a far larger buffer, all of which would be kept.
  return { bytes: Buffer.from(deflateBlock(text)), sum: sumOf(text), shift: shiftOf(text.length) };
}
