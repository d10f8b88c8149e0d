// The records of a task that writes files, for the finalisation of its level: size and SHA-256 of every file, and what the
// level's arrays need of every feature. Flat lists, because a level may have hundreds of thousands of both.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { DeflatedText } from '../../format/gzip.ts';
import { DIGEST_BYTES } from '../../format/feature-table.ts';
import type { CheckedFile } from '../../format/release.ts';
import type { Part } from './divide-work.ts';

/** The records of one task. */
export interface TaskRecords {
  part: Part;
  /** Of each file of the part, in the order of the plan. */
  bytes: number[];
  sha256: string[];
  /** Of each feature in its feature files, in order of position. */
  dataBytes: number[];
  textBytes: number[];
  textCrc: number[];
  dataCrc: number[];
  /** The first 8 bytes of the SHA-256 of its deflate data, in hex. */
  digest: string[];
}

export function newRecords(part: Part): TaskRecords {
  return { part, bytes: [], sha256: [], dataBytes: [], textBytes: [], textCrc: [], dataCrc: [], digest: [] };
}

export function addFile(records: TaskRecords, { bytes, sha256 }: CheckedFile): void {
  records.bytes.push(bytes);
  records.sha256.push(sha256);
}

export function addFeature(records: TaskRecords, { data, crc, length }: DeflatedText): void {
  records.dataBytes.push(data.length);
  records.textBytes.push(length);
  records.textCrc.push(crc);
  records.dataCrc.push(crc32(data));
  records.digest.push(
    createHash('sha256')
      .update(data)
      .digest('hex')
      .slice(0, 2 * DIGEST_BYTES),
  );
}

export function writeRecords(file: string, records: TaskRecords): void {
  writeFileSync(file, serialize(records));
}

export function readRecords(file: string): TaskRecords {
  return deserialize(readFileSync(file));
}
