// Feature stores: files in the work folder with the texts of a level's features, or what they are made of. The task
// that reads the dataset appends to them; the tasks that write feature files and pages read them
// (simplify/feature-texts.ts).
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, crc32, inflateRawSync } from 'node:zlib';
import type { TextSum } from '../../format/crc32.ts';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { GidColumn } from '../../format/gid-column.ts';
import type { Ranges } from '../../format/positions.ts';
import { deflateLine } from '../../format/write/gzip.ts';
import { createScratchFile } from '../files/output-file.ts';
import { readArrays, writeArrays } from '../files/serialized-file.ts';
import {
  GEOMETRY_KINDS,
  kindOfGeometry,
  newIndexBuilder,
  newOffsetsBuilder,
  type OffsetEntry,
  type OffsetIndex,
  type StoreEntry,
  type StoreIndex,
} from './store-index.ts';

/** A feature with at least this many bytes of text is deflated once, when it is read; its pages reuse the result. */
export const REUSE_TEXT_BYTES = 8 * 1024;

/** Appends features; `close` writes the index. */
export interface StoreWriter {
  /** Appends a feature. @param text its text, which ends in a line feed, in pieces */
  append(feature: Feature, text: readonly Buffer[]): void;
  close(): StoreIndex;
}

type Feature = Pick<StoreEntry, 'fid' | 'gids' | 'box' | 'parts' | 'kind'>;

/**
 * Creates the index of the features as they are published, with the sizes and sums of all, at `file`.index, and beside
 * it a store of the long ones, and of those that are no polygons. The others are put together of their rings.
 */
export function createFullStore(file: string, kept: string, columns: readonly string[]): StoreWriter {
  const builder = newIndexBuilder(columns);
  const writer = createSideStore(kept);
  return {
    append(feature, text) {
      const length = text.reduce((sum, piece) => sum + piece.length, 0);
      const isKept = length >= REUSE_TEXT_BYTES || kindOfGeometry(feature.kind) === GEOMETRY_KINDS.other;
      const crc = (): number => text.reduce((sum, piece) => crc32(piece, sum), 0);
      const size = isKept ? writer.append(feature.fid, text) : { bytes: length, deflatedText: 0, crc: crc() };
      builder.add({ ...feature, ...size });
    },
    close() {
      writer.close();
      const index = builder.finish();
      writeStoreIndex(file, index);
      return index;
    },
  };
}

/**
 * Creates a store at `file`, its offsets at `file`.index, beside that of a level: what else of each unit is found by its
 * position.
 * @param deflatedFrom a text of so many bytes is stored as deflate data
 */
export function createSideStore(file: string, deflatedFrom = REUSE_TEXT_BYTES) {
  const output = createScratchFile(file);
  const builder = newOffsetsBuilder();
  return {
    /** @returns what its entry in the index says of it */
    append(fid: number, pieces: readonly Buffer[]): Omit<OffsetEntry, 'fid'> {
      const text = Buffer.concat(pieces);
      const isDeflated = text.length >= deflatedFrom;
      const stored = isDeflated ? deflateLine(text) : text;
      const size = { bytes: stored.length, deflatedText: isDeflated ? text.length : 0, crc: crc32(text) };
      builder.add({ fid, ...size });
      output.write(stored);
      return size;
    },
    close() {
      output.close();
      const index = builder.finish();
      writeArrays(indexOf(file), index);
      return index;
    },
  };
}

/** A feature as it is stored. */
export interface StoredFeature {
  /** Its text, or its deflate data alone (see `deflateLine`). */
  bytes: Buffer;
  /** The sum of its text if `bytes` is deflate data. */
  deflated: TextSum | undefined;
}

/** The text of a stored feature. */
export function storedText({ bytes, deflated }: StoredFeature): Buffer {
  if (deflated === undefined) return bytes;
  return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: deflated.length });
}

/** Reads stored features by position. */
export interface StoreReader {
  /** How many features it has. */
  features: number;
  /** The features at some positions, in order; neighbours in the store are read together. */
  read(ranges: Ranges): Generator<StoredFeature>;
  close(): void;
}

/** Maximum bytes of several features in one read. */
const READ_BYTES = 1 << 20;

/** Opens the store at `file`. */
export function openStore(file: string): StoreReader {
  const { features, offsets, bytes, deflatedText, crcs } = readOffsets(file);
  const handle = openSync(file, 'r');

  function readBytes(start: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const read = readSync(handle, buffer, got, length - got, start + got);
      if (read === 0) throw new Error(`${file}: ends after ${start + got} bytes, expected ${start + length}`);
      got += read;
    }
    return buffer;
  }

  return {
    features,
    *read(ranges) {
      for (let i = 0; i < ranges.length; i += 2) {
        const end = numberAt(ranges, i + 1);
        for (let position = numberAt(ranges, i); position < end; ) {
          const start = elementAt(offsets, position);
          let stop = position;
          let length = 0;
          do length += elementAt(bytes, stop++);
          while (stop < end && offsets[stop] === start + length && length + elementAt(bytes, stop) <= READ_BYTES);
          const read = readBytes(start, length);
          for (let at = 0; position < stop; position++) {
            const next = at + elementAt(bytes, position);
            const textBytes = elementAt(deflatedText, position);
            const deflated = textBytes === 0 ? undefined : { crc: elementAt(crcs, position), length: textBytes };
            yield { bytes: read.subarray(at, next), deflated };
            at = next;
          }
        }
      }
    },
    close: () => closeSync(handle),
  };
}

/** Writes the index of a level at `file`. */
export function writeStoreIndex(file: string, index: StoreIndex): void {
  writeArrays(indexOf(file), index);
}

/** The index of a level at `file`. */
export function readStoreIndex(file: string): StoreIndex {
  const index = readArrays<StoreIndex>(indexOf(file));
  // What is read are the columns' members without their methods.
  return { ...index, columns: index.columns.map(({ name, arrays }) => new GidColumn(name, arrays)) };
}

/** The offsets of the store at `file`. */
export function readOffsets(file: string): OffsetIndex {
  return readArrays(indexOf(file));
}

function indexOf(file: string): string {
  return `${file}.index`;
}
