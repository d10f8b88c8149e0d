// Where the features of a level lie in its feature files with one geometry, and how their bytes are checked. Part of the
// level's index for the full geometry; each other geometry has a table of its own, which lies in the index.bin of its folder.
import { crc32 } from 'node:zlib';
import { cutCrc } from './crc32.ts';
import { f64At, u32At } from './element-at.ts';
import { MEMBER_HEADER } from './gzip.ts';
import type { Level } from './levels.ts';
import { FEATURES_PER_FILE } from './levels.ts';

/** Bytes of a digest: 64 bits of a SHA-256. */
export const DIGEST_BYTES = 8;

/** The arrays of n features, as README.md describes them; "before p": of the features 0 to p - 1. */
export interface FeatureArrays {
  /** Bytes of deflate data before p: n + 1. */
  start: Float64Array;
  /** Bytes of text before p: n + 1. */
  textStart: Float64Array;
  /** CRC-32 of all text before p: n + 1. */
  textCrc: Uint32Array;
  /** CRC-32 of all deflate data before p: n + 1. */
  dataCrc: Uint32Array;
  /** The first 8 bytes of the SHA-256 of each feature's deflate data: 8 n. */
  digest: Uint8Array;
}

/** Look-ups by position in the feature files of one geometry. */
export class FeatureTable<Arrays extends FeatureArrays = FeatureArrays> {
  readonly level: Level;
  readonly arrays: Arrays;
  /** Number of features; positions are 0 to features - 1, in order of fid. */
  readonly features: number;
  /** Features in each feature file but the last. */
  readonly perFile: number;

  constructor(level: Level, arrays: Arrays) {
    this.level = level;
    this.arrays = arrays;
    this.features = arrays.start.length - 1;
    this.perFile = FEATURES_PER_FILE[level];
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

  /** Offset of the deflate data of the feature at a position in its feature file, in bytes. */
  offsetAt(position: number): number {
    return MEMBER_HEADER.length + this.dataBytes(position - (position % this.perFile), position);
  }

  /** Bytes of deflate data of the positions `first` up to but not including `end`. */
  dataBytes(first: number, end: number): number {
    const { start } = this.arrays;
    return f64At(start, end) - f64At(start, first);
  }

  /** CRC-32 of all deflate data before a position. */
  dataCrcBefore(position: number): number {
    return u32At(this.arrays.dataCrc, position);
  }

  /** Are these the bytes of deflate data of the positions `first` up to but not including `end`? */
  hasData(data: Uint8Array, first: number, end: number): boolean {
    // The CRC of all data before continues over the bytes: nothing needs to be cut or joined.
    return crc32(data, this.dataCrcBefore(first)) === this.dataCrcBefore(end);
  }

  /** CRC-32 of that data, joined. */
  dataCrc(first: number, end: number): number {
    const { dataCrc } = this.arrays;
    return cutCrc(u32At(dataCrc, first), u32At(dataCrc, end), this.dataBytes(first, end));
  }

  /** Bytes of text of the positions `first` up to but not including `end`. */
  textBytes(first: number, end: number): number {
    const { textStart } = this.arrays;
    return f64At(textStart, end) - f64At(textStart, first);
  }

  /** CRC-32 of that text, joined; behind another text whose CRC-32 is `crc`. */
  textCrc(first: number, end: number, crc = 0): number {
    const { textCrc } = this.arrays;
    // A CRC is linear: what came before here goes out by the same multiplication by which the other text comes in.
    return cutCrc(u32At(textCrc, first) ^ crc, u32At(textCrc, end), this.textBytes(first, end));
  }

  /** The digests of the positions `first` up to but not including `end`, joined. */
  digests(first: number, end: number): Uint8Array {
    return this.arrays.digest.subarray(first * DIGEST_BYTES, end * DIGEST_BYTES);
  }
}
