// Derives the sums of a level's features anew from a range of its feature files, and names every feature that is damaged.
// Runs in a child process; holds one feature at a time.
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { EMPTY_SUM, joinSums, sumOf, type TextSum } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { MEMBER_END_BYTES, MEMBER_FRAME_BYTES, MEMBER_HEADER, memberEnd } from '../../format/gzip.ts';
import { featureFilePath, releasePath } from '../../format/layout.ts';
import { DIGEST_BYTES, type LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import { FileError, problemOf } from '../reader/file-error.ts';
import { expectBytes, inflateFeature } from '../reader/inflate.ts';
import { openFeatures, readLevel } from '../reader/read-level.ts';
import { type FileReading, readingOf, sha256OfFile } from '../reader/read-page.ts';
import { type LabelColumns, newFeatureCheck, type Unit, unitOf } from './feature.ts';

/** Which files of a level to read: `from` up to but not including `to`. Plain data, like the results. */
export interface RangeTask {
  out: string;
  release: string;
  level: Level;
  from: number;
  to: number;
}

/** Which feature files to read. */
export interface FeaturesTask extends RangeTask {
  /** The columns of names and types; undefined if release.json is damaged. */
  columns: LabelColumns | undefined;
}

/** A feature file that was read. */
export interface FeatureFileReading extends FileReading {
  /** The positions of features whose bytes do not have the digest that the index has. */
  differing?: readonly number[];
}

/** What was found. The arrays have an element for each position of the files. */
export interface FeaturesResult extends DerivedSums {
  files: FeatureFileReading[];
  /** 1 for a feature that is as the index describes it. */
  intact: Uint8Array;
  /** What it says; undefined if it is damaged or the columns are not known. */
  units: (Unit | undefined)[];
}

/** The sums of features; those of the index for damaged ones. */
export interface DerivedSums {
  textBytes: Float64Array;
  textCrc: Uint32Array;
  dataCrc: Uint32Array;
}

const LINE_FEED = 0x0a;

/** Verifies feature files. */
export async function verifyFeatures(task: FeaturesTask): Promise<FeaturesResult> {
  const root = join(task.out, releasePath(task.release));
  const index = readLevel(root, task.release, task.level);
  const features = openFeatures(root, index);
  const check = newFeatureCheck(index);
  const first = task.from * index.perFile;
  const sums = indexedSums(index, first, index.fileEnd(task.to - 1));
  const intact = new Uint8Array(sums.textCrc.length);
  const units: (Unit | undefined)[] = Array.from(intact, () => undefined);

  /** Derives everything of a feature. @returns whether its bytes have the digest of the index */
  function deriveFeature(position: number): boolean {
    const data = features.dataAt(position);
    const digest = hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES);
    if (!digest.equals(index.digests(position, position + 1))) return false;
    const at = position - first;
    sums.dataCrc[at] = crc32(data);
    const text = inflateFeature(data, index.textBytes(position, position + 1));
    if (text.indexOf(LINE_FEED) !== text.length - 1) throw new FileError('its text is not one line');
    const sum = sumOf(text);
    const isIndexed = sum.length === sums.textBytes[at] && sum.crc === sums.textCrc[at];
    sums.textBytes[at] = sum.length;
    sums.textCrc[at] = sum.crc;
    const feature = check(text, position);
    intact[at] = isIndexed ? 1 : 0;
    if (task.columns !== undefined) units[at] = unitOf(feature, task.level, task.columns);
    return true;
  }

  /** Header and end of a feature file are those of a member with the texts of its features. */
  function checkFrame(file: number, bytes: number): void {
    expectBytes(features.bytesOf(file, 0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
    let sum = EMPTY_SUM;
    for (let at = file * index.perFile - first; at < index.fileEnd(file) - first; at++)
      sum = joinSums(sum, textSumAt(sums, at));
    const end = features.bytesOf(file, bytes - MEMBER_END_BYTES, MEMBER_END_BYTES);
    expectBytes(end, memberEnd(sum), 'final block with the gzip trailer');
  }

  function readFile(file: number): FeatureFileReading {
    const path = join(root, featureFilePath(task.level, file));
    const { size } = statSync(path);
    const sha256 = sha256OfFile(path);
    const problems: string[] = [];
    const differing: number[] = [];
    const end = index.fileEnd(file);
    for (let position = file * index.perFile; position < end && endOf(index, position) <= size; position++) {
      try {
        if (!deriveFeature(position)) differing.push(position);
      } catch (error) {
        problems.push(`fid ${index.fidAt(position)}: ${problemOf(error)}`);
      }
    }
    try {
      if (size === fileBytes(index, file)) checkFrame(file, size);
    } catch (error) {
      problems.push(problemOf(error));
    }
    return { bytes: size, sha256, problems, differing };
  }

  try {
    const files: FeatureFileReading[] = [];
    for (let file = task.from; file < task.to; file++) files.push(await readingOf(() => readFile(file)));
    return { files, ...sums, intact, units };
  } finally {
    features.close();
  }
}

/** Bytes of a feature file. */
export function fileBytes(index: LevelIndex, file: number): number {
  return MEMBER_FRAME_BYTES + index.dataBytes(file * index.perFile, index.fileEnd(file));
}

/** Where the data of a feature ends in its file. */
function endOf(index: LevelIndex, position: number): number {
  return index.offsetAt(position) + index.dataBytes(position, position + 1);
}

/** The sums that the index has. */
function indexedSums(index: LevelIndex, first: number, end: number): DerivedSums {
  const positions = Array.from({ length: end - first }, (_, i) => first + i);
  return {
    textBytes: Float64Array.from(positions, (position) => index.textBytes(position, position + 1)),
    textCrc: Uint32Array.from(positions, (position) => index.textCrc(position, position + 1)),
    dataCrc: Uint32Array.from(positions, (position) => index.dataCrc(position, position + 1)),
  };
}

function textSumAt({ textBytes, textCrc }: DerivedSums, at: number): TextSum {
  return { crc: elementAt(textCrc, at), length: elementAt(textBytes, at) };
}
