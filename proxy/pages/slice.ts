// Slices: bodies that are not a stored page. Content, length and entity tag of a slice follow from the feature index;
// slice-body.ts reads it.
import { hash } from 'node:crypto';
import type { FeatureIndex, PositionRange } from '../../format/feature-index.ts';
import { FRAME_DATA, MEMBER_FRAME_BYTES } from '../../format/gzip-members.ts';
import type { Format } from '../../format/levels.ts';
import { FRAMES } from '../../format/levels.ts';
import type { Runs } from '../../format/runs.ts';
import type { LoadedLevel } from '../origin/releases.ts';

/** A slice whose length and bytes are determined, but not read yet. */
export interface Slice {
  level: LoadedLevel;
  format: Format;
  ranges: readonly PositionRange[];
  /** Bytes of the body as one gzip member. */
  gzipBytes: number;
  /** Bytes of its text. */
  textBytes: number;
  /** Entity tag without quotes: the same in every release with the same features. */
  tag: string;
}

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;

/** Plans the body with the features at `positions`. No file is read. */
export function planSlice(level: LoadedLevel, format: Format, positions: Runs): Slice {
  const { index } = level;
  const { before, between, after } = FRAME_DATA[format];
  const frame = FRAMES[format];
  const ranges: PositionRange[] = [];
  let features = 0;
  let memberBytes = 0;
  let textBytes = 0;
  for (let i = 0; i < positions.length; i += 2) {
    const first = positions[i] ?? 0;
    const range = { first, end: first + (positions[i + 1] ?? 0) };
    ranges.push(range);
    features += range.end - first;
    memberBytes += index.bytesOf(range);
    for (let position = first; position < range.end; position++) textBytes += index.textBytesAt(position);
  }
  const betweens = Math.max(0, features - 1);
  const frameBytes = before.data.length + betweens * between.data.length + after.data.length;
  const dataBytes = memberBytes - features * MEMBER_FRAME_BYTES + frameBytes;
  return {
    level,
    format,
    ranges,
    gzipBytes: MEMBER_FRAME_BYTES + dataBytes,
    textBytes: textBytes + frame.before.length + betweens * frame.between.length + frame.after.length,
    tag: `${recordsDigest(index, ranges)}-${format}`,
  };
}

/** A digest of the index records of all features, which have their lengths and the digests of their bytes. */
function recordsDigest(index: FeatureIndex, ranges: readonly PositionRange[]): string {
  const [only, second] = ranges;
  const records =
    only !== undefined && second === undefined
      ? index.recordsOf(only)
      : Buffer.concat(ranges.map((range) => index.recordsOf(range)));
  return hash('sha256', records, 'base64url').slice(0, TAG_CHARS);
}
