// The records of a task that writes files, for the finalisation of its level: size and SHA-256 of every file, and what
// the level's arrays need of every feature. Flat lists, because a level may have hundreds of thousands of both.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CheckedFile, TableFile } from '../../format/checked-files.ts';
import { DIGEST_BYTES } from '../../format/feature-table.ts';
import type { DeflatedText } from '../../format/gzip.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import type { Geometry } from '../../format/levels.ts';
import type { Part } from './divide-work.ts';

/** The records of one task. */
export interface TaskRecords {
  part: Part;
  /** Of each file of the part, in the order of the plan, and of each that is beside one. */
  bytes: number[];
  sha256: string[];
  /** Of the features in its feature files, by geometry. */
  features: Map<Geometry, FeatureRecords>;
  /** Undefined if the part does not have what is made of the level's borders. */
  borders: BordersRecord | undefined;
  /** Undefined if the part does not have the table. */
  table: TableFile | undefined;
}

/** The record of what is made of the borders of a level. */
export interface BordersRecord {
  /** Its files. */
  summary: Pick<LevelSummary, 'cells' | 'neighbours'>;
  /** The units whose edges lie so close that some of their cells stayed large, ascending. */
  crowded: readonly number[];
  /** Of its borders, if it has neighbours and some are drawn apart. */
  apart: ApartBorders | undefined;
  /** The view of each unit, as `MainPart` has it, by position. */
  views: Int32Array;
  /** The area of each unit in km2 on the ellipsoid, by position; NaN without polygons. */
  areas: Float64Array;
}

/** How much of a level's borders is drawn apart. Plain data. */
export interface ApartBorders {
  /** Of 1,000 places along the borders that one unit alone has. */
  count: number;
  /** The first of them: whose border it is, by position, and where in degrees. */
  unit: number;
  longitude: number;
  latitude: number;
}

/** The records of the features with one geometry, in order of position. */
export interface FeatureRecords {
  /** Of its deflate data in the feature file. */
  dataBytes: number[];
  dataCrc: number[];
  /** Of its data in the file beside it; 0 if it is not chained. */
  aloneBytes: number[];
  aloneCrc: number[];
  textBytes: number[];
  textCrc: number[];
  /** The first 8 bytes of the SHA-256 of its deflate data, alone, in hex. */
  digest: string[];
}

export function newRecords(part: Part): TaskRecords {
  return { part, bytes: [], sha256: [], features: new Map(), borders: undefined, table: undefined };
}

export function addFile(records: TaskRecords, { bytes, sha256 }: CheckedFile): void {
  records.bytes.push(bytes);
  records.sha256.push(sha256);
}

/** The records of the features with a geometry. */
export function featureRecords({ features }: TaskRecords, geometry: Geometry): FeatureRecords {
  let records = features.get(geometry);
  if (records === undefined) {
    records = { dataBytes: [], dataCrc: [], aloneBytes: [], aloneCrc: [], textBytes: [], textCrc: [], digest: [] };
    features.set(geometry, records);
  }
  return records;
}

/** @param data alone @param chained undefined if it is not */
export function addFeature(
  records: FeatureRecords,
  { data, crc, length }: DeflatedText,
  chained: Buffer | undefined,
): void {
  const inFile = chained ?? data;
  records.dataBytes.push(inFile.length);
  records.dataCrc.push(crc32(inFile));
  records.aloneBytes.push(chained === undefined ? 0 : data.length);
  records.aloneCrc.push(chained === undefined ? 0 : crc32(data));
  records.textBytes.push(length);
  records.textCrc.push(crc);
  records.digest.push(hash('sha256', data, 'hex').slice(0, 2 * DIGEST_BYTES));
}
