// The records of a task that writes files, for the finalisation of its level: number, size and SHA-256 of every file, and
// the index records of the features. Flat arrays, because a level may have hundreds of thousands of files.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { FORMATS, type Format } from '../../format/levels.ts';
import type { WrittenFile } from '../release/output-file.ts';

/** The kinds of files that tasks write. */
export type FileKind = 'features' | Format;

/** Every kind. */
export const FILE_KINDS: readonly FileKind[] = ['features', ...FORMATS];

/** The files of one kind, in the order in which they were written. */
export interface FileRecords {
  /** The number of each: of a feature file, or of a page in its format's canonical order. */
  numbers: Float64Array;
  bytes: Float64Array;
  /** SHA-256 of each, 32 bytes, joined. */
  sha256: Uint8Array;
}

/** The records of one task. */
export interface TaskRecords {
  files: Record<FileKind, FileRecords>;
  /** Index records of the features in its feature files, concatenated in the order of the files. */
  features: Uint8Array;
}

/** Bytes of a SHA-256. */
export const SHA256_BYTES = 32;

/** Collects records. */
export class RecordsBuilder {
  readonly #files: Record<FileKind, { numbers: number[]; bytes: number[]; sha256: Buffer[] }> = {
    features: { numbers: [], bytes: [], sha256: [] },
    geojsonl: { numbers: [], bytes: [], sha256: [] },
    fc: { numbers: [], bytes: [], sha256: [] },
  };
  readonly #features: Buffer[] = [];

  add(kind: FileKind, number: number, { bytes, sha256 }: WrittenFile): void {
    const files = this.#files[kind];
    files.numbers.push(number);
    files.bytes.push(bytes);
    files.sha256.push(sha256);
  }

  addFeatures(records: Buffer): void {
    this.#features.push(records);
  }

  /** Writes all of them to `file`. */
  write(file: string): void {
    const flat = (kind: FileKind): FileRecords => {
      const { numbers, bytes, sha256 } = this.#files[kind];
      return {
        numbers: Float64Array.from(numbers),
        bytes: Float64Array.from(bytes),
        sha256: Buffer.concat(sha256),
      };
    };
    const files = { features: flat('features'), geojsonl: flat('geojsonl'), fc: flat('fc') };
    const records: TaskRecords = { files, features: Buffer.concat(this.#features) };
    writeFileSync(file, serialize(records));
  }
}

/** Reads what a `RecordsBuilder` wrote. */
export function readRecords(file: string): TaskRecords {
  return deserialize(readFileSync(file));
}
