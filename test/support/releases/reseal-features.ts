// Changes features of a finished release and seals the release again: every length, sum, digest and checksum of feature
// files and index is right, unless a test asks for one that is not.

import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { joinCrcs, sumOf, swapSeparator } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import { DIGEST_BYTES, type FeatureArrays } from '../../../format/feature-table.ts';
import { MEMBER_HEADER } from '../../../format/gzip.ts';
import { alonePath, featureFilePath } from '../../../format/layout.ts';
import { type LevelArrays, LevelIndex } from '../../../format/level-index.ts';
import { FEATURES_PER_FILE, type Level } from '../../../format/levels.ts';
import { deflateLine, deflateText, memberEnd } from '../../../format/write/gzip.ts';
import { inflateFeature } from '../../../generator/release-reader/inflate.ts';
import { openFeatures } from '../../../generator/release-reader/read-level.ts';
import { readIndex } from './read-index.ts';
import { resealLevel } from './reseal.ts';

/** A feature's deflate data, alone, and the text whose sum the index has. */
export interface StoredFeature {
  data: Buffer;
  text: Buffer;
}

/** The feature with this text. */
export function featureOf(content: Buffer | string): StoredFeature {
  const text = Buffer.from(content);
  // What does not end in a line feed cannot have the seam of a feature.
  return { data: text.at(-1) === 0x0a ? deflateLine(text) : deflateText(text), text };
}

/** The features of a level, by position. */
export function readFeatures(root: string, level: Level): StoredFeature[] {
  const index = readIndex(root, level);
  const features = openFeatures(root, index);
  try {
    return Array.from({ length: index.features }, (_, position) => {
      const data = features.dataAt(position);
      return { data, text: inflateFeature(data, index.textBytes(position, position + 1)) };
    });
  } finally {
    features.close();
  }
}

/** Writes the feature files of a level from changed features, none of them chained, and the index of these. */
export function replaceFeatures(
  root: string,
  level: Level,
  change: (features: StoredFeature[]) => readonly StoredFeature[],
): void {
  const features = change(readFeatures(root, level));
  const perFile = FEATURES_PER_FILE[level];
  for (let file = 0; file * perFile < features.length; file++) {
    const own = features.slice(file * perFile, (file + 1) * perFile);
    writeFileSync(join(root, featureFilePath(level, file)), featureFile(own));
    writeFileSync(join(root, alonePath(level, file)), '');
  }
  changeArrays(root, level, (arrays) => ({ ...arrays, ...sumsOf(features) }));
}

/** The content of a feature file. */
export function featureFile(features: readonly StoredFeature[]): Buffer {
  const text = Buffer.concat(features.map((feature) => feature.text));
  return Buffer.concat([MEMBER_HEADER, ...features.map(({ data }) => data), memberEnd(sumOf(text))]);
}

/** Changes the text of the feature at a position. */
export function replaceText(root: string, level: Level, position: number, change: (text: string) => string): void {
  replaceFeatures(root, level, (features) =>
    features.map((feature, at) => (at === position ? featureOf(change(feature.text.toString())) : feature)),
  );
}

/** Changes the arrays of a level. */
export function changeArrays(root: string, level: Level, change: (arrays: LevelArrays) => LevelArrays): void {
  resealLevel(
    root,
    level,
    ({ storedPages, arrays, geometries }) => new LevelIndex(level, storedPages, change(arrays), geometries),
  );
}

function sumsOf(features: readonly StoredFeature[]): FeatureArrays {
  const [start, textStart] = [new Float64Array(features.length + 1), new Float64Array(features.length + 1)];
  const crcs = (): Uint32Array => new Uint32Array(features.length + 1);
  const [textCrc, textCrcFc, dataCrc] = [crcs(), crcs(), crcs()];
  for (const [i, { data, text }] of features.entries()) {
    start[i + 1] = elementAt(start, i) + data.length;
    textStart[i + 1] = elementAt(textStart, i) + text.length;
    textCrc[i + 1] = joinCrcs(elementAt(textCrc, i), crc32(text), text.length);
    textCrcFc[i + 1] = joinCrcs(elementAt(textCrcFc, i), swapSeparator(crc32(text)), text.length);
    dataCrc[i + 1] = joinCrcs(elementAt(dataCrc, i), crc32(data), data.length);
  }
  const digests = features.map(({ data }) => hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES));
  const digest = new Uint8Array(Buffer.concat(digests));
  const aloneStart = new Float64Array(features.length + 1);
  return { start, dataCrc, aloneStart, aloneCrc: crcs(), textStart, textCrc, textCrcFc, digest };
}
