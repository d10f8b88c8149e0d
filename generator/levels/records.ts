// The records of a task that writes files, for the finalisation of its level: size and SHA-256 of every file, and what the
// level's arrays need of every feature. Flat lists, because a level may have hundreds of thousands of both.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { CellArrays } from '../../format/cells.ts';
import { DIGEST_BYTES } from '../../format/feature-table.ts';
import type { DeflatedText } from '../../format/gzip.ts';
import type { Geometry } from '../../format/levels.ts';
import type { CheckedFile } from '../../format/release.ts';
import type { Part } from './divide-work.ts';

/** The records of one task. */
export interface TaskRecords {
  part: Part;
  /** Of each file of the part, in the order of the plan. */
  bytes: number[];
  sha256: string[];
  /** Of the features in its feature files, by geometry. */
  features: Map<Geometry, FeatureRecords>;
  /** Undefined if the cells are not among the files of the part. */
  cells: CellArrays | undefined;
}

/** The records of the features with one geometry, in order of position. */
export interface FeatureRecords {
  dataBytes: number[];
  textBytes: number[];
  textCrc: number[];
  dataCrc: number[];
  /** The first 8 bytes of the SHA-256 of its deflate data, in hex. */
  digest: string[];
}

export function newRecords(part: Part): TaskRecords {
  return { part, bytes: [], sha256: [], features: new Map(), cells: undefined };
}

export function addFile(records: TaskRecords, { bytes, sha256 }: CheckedFile): void {
  records.bytes.push(bytes);
  records.sha256.push(sha256);
}

/** The records of the features with a geometry. */
export function featureRecords({ features }: TaskRecords, geometry: Geometry): FeatureRecords {
  let records = features.get(geometry);
  if (records === undefined) {
    records = { dataBytes: [], textBytes: [], textCrc: [], dataCrc: [], digest: [] };
    features.set(geometry, records);
  }
  return records;
}

export function addFeature(records: FeatureRecords, { data, crc, length }: DeflatedText): void {
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
