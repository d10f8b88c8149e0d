// The feature store: every feature of a level serialised once. The reader of the dataset appends to it; the writers of
// feature files and pages copy from it. It is part of the work folder.
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { deflateText, sumOf, type TextSum } from '../../format/gzip-members.ts';
import type { Runs } from '../../format/runs.ts';
import { newIndexBuilder, type StoreIndex } from './store-index.ts';

/** A feature whose text is at least this long is deflated once, when it is read; every page that holds it reuses that. */
export const REUSE_TEXT_BYTES = 8 * 1024;

const WRITE_BYTES = 1 << 20;

/** Appends features; `close` writes the index. */
export interface StoreWriter {
  /** @param parts the feature's text, ending in a line feed, in pieces */
  append(fid: number, gids: readonly (string | null)[], parts: readonly Buffer[]): void;
  close(): StoreIndex;
}

/** Begins a store at `file`; its index will be at `file`.index. */
export function createStore(file: string, columns: readonly string[]): StoreWriter {
  const handle = openSync(file, 'w');
  const builder = newIndexBuilder(columns);
  const pending = Buffer.allocUnsafe(WRITE_BYTES);
  let filled = 0;

  function flush(): void {
    writeAll(handle, pending.subarray(0, filled));
    filled = 0;
  }

  function write(bytes: Buffer): void {
    if (filled + bytes.length > pending.length) flush();
    if (bytes.length > pending.length) {
      writeAll(handle, bytes);
    } else {
      filled += bytes.copy(pending, filled);
    }
  }

  return {
    append(fid, gids, parts) {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      if (length < REUSE_TEXT_BYTES) {
        builder.add({ fid, gids, bytes: length, deflated: undefined });
        for (const part of parts) write(part);
        return;
      }
      const text = Buffer.concat(parts, length);
      const data = deflateText(text);
      builder.add({ fid, gids, bytes: data.length, deflated: sumOf(text) });
      write(data);
    },
    close() {
      flush();
      closeSync(handle);
      const index = builder.finish();
      writeFileSync(indexPath(file), serialize(index));
      return index;
    },
  };
}

/** A feature as it is stored. */
export interface StoredFeature {
  /** Its text, or deflate data that can be joined. */
  bytes: Buffer;
  /** The sum of its text, where `bytes` is deflate data. */
  deflated: TextSum | undefined;
}

/** Reads stored features by position. */
export interface StoreReader {
  index: StoreIndex;
  /** The features of some positions, in order; neighbours in the store are read together. */
  read(runs: Runs): Generator<StoredFeature>;
  close(): void;
}

/** The most bytes of several features that are read at once. */
const READ_BYTES = 1 << 20;

/** Opens the store at `file`. */
export function openStore(file: string): StoreReader {
  const index = readStoreIndex(file);
  const { offsets, bytes, deflatedText, crcs } = index;
  const handle = openSync(file, 'r');

  function readBytes(start: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const read = readSync(handle, buffer, got, length - got, start + got);
      if (read === 0) throw new Error(`${file} ends early`);
      got += read;
    }
    return buffer;
  }

  /** The position after the last of those from `first` on, before `end`, that are read at once. */
  function stretchEnd(first: number, end: number): number {
    const start = offsets[first] ?? 0;
    let next = start + (bytes[first] ?? 0);
    let position = first + 1;
    for (; position < end && offsets[position] === next; position++) {
      next += bytes[position] ?? 0;
      if (next - start > READ_BYTES) break;
    }
    return position;
  }

  return {
    index,
    *read(runs) {
      for (let i = 0; i < runs.length; i += 2) {
        let position = runs[i] ?? 0;
        const end = position + (runs[i + 1] ?? 0);
        while (position < end) {
          const stretch = stretchEnd(position, end);
          const start = offsets[position] ?? 0;
          const stop = (offsets[stretch - 1] ?? 0) + (bytes[stretch - 1] ?? 0);
          const read = readBytes(start, stop - start);
          for (; position < stretch; position++) {
            const at = (offsets[position] ?? 0) - start;
            const length = deflatedText[position] ?? 0;
            yield {
              bytes: read.subarray(at, at + (bytes[position] ?? 0)),
              deflated: length === 0 ? undefined : { crc: crcs[position] ?? 0, length },
            };
          }
        }
      }
    },
    close: () => closeSync(handle),
  };
}

/** The index of the store at `file`. */
export function readStoreIndex(file: string): StoreIndex {
  return deserialize(readFileSync(indexPath(file)));
}

/** The file of a store's index. */
export function indexPath(file: string): string {
  return `${file}.index`;
}

function writeAll(handle: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(handle, bytes, done);
}
