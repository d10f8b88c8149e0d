// Writes page files: one gzip member each, its deflate stream cut into blocks that can be inflated alone.
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writevSync } from 'node:fs';
import { deflateBlock, EMPTY_SUM, GZIP_HEADER, gzipTrailer, joinSums, LAST_BLOCK, sumOf } from '../format/gzip.ts';
import { type Format, FRAMES } from '../format/levels.ts';
import type { Block } from '../format/manifest.ts';
import { BLOCK_TEXT_BYTES, type StoreReader } from './store.ts';

/** What was written. */
export interface WrittenPage {
  bytes: number;
  /** Of the file, in hex. */
  sha256: string;
  blocks: Block[];
}

const WRITE_BYTES = 1 << 20;

/**
 * Writes one page. A block ends at a feature boundary once 128 KiB of text have gone by; a feature as long as that is a
 * block by itself. Holds at most the page's short features and one long one, compressed.
 * @param entries the store entries of its features, in order
 */
export function writePage(file: string, format: Format, entries: Uint32Array, store: StoreReader): WrittenPage {
  const frame = FRAMES[format];
  const output = createOutput(file);
  const blocks: Block[] = [];
  let sum = EMPTY_SUM;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let pendingFeatures = 0;

  function put(text: Buffer): void {
    pending.push(text);
    pendingBytes += text.length;
  }

  function emitBlock(block: Buffer, features: number, text: { crc: number; length: number }): void {
    output.write(block);
    sum = joinSums(sum, text);
    blocks.push({ features, bytes: block.length, text: text.length, crc: text.crc });
  }

  function endBlock(): void {
    if (pendingBytes === 0) return;
    const text = Buffer.concat(pending, pendingBytes);
    emitBlock(deflateBlock(text), pendingFeatures, sumOf(text));
    pending = [];
    pendingBytes = 0;
    pendingFeatures = 0;
  }

  output.write(GZIP_HEADER);
  put(Buffer.from(frame.before));
  const between = Buffer.from(frame.between);
  let first = true;
  for (const stretch of stretchesOf(entries, store)) {
    const bytes = store.read(stretch.entry, stretch.count);
    let at = 0;
    for (let entry = stretch.entry; entry < stretch.entry + stretch.count; entry++) {
      const feature = bytes.subarray(at, at + (store.index.bytes[entry] ?? 0));
      at += feature.length;
      if (!first) put(between);
      first = false;
      const text = store.index.blocks[entry];
      if (text) {
        endBlock();
        emitBlock(feature, 1, text);
        continue;
      }
      put(feature);
      pendingFeatures++;
      if (pendingBytes >= BLOCK_TEXT_BYTES) endBlock();
    }
  }
  put(Buffer.from(frame.after));
  endBlock();
  output.write(LAST_BLOCK);
  output.write(gzipTrailer(sum));
  return { ...output.close(), blocks };
}

/** Short features that follow one another in the store are read in one go, long ones each by itself. */
function* stretchesOf(entries: Uint32Array, store: StoreReader): Generator<{ entry: number; count: number }> {
  const isLong = (entry: number | undefined): boolean => entry !== undefined && store.index.blocks[entry] !== undefined;
  let start = 0;
  for (let i = 1; i <= entries.length; i++) {
    const entry = entries[start] ?? 0;
    const follows = i < entries.length && entries[i] === entry + (i - start);
    if (follows && !isLong(entry) && !isLong(entries[i])) continue;
    yield { entry, count: i - start };
    start = i;
  }
}

function createOutput(file: string) {
  const handle = openAnew(file);
  const hash = createHash('sha256');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let total = 0;

  function flush(): void {
    for (let left = waiting; left.length > 0; ) left = skipBytes(left, writevSync(handle, left));
    waiting = [];
    waitingBytes = 0;
  }

  return {
    write(bytes: Buffer): void {
      hash.update(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      total += bytes.length;
      if (waitingBytes >= WRITE_BYTES) flush();
    },
    close(): { bytes: number; sha256: string } {
      flush();
      closeSync(handle);
      return { bytes: total, sha256: hash.digest('hex') };
    },
  };
}

/** A shard that is run again finds what it wrote before; a file is never written over, as its twins share its bytes. */
function openAnew(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(file);
    return openSync(file, 'wx');
  }
}

/** What is left of `buffers` behind their first `written` bytes. */
function skipBytes(buffers: Buffer[], written: number): Buffer[] {
  let skip = written;
  const left: Buffer[] = [];
  for (const buffer of buffers) {
    if (skip < buffer.length) left.push(buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return left;
}
