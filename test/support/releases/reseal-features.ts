// Changes features of a finished release and seals the release again: every length, digest and checksum of feature
// files and index is right, unless a test asks for one that is not.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { featureRecord, RECORD_BYTES } from '../../../format/feature-index.ts';
import { deflateText, joinMember, sumOf } from '../../../format/gzip-members.ts';
import { featureFilePath, indexPath, manifestPath } from '../../../format/layout.ts';
import { FEATURES_PER_FILE, type Level } from '../../../format/levels.ts';
import { manifestFromJson } from '../../../format/manifest.ts';
import { readFeatureIndex } from '../../../generator/reader/feature-reader.ts';
import { sha256 } from '../files.ts';
import { resealRelease, summaryOf } from './reseal.ts';

/** A feature's gzip member, and the text whose sum its record has. */
export interface Member {
  bytes: Buffer;
  text: Buffer;
}

/** The member of a feature's text. */
export function memberOf(content: Buffer | string): Member {
  const text = Buffer.from(content);
  return { bytes: joinMember([{ data: deflateText(text), ...sumOf(text) }]), text };
}

/** Its index record. */
export function recordOf({ bytes, text }: Member): Buffer {
  return featureRecord(bytes, sumOf(text));
}

/** The members of a level, by position. */
export function readMembers(root: string, level: Level): Member[] {
  const path = manifestPath(level);
  const index = readFeatureIndex(root, manifestFromJson(readFileSync(join(root, path), 'utf8'), path));
  return Array.from({ length: index.files }, (_, file) => {
    const content = readFileSync(join(root, featureFilePath(level, file)));
    const { first, end } = index.rangeOf(file);
    return Array.from({ length: end - first }, (_, i) => {
      const start = index.offsetAt(first + i);
      const bytes = content.subarray(start, start + index.bytesAt(first + i));
      return { bytes, text: gunzipSync(bytes) };
    });
  }).flat();
}

/** Writes the feature files of a level from changed members, and the index from these. */
export function replaceMembers(root: string, level: Level, change: (members: Member[]) => readonly Member[]): void {
  const members = change(readMembers(root, level));
  const perFile = FEATURES_PER_FILE[level];
  for (let file = 0; file * perFile < members.length; file++) {
    const own = members.slice(file * perFile, (file + 1) * perFile);
    writeFileSync(join(root, featureFilePath(level, file)), Buffer.concat(own.map(({ bytes }) => bytes)));
  }
  replaceIndex(root, level, members.map(recordOf));
}

/** Changes the text of the feature at a position. */
export function replaceText(root: string, level: Level, position: number, change: (text: string) => string): void {
  replaceMembers(root, level, (members) =>
    members.map((member, at) => (at === position ? memberOf(change(member.text.toString())) : member)),
  );
}

/** Changes the records of a level. */
export function changeIndex(root: string, level: Level, change: (records: Buffer[]) => readonly Buffer[]): void {
  const bytes = readFileSync(join(root, indexPath(level)));
  const records = Array.from({ length: bytes.length / RECORD_BYTES }, (_, i) =>
    bytes.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES),
  );
  replaceIndex(root, level, change(records));
}

function replaceIndex(root: string, level: Level, records: readonly Buffer[]): void {
  const index = Buffer.concat(records);
  writeFileSync(join(root, indexPath(level)), index);
  resealRelease(root, (release) => {
    const summary = summaryOf(release, level);
    const bytes = records.reduce((sum, record) => sum + record.readUInt32LE(0), 0);
    const sealed = {
      ...summary,
      featureFiles: { ...summary.featureFiles, bytes },
      index: sha256(index),
    };
    return { ...release, levels: release.levels.with(level, sealed) };
  });
}
