// A level's feature index: one fixed-size binary record per feature, in order of fid. It gives the file, offset, length
// and digest of every feature's gzip member, so that a reader needs one byte range of a feature file.
// The generator writes it beside the feature files; the proxy, `verify` and `diff` read it.
import { createHash } from 'node:crypto';
import { MEMBER_FRAME_BYTES } from './gzip-members.ts';
import { FormatError } from './parse.ts';

// A record: four little-endian numbers of 32 bits and the digest's 64 bits.
const BYTES_AT = 0;
const TEXT_AT = 4;
const CRC_AT = 8;
const DIGEST_AT = 12;
const DIGEST_BYTES = 8;

/** Bytes of a record. */
export const RECORD_BYTES: number = DIGEST_AT + DIGEST_BYTES;

/** Some features of a level: positions `first` up to but not including `end`. */
export interface PositionRange {
  first: number;
  end: number;
}

/** Makes the record of one feature. */
export function featureRecord(member: Buffer, text: { crc: number; length: number }): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.writeUInt32LE(member.length, BYTES_AT);
  record.writeUInt32LE(text.length, TEXT_AT);
  record.writeUInt32LE(text.crc >>> 0, CRC_AT);
  createHash('sha256').update(member).digest().copy(record, DIGEST_AT, 0, DIGEST_BYTES);
  return record;
}

/** The records of a level, looked up by position. */
export class FeatureIndex {
  /** Number of features. */
  readonly features: number;
  /** Features in each feature file but the last. */
  readonly perFile: number;
  readonly #records: Buffer;
  /** Offset of each member in the concatenation of the level's feature files, in bytes; one entry more for the end. */
  readonly #starts: Float64Array;

  /**
   * @param records the content of the index file
   * @param features the number of features in the manifest
   * @param file its name, for messages
   * @throws FormatError if it has another length, or a record with a length below that of any gzip member
   */
  constructor(records: Buffer, features: number, perFile: number, file: string) {
    if (records.length !== features * RECORD_BYTES)
      throw new FormatError(file, `${records.length} bytes, expected ${RECORD_BYTES} for each of ${features} features`);
    this.#records = records;
    this.features = features;
    this.perFile = perFile;
    this.#starts = new Float64Array(features + 1);
    let start = 0;
    for (let position = 0; position < features; position++) {
      const bytes = this.bytesAt(position);
      if (bytes <= MEMBER_FRAME_BYTES)
        throw new FormatError(
          file,
          `record ${position} is of ${bytes} bytes, expected more than ${MEMBER_FRAME_BYTES}`,
        );
      start += bytes;
      this.#starts[position + 1] = start;
    }
  }

  /** Number of feature files. */
  get files(): number {
    return Math.ceil(this.features / this.perFile);
  }

  /** Bytes of the member at a position. */
  bytesAt(position: number): number {
    return this.#records.readUInt32LE(position * RECORD_BYTES + BYTES_AT);
  }

  /** Bytes of the text of the member at a position. */
  textBytesAt(position: number): number {
    return this.#records.readUInt32LE(position * RECORD_BYTES + TEXT_AT);
  }

  /** CRC-32 of the text of the member at a position. */
  crcAt(position: number): number {
    return this.#records.readUInt32LE(position * RECORD_BYTES + CRC_AT);
  }

  /** The number of the feature file of a position, from 0. */
  fileOf(position: number): number {
    return Math.floor(position / this.perFile);
  }

  /** Offset of the member at a position in its feature file, in bytes. */
  offsetAt(position: number): number {
    return this.#startAt(position) - this.#startAt(position - (position % this.perFile));
  }

  /** Bytes of all members of a range. */
  bytesOf({ first, end }: PositionRange): number {
    return this.#startAt(end) - this.#startAt(first);
  }

  /** Positions of the features in a file. */
  rangeOf(file: number): PositionRange {
    const first = file * this.perFile;
    return { first, end: Math.min(first + this.perFile, this.features) };
  }

  /** The records of a range. They depend only on the features' content. */
  recordsOf({ first, end }: PositionRange): Buffer {
    return this.#records.subarray(first * RECORD_BYTES, end * RECORD_BYTES);
  }

  /**
   * Is this the digest of the member at a position?
   * @param sha256 of the member's bytes, one character a byte
   */
  hasDigest(position: number, sha256: string): boolean {
    const at = position * RECORD_BYTES + DIGEST_AT;
    for (let i = 0; i < DIGEST_BYTES; i++) if (this.#records[at + i] !== sha256.charCodeAt(i)) return false;
    return true;
  }

  #startAt(position: number): number {
    const start = this.#starts[position];
    if (start === undefined) throw new RangeError(`position ${position} of ${this.features}`);
    return start;
  }
}
