// Estimates the compressed sizes of feature files and pages from the lengths of all texts and a sample of them. Used by
// `build --dry-run`, which compresses nothing else.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { deflateLine, deflateText, FRAME_DATA, MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import type { Format } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import { REUSE_TEXT_BYTES } from '../store/feature-store.ts';
import { chainedData } from '../write/write-files.ts';

/** Features of a stretch of the sample: about as many as a page holds. */
export const STRETCH_FEATURES = 40;

/** Estimated sizes of the feature files and pages of a level. */
export interface SizeEstimate {
  /** Bytes of this many feature files, which are all, and of the files beside them. */
  featureFiles(files: number): number;
  /** Bytes of a page with the features of these positions. */
  page(format: Format, ranges: Ranges): number;
}

/**
 * Makes the estimate by four measured factors: what a short and a long text cost by the byte when they are deflated
 * alone, what a short one saves in a page after another, with which it is deflated together there, and what features
 * cost that are both chained and alone.
 * @param textBytes by position
 * @param sample texts, in stretches of neighbours
 */
export function estimateSizes(textBytes: Float64Array, sample: readonly Buffer[]): SizeEstimate {
  const shorts = sample.filter(({ length }) => isShort(length));
  const longs = sample.filter(({ length }) => !isShort(length));
  const shortFactor = deflatedShare(shorts.length > 0 ? shorts : longs);
  const longFactor = deflatedShare(longs.length > 0 ? longs : shorts);
  const together: Buffer[] = [];
  for (let i = 0; i < shorts.length; i += STRETCH_FEATURES)
    together.push(Buffer.concat(shorts.slice(i, i + STRETCH_FEATURES)));
  const saved = (deflatedBytes(shorts) - deflatedBytes(together)) / Math.max(1, shorts.length - together.length);

  const stored = storedBytes(sample) / Math.max(1, deflatedBytes(sample));

  // Each sum is over the positions before an entry, so that a range costs one subtraction.
  const alone = new Float64Array(textBytes.length + 1);
  const following = new Uint32Array(textBytes.length + 1);
  for (const [position, bytes] of textBytes.entries()) {
    const follows = isShort(bytes) && isShort(textBytes[position - 1] ?? Number.POSITIVE_INFINITY);
    alone[position + 1] = elementAt(alone, position) + bytes * (isShort(bytes) ? shortFactor : longFactor);
    following[position + 1] = elementAt(following, position) + (follows ? 1 : 0);
  }
  return {
    featureFiles: (files) => stored * elementAt(alone, textBytes.length) + MEMBER_FRAME_BYTES * files,
    page(format, ranges) {
      const { before, after } = FRAME_DATA[format];
      let size = MEMBER_FRAME_BYTES + before.data.length + after.data.length;
      for (let i = 0; i < ranges.length; i += 2) {
        const [start, end] = [numberAt(ranges, i), numberAt(ranges, i + 1)];
        const first = i === 0 ? start + 1 : start;
        size += elementAt(alone, end) - elementAt(alone, start);
        size -= (elementAt(following, end) - elementAt(following, first)) * saved;
      }
      return size;
    },
  };
}

function isShort(textBytes: number): boolean {
  return textBytes < REUSE_TEXT_BYTES;
}

/**
 * Bytes that features have in feature files and in those beside them.
 * @param texts of features that follow one another
 */
export function storedBytes(texts: Iterable<Buffer>): number {
  let bytes = 0;
  let before: Buffer | undefined;
  for (const text of texts) {
    const line = isShort(text.length) ? text : undefined;
    const alone = deflateLine(text);
    bytes += alone.length + (chainedData(line, before, alone)?.length ?? 0);
    before = line;
  }
  return bytes;
}

/** Bytes of texts that are deflated one by one. */
function deflatedBytes(texts: readonly Buffer[]): number {
  return texts.reduce((sum, text) => sum + deflateText(text).length, 0);
}

/** The bytes that are left of each byte when texts are deflated one by one. */
function deflatedShare(texts: readonly Buffer[]): number {
  return (
    deflatedBytes(texts) /
    Math.max(
      1,
      texts.reduce((sum, { length }) => sum + length, 0),
    )
  );
}
