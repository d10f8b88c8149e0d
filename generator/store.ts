// The feature store: every feature of a level serialised once, in the order of the source, with an index beside it.
// Readers of the dataset append to it; page writers copy from it. It lives in the staging folder and goes with it.
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { deflateBlock, sumOf, type TextSum } from '../format/gzip.ts';

/** A feature whose text is at least this long is deflated once, when it is read, and is always a block of its own. */
export const BLOCK_TEXT_BYTES = 128 * 1024;

/** What is known of the stored features, one entry each in every list. */
export interface StoreIndex {
  /** Names of the GID columns 0 .. level. */
  columns: readonly string[];
  fids: number[];
  /** For each GID column 0 .. level: the GID of each feature, null where it has none. */
  gids: (string | null)[][];
  /** Bytes in the store: of text, or of a deflated block where `blocks` has the entry. */
  bytes: number[];
  /** Entries that are stored deflated: entry to the sum of their text. */
  blocks: Record<number, TextSum>;
}

const WRITE_BYTES = 1 << 20;

/** Appends features; `close` writes the index. */
export interface StoreWriter {
  /** @param parts the feature's text, ending in a line feed, in pieces */
  append(fid: number, gids: readonly (string | null)[], parts: readonly Buffer[]): void;
  close(): void;
}

/** Begins a store at `file`; its index will be at `file`.json. */
export function createStore(file: string, columns: readonly string[]): StoreWriter {
  const handle = openSync(file, 'w');
  const index: StoreIndex = { columns, fids: [], gids: columns.map(() => []), bytes: [], blocks: {} };
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
      const entry = index.fids.push(fid) - 1;
      for (const [n, gid] of gids.entries()) index.gids[n]?.push(gid);
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      if (length < BLOCK_TEXT_BYTES) {
        index.bytes.push(length);
        for (const part of parts) write(part);
        return;
      }
      const text = Buffer.concat(parts, length);
      const block = deflateBlock(text);
      index.blocks[entry] = sumOf(text);
      index.bytes.push(block.length);
      write(block);
    },
    close() {
      flush();
      closeSync(handle);
      writeFileSync(indexPath(file), JSON.stringify(index));
    },
  };
}

/** Reads stored features by entry. */
export interface StoreReader {
  index: StoreIndex;
  /** The stored bytes of `count` entries that follow one another in the store. */
  read(entry: number, count: number): Buffer;
  close(): void;
}

/** Opens the store at `file`. */
export function openStore(file: string): StoreReader {
  const index = readStoreIndex(file);
  const offsets = new Float64Array(index.bytes.length + 1);
  for (const [entry, bytes] of index.bytes.entries()) offsets[entry + 1] = (offsets[entry] ?? 0) + bytes;
  const handle = openSync(file, 'r');
  return {
    index,
    read(entry, count) {
      const start = offsets[entry] ?? 0;
      const bytes = Buffer.allocUnsafe((offsets[entry + count] ?? 0) - start);
      let got = 0;
      while (got < bytes.length) {
        const read = readSync(handle, bytes, got, bytes.length - got, start + got);
        if (read === 0) throw new Error(`${file} ends early`);
        got += read;
      }
      return bytes;
    },
    close: () => closeSync(handle),
  };
}

/** The index of the store at `file`. */
export function readStoreIndex(file: string): StoreIndex {
  return JSON.parse(readFileSync(indexPath(file), 'utf8'));
}

/** The file of a store's index. */
export function indexPath(file: string): string {
  return `${file}.json`;
}

function writeAll(handle: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(handle, bytes, done);
}
