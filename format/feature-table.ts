// Where the features of a level lie in its files with one geometry, and how their bytes are checked. Part of the
// level's index for the full geometry; each other geometry has a table of its own, which lies in the index.bin of its
// folder.
import { crc32 } from 'node:zlib';
import { cutCrc } from './crc32.ts';
import { f64At, u32At } from './element-at.ts';
import { MEMBER_HEADER } from './gzip.ts';
import { lastUpTo } from './last-up-to.ts';
import type { Format, Level } from './levels.ts';
import { FEATURES_PER_FILE } from './levels.ts';

/** Bytes of a digest: 64 bits of a SHA-256. */
export const DIGEST_BYTES = 8;

/** The arrays of n features, as README.md describes them; "before p": of the features 0 to p - 1. */
export interface FeatureArrays {
  /** Bytes of deflate data in feature files before p: n + 1. */
  start: Float64Array;
  /** CRC-32 of all that data before p: n + 1. */
  dataCrc: Uint32Array;
  /** The same two of the data in `alone/`: that of features that are chained in feature files. */
  aloneStart: Float64Array;
  aloneCrc: Uint32Array;
  /** Bytes of text before p: n + 1. */
  textStart: Float64Array;
  /** CRC-32 of all text before p: n + 1. */
  textCrc: Uint32Array;
  /** The same with a comma in the place of every line feed. */
  textCrcFc: Uint32Array;
  /** The first 8 bytes of the SHA-256 of each feature's deflate data, alone: 8 n. */
  digest: Uint8Array;
}

/** Deflate data by position: in the feature files, or in `alone/`. */
export class FeatureData {
  readonly #start: Float64Array;
  readonly #crc: Uint32Array;
  readonly #perFile: number;
  readonly #head: number;

  /** @param head bytes of each file before the data */
  constructor(start: Float64Array, crc: Uint32Array, perFile: number, head: number) {
    this.#start = start;
    this.#crc = crc;
    this.#perFile = perFile;
    this.#head = head;
  }

  /** Bytes of data of the positions `first` up to but not including `end`. */
  bytes(first: number, end: number): number {
    return f64At(this.#start, end) - f64At(this.#start, first);
  }

  /** Offset of the data of a position in its file, in bytes. */
  offsetAt(position: number): number {
    return this.#head + this.bytes(position - (position % this.#perFile), position);
  }

  /**
   * The last position from `first` up to and including `end` before which there are at most so many bytes from `first`
   * on.
   */
  positionAt(bytes: number, first: number, end: number): number {
    return lastUpTo(this.#start, f64At(this.#start, first) + bytes, first, end + 1);
  }

  /** CRC-32 of all data before a position. */
  crcBefore(position: number): number {
    return u32At(this.#crc, position);
  }

  /** Is this the data of the positions `first` up to but not including `end`? */
  isIntact(data: Uint8Array, first: number, end: number): boolean {
    // The CRC of all data before continues over the bytes: nothing needs to be cut or joined.
    return crc32(data, this.crcBefore(first)) === this.crcBefore(end);
  }

  /** CRC-32 of that data; behind other data whose CRC-32 is `crc`. */
  crc(first: number, end: number, crc = 0): number {
    return cutCrc(this.crcBefore(first) ^ crc, this.crcBefore(end), this.bytes(first, end));
  }
}

/** Look-ups by position in the files of one geometry. */
export class FeatureTable<Arrays extends FeatureArrays = FeatureArrays> {
  readonly level: Level;
  readonly arrays: Arrays;
  /** Number of features; positions are 0 to features - 1, in order of fid. */
  readonly features: number;
  /** Features in each feature file but the last. */
  readonly perFile: number;
  /** The data in feature files: each feature alone, or chained to the one before it. */
  readonly chained: FeatureData;
  /** The data of chained features alone. */
  readonly alone: FeatureData;

  constructor(level: Level, arrays: Arrays) {
    this.level = level;
    this.arrays = arrays;
    this.features = arrays.start.length - 1;
    this.perFile = FEATURES_PER_FILE[level];
    this.chained = new FeatureData(arrays.start, arrays.dataCrc, this.perFile, MEMBER_HEADER.length);
    this.alone = new FeatureData(arrays.aloneStart, arrays.aloneCrc, this.perFile, 0);
  }

  /** Number of feature files. */
  get files(): number {
    return Math.ceil(this.features / this.perFile);
  }

  /** The number of the feature file of a position, from 0. */
  fileOf(position: number): number {
    return Math.floor(position / this.perFile);
  }

  /** The position after the last one in a feature file. */
  fileEnd(file: number): number {
    return Math.min((file + 1) * this.perFile, this.features);
  }

  /** Where the data of a feature is that refers to nothing before it. */
  aloneAt(position: number): FeatureData {
    return this.alone.bytes(position, position + 1) === 0 ? this.chained : this.alone;
  }

  /** Bytes of data of a run of features in a body: the first one alone, the others as they are in feature files. */
  runBytes(first: number, end: number): number {
    return this.aloneAt(first).bytes(first, first + 1) + this.chained.bytes(first + 1, end);
  }

  /** Bytes of text of the positions `first` up to but not including `end`. */
  textBytes(first: number, end: number): number {
    const { textStart } = this.arrays;
    return f64At(textStart, end) - f64At(textStart, first);
  }

  /**
   * CRC-32 of that text, joined; behind another text whose CRC-32 is `crc`.
   * @param format whose separators are behind all features
   */
  textCrc(first: number, end: number, crc = 0, format: Format = 'geojsonl'): number {
    const crcs = format === 'fc' ? this.arrays.textCrcFc : this.arrays.textCrc;
    // A CRC is linear: what came before here goes out by the same multiplication by which the other text comes in.
    return cutCrc(u32At(crcs, first) ^ crc, u32At(crcs, end), this.textBytes(first, end));
  }

  /** The digests of the positions `first` up to but not including `end`, joined. */
  digests(first: number, end: number): Uint8Array {
    return this.arrays.digest.subarray(first * DIGEST_BYTES, end * DIGEST_BYTES);
  }
}
