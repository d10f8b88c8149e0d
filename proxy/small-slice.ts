// Small slices for gzip clients, the commonest kind: a few features of blocks that hold many. Each feature is deflated
// by itself, once, and kept; a body is then put together from kept pieces, without inflating or deflating anything.
import type { TextSum } from '../format/gzip.ts';
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
import { cacheOf } from './cache.ts';
import { featureTexts } from './inflate.ts';
import type { Origin } from './origin.ts';
import type { Touch } from './touch.ts';
import { isWhole, touchesOf } from './touch.ts';

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

/**
 * The gzipped body with the features at `positions`, or a promise of it where some must be read; undefined where the
 * slice takes a whole block, which passes better as it is. Which of the two never depends on what is kept: a strong
 * entity tag stands for the same bytes every time.
 * @throws OriginError when stored bytes are not what the manifest says
 */
export function smallSlice(
  origin: Origin,
  manifest: Manifest,
  format: Format,
  positions: Runs,
): Buffer | Promise<Buffer> | undefined {
  const touches = touchesOf(manifest, positions);
  if (touches.some(isWhole)) return undefined;
  const kept = touches.map((touch) => keptPieces(origin, touch));
  if (kept.every((pieces) => pieces !== undefined)) return bodyOf(kept.flat(), format);
  return Promise.all(touches.map((touch, i) => kept[i] ?? readPieces(origin, touch))).then((read) =>
    bodyOf(read.flat(), format),
  );
}

/** The wanted features of a block, where all are kept. */
function keptPieces(origin: Origin, touch: Touch): CachedPiece[] | undefined {
  const { pieces } = cacheOf(origin);
  const found: CachedPiece[] = [];
  for (const i of valuesOf(touch.wanted)) {
    const piece = pieces.find(nameOf(touch, i));
    if (piece === undefined) return undefined;
    found.push(piece);
  }
  return found;
}

async function readPieces(origin: Origin, touch: Touch): Promise<CachedPiece[]> {
  const { block, path, offset, wanted } = touch;
  const texts = featureTexts(await origin.read(path, { offset, length: block.bytes }), block, path);
  return [...valuesOf(wanted)].map((i) => {
    const piece = pieceOf(texts[i] ?? Buffer.alloc(0));
    cacheOf(origin).pieces.keep(nameOf(touch, i), piece);
    return piece;
  });
}

function bodyOf(features: readonly CachedPiece[], format: Format): Buffer {
  const { before, between, after } = FRAME_PIECES[format];
  const parts = [GZIP_HEADER];
  let sum: TextSum = EMPTY_SUM;
  const add = (piece: CachedPiece): void => {
    if (piece.sum.length === 0) return;
    parts.push(piece.bytes);
    sum = joinSums(sum, piece.sum, piece.shift);
  };
  add(before);
  for (const [i, feature] of features.entries()) {
    if (i > 0) add(between);
    add(feature);
  }
  add(after);
  parts.push(LAST_BLOCK, gzipTrailer(sum));
  return Buffer.concat(parts);
}

function pieceOf(text: Buffer): CachedPiece {
  return { bytes: deflateBlock(text), sum: sumOf(text), shift: shiftOf(text.length) };
}

function nameOf({ path, offset }: Touch, i: number): string {
  return `${path} ${offset} ${i}`;
}
