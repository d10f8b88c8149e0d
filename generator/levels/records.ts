// The records of a task that writes files, for the finalisation of its level: size and SHA-256 of every file, and what the
// level's arrays need of every feature. Flat arrays, because a level may have hundreds of thousands of both.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { TextSum } from '../../format/crc32.ts';
import type { DeflatedText } from '../../format/gzip.ts';
import { DIGEST_BYTES } from '../../format/level-index.ts';
import type { WrittenFile } from '../release/output-file.ts';
import type { Part } from './divide-work.ts';

/** The features in the feature files of a task, in order of position; one entry for each. */
export interface FeatureRecords {
  dataBytes: Float64Array;
  textBytes: Float64Array;
  textCrc: Uint32Array;
  dataCrc: Uint32Array;
  /** The first 8 bytes of the SHA-256 of its deflate data, joined. */
  digest: Uint8Array;
}

/** The records of one task. */
export interface TaskRecords {
  part: Part;
  /** Of each file of the part, in the order of the plan. */
  bytes: Float64Array;
  /** SHA-256 of each, `SHA256_BYTES` bytes, joined. */
  sha256: Buffer;
  features: FeatureRecords;
}

/** Bytes of a SHA-256. */
export const SHA256_BYTES = 32;

/** Collects records. */
export class RecordsBuilder {
  readonly #files: WrittenFile[] = [];
  readonly #features: (TextSum & { dataBytes: number; dataCrc: number; digest: Buffer })[] = [];

  addFile(file: WrittenFile): void {
    this.#files.push(file);
  }

  addFeature({ data, crc, length }: DeflatedText): void {
    const digest = createHash('sha256').update(data).digest().subarray(0, DIGEST_BYTES);
    this.#features.push({ crc, length, dataBytes: data.length, dataCrc: crc32(data), digest });
  }

  /** Writes all of them to `file`. */
  write(file: string, part: Part): void {
    const [files, features] = [this.#files, this.#features];
    const records: TaskRecords = {
      part,
      bytes: Float64Array.from(files, ({ bytes }) => bytes),
      sha256: Buffer.concat(files.map(({ sha256 }) => sha256)),
      features: {
        dataBytes: Float64Array.from(features, ({ dataBytes }) => dataBytes),
        textBytes: Float64Array.from(features, ({ length }) => length),
        textCrc: Uint32Array.from(features, ({ crc }) => crc),
        dataCrc: Uint32Array.from(features, ({ dataCrc }) => dataCrc),
        digest: Buffer.concat(features.map(({ digest }) => digest)),
      },
    };
    writeFileSync(file, serialize(records));
  }
}

/** Reads what a `RecordsBuilder` wrote. */
export function readRecords(file: string): TaskRecords {
  return deserialize(readFileSync(file));
}
