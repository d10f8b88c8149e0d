// Slices: bodies that are not a stored page. Content, length and entity tag of a slice follow from the feature index;
// slice-body.ts reads it.
import { hash } from 'node:crypto';
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { PositionRange } from '../../format/feature-index.ts';
import { FRAME_DATA, MEMBER_FRAME_BYTES } from '../../format/gzip-members.ts';
import type { Format } from '../../format/levels.ts';
import type { Runs } from '../../format/runs.ts';
import type { LoadedLevel } from '../releases/level-tables.ts';

/** 96 bits of SHA-256 in base64url. */
const TAG_CHARS = 16;

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

/** Plans the body with the features at `positions`. No file is read. */
export function planSlice(level: LoadedLevel, format: Format, positions: Runs): Slice {
  const { index } = level;
  const { before, between, after } = FRAME_DATA[format];
  const ranges: PositionRange[] = [];
  let features = 0;
  let memberBytes = 0;
  let textBytes = before.length + after.length;
  for (let i = 0; i < positions.length; i += 2) {
    const first = numberAt(positions, i);
    const range = { first, end: first + numberAt(positions, i + 1) };
    ranges.push(range);
    features += range.end - first;
    memberBytes += index.bytesOf(range);
    for (let position = first; position < range.end; position++) textBytes += index.textBytesAt(position);
  }
  const betweens = Math.max(0, features - 1);
  const frameBytes = before.data.length + betweens * between.data.length + after.data.length;
  // The index records of the features: their lengths and the digests of their bytes.
  const records = ranges.map((range) => index.recordsOf(range));
  const digest = hash('sha256', records.length === 1 ? elementAt(records, 0) : Buffer.concat(records), 'base64url');
  return {
    level,
    format,
    ranges,
    gzipBytes: MEMBER_FRAME_BYTES + memberBytes - features * MEMBER_FRAME_BYTES + frameBytes,
    textBytes: textBytes + betweens * between.length,
    tag: `${digest.slice(0, TAG_CHARS)}-${format}`,
  };
}
