// Estimates the compressed sizes of feature files and pages from the sizes of the geometries and a sample of features.
// Used by `build --dry-run`, which writes nothing.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { deflateText, FRAME_DATA, MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import type { Format } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import { REUSE_TEXT_BYTES } from '../store/feature-store.ts';

/** A sampled feature. */
export interface SampledFeature {
  /** Bytes of its geometry in WKB. */
  wkb: number;
  text: Buffer;
}

/** Estimated sizes of the feature files and pages of a level. */
export interface SizeEstimate {
  /** Bytes of all feature files. @param perFile features in each but the last */
  featureFiles(perFile: number): number;
  /** Bytes of a page with the features of these positions. */
  page(format: Format, ranges: Ranges): number;
}

/** A size in bytes that grows with the bytes of WKB: base + slope * WKB. */
interface Line {
  base: number;
  slope: number;
}

/**
 * Makes the estimate. A page deflates short features together: all but the first of a stretch cost less than alone, by
 * what their properties share with those before them. A large feature costs the same everywhere.
 * @param wkb bytes of WKB, by position
 * @param sample stretches of neighbours
 */
export function estimateSizes(wkb: ArrayLike<number>, sample: readonly (readonly SampledFeature[])[]): SizeEstimate {
  const shortStretches = sample.map((stretch) => stretch.filter(isShort));
  const shorts = shortStretches.flat();
  const larges = sample.flat().filter((feature) => !isShort(feature));
  const textLine = fitLine(shorts, ({ text }) => text.length);
  const short = fitLine(shorts, deflatedBytes);
  const large = larges.length > 0 ? ratioOf(larges, deflatedBytes) : short;
  const following = followingLine(shortStretches, short);

  // Each sum is over the positions before an entry, so that a range costs one subtraction.
  const bytes = new Float64Array(wkb.length + 1);
  const isFirst = new Uint8Array(wkb.length);
  const firsts = new Uint32Array(wkb.length + 1);
  let featureData = 0;
  let wasShort = false;
  for (let position = 0; position < wkb.length; position++) {
    const size = elementAt(wkb, position);
    const nowShort = shorts.length > 0 && sizeOn(textLine, size) < REUSE_TEXT_BYTES;
    if (nowShort && !wasShort) isFirst[position] = 1;
    featureData += sizeOn(nowShort ? short : large, size);
    bytes[position + 1] = elementAt(bytes, position) + sizeOn(nowShort ? following : large, size);
    firsts[position + 1] = elementAt(firsts, position) + elementAt(isFirst, position);
    wasShort = nowShort;
  }
  return {
    featureFiles: (perFile) => featureData + MEMBER_FRAME_BYTES * Math.ceil(wkb.length / perFile),
    page(format, ranges) {
      const { before, after } = FRAME_DATA[format];
      let size = MEMBER_FRAME_BYTES + before.data.length + after.data.length;
      // A page begins a stretch at its first feature, and one after each large feature.
      let begun = isFirst[numberAt(ranges, 0)] ? 0 : 1;
      for (let i = 0; i < ranges.length; i += 2) {
        const start = numberAt(ranges, i);
        const end = numberAt(ranges, i + 1);
        size += elementAt(bytes, end) - elementAt(bytes, start);
        begun += elementAt(firsts, end) - elementAt(firsts, start);
      }
      return size + begun * (short.base - following.base);
    },
  };
}

function isShort({ text }: SampledFeature): boolean {
  return text.length < REUSE_TEXT_BYTES;
}

function deflatedBytes({ text }: SampledFeature): number {
  return deflateText(text).length;
}

function sizeOn({ base, slope }: Line, wkb: number): number {
  return base + slope * wkb;
}

/** The size of a short feature after other features: the same slope, a base measured on the stretches. */
function followingLine(stretches: readonly (readonly SampledFeature[])[], alone: Line): Line {
  let shared = 0;
  let following = 0;
  for (const stretch of stretches) {
    if (stretch.length < 2) continue;
    const separate = stretch.reduce((sum, feature) => sum + deflatedBytes(feature), 0);
    shared += separate - deflateText(Buffer.concat(stretch.map(({ text }) => text))).length;
    following += stretch.length - 1;
  }
  return { ...alone, base: alone.base - (following === 0 ? 0 : shared / following) };
}

/** The line through the origin that has the right sum. */
function ratioOf(features: readonly SampledFeature[], bytesOf: (feature: SampledFeature) => number): Line {
  const wkb = features.reduce((sum, feature) => sum + feature.wkb, 0);
  return { base: 0, slope: features.reduce((sum, feature) => sum + bytesOf(feature), 0) / wkb };
}

/** The line of least squares. */
function fitLine(features: readonly SampledFeature[], bytesOf: (feature: SampledFeature) => number): Line {
  const count = Math.max(features.length, 1);
  const meanX = features.reduce((sum, feature) => sum + feature.wkb, 0) / count;
  const meanY = features.reduce((sum, feature) => sum + bytesOf(feature), 0) / count;
  let covariance = 0;
  let variance = 0;
  for (const feature of features) {
    covariance += (feature.wkb - meanX) * (bytesOf(feature) - meanY);
    variance += (feature.wkb - meanX) ** 2;
  }
  const slope = variance === 0 ? 0 : covariance / variance;
  return { base: meanY - slope * meanX, slope };
}
