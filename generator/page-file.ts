// Reads page files back: block by block where the manifest knows their blocks, as a stream where it does not.
// A page's text can be hundreds of MB: no more of it is held than a block or a feature.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import {
  EMPTY_SUM,
  GZIP_HEADER,
  GZIP_TRAILER_BYTES,
  gzipTrailer,
  joinSums,
  LAST_BLOCK,
  sumOf,
} from '../format/gzip.ts';
import type { Block } from '../format/manifest.ts';
import { endsEarly, inflateBlock, inflateError, inflateWhole, PageError } from './inflate.ts';

/** Takes one line of a page's text, its line feed included. The bytes may be held. */
export type OnLine = (line: Buffer) => void;

/** A file that is read once, from its beginning to its end. */
export interface PageFile {
  /** Bytes that have not been read. */
  left(): number;
  /** @throws PageError where fewer are left */
  read(bytes: number): Buffer;
  /** Reads what is left. */
  close(): { bytes: number; sha256: string };
}

const READ_BYTES = 1 << 20;
/** Deflated bytes up to which a page is inflated in one go: streams take their time to start. */
const WHOLE_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 18;
const LINE_FEED = 0x0a;

/** Opens a page file. */
export function openPage(file: string): PageFile {
  const handle = openSync(file, 'r');
  const { size } = fstatSync(handle);
  const hash = createHash('sha256');
  let at = 0;

  function read(bytes: number): Buffer {
    const buffer = readFrom(handle, at, bytes);
    at += bytes;
    hash.update(buffer);
    return buffer;
  }

  return {
    left: () => size - at,
    read,
    close() {
      try {
        while (at < size) read(Math.min(READ_BYTES, size - at));
      } finally {
        closeSync(handle);
      }
      return { bytes: size, sha256: hash.digest('hex') };
    },
  };
}

/**
 * Reads a page by its blocks, each inflated alone.
 * @throws PageError where the file is not one gzip member of exactly these blocks, each holding as many lines as it says
 */
export function readBlocks(page: PageFile, blocks: readonly Block[], onLine: OnLine): void {
  expectBytes(page, GZIP_HEADER, 'gzip header');
  let sum = EMPTY_SUM;
  for (const [i, block] of blocks.entries()) {
    const where = `block ${i + 1}`;
    const text = inflateBlock(page.read(block.bytes), block, where);
    let lines = 0;
    const rest = eachLine(text, (line) => {
      lines++;
      onLine(line);
    });
    if (rest.length > 0) throw new PageError(`${where} ends within a line`);
    if (lines !== block.features) throw new PageError(`${where} holds ${lines} features, expected ${block.features}`);
    sum = joinSums(sum, { crc: block.crc, length: block.text });
  }
  expectBytes(page, LAST_BLOCK, 'last block');
  expectBytes(page, gzipTrailer(sum), 'gzip trailer');
  if (page.left() > 0) throw new PageError(`has ${page.left()} bytes behind its gzip member`);
}

/** Reads one block of a page, whose first byte stands at `offset`. */
export function readBlockAt(file: string, offset: number, block: Block): Buffer[] {
  const handle = openSync(file, 'r');
  try {
    const lines: Buffer[] = [];
    eachLine(inflateBlock(readFrom(handle, offset, block.bytes), block, `block at byte ${offset}`), (line) =>
      lines.push(line),
    );
    return lines;
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads a page whose blocks are not known.
 * @returns what stands behind the last line feed
 * @throws PageError where the file is not exactly one gzip member
 */
export async function readStream(page: PageFile, onLine: OnLine): Promise<Buffer> {
  expectBytes(page, GZIP_HEADER, 'gzip header');
  const deflated = page.left() - GZIP_TRAILER_BYTES;
  if (deflated < LAST_BLOCK.length) throw new PageError('is too short for a gzip member');
  if (deflated <= WHOLE_BYTES) {
    const bytes = page.read(deflated);
    const trailer = page.read(GZIP_TRAILER_BYTES);
    const text = inflateWhole(bytes, trailer.readUInt32LE(4));
    if (!trailer.equals(gzipTrailer(sumOf(text)))) throw new PageError('its gzip trailer is not that of its text');
    return eachLine(text, onLine);
  }
  let sum = EMPTY_SUM;
  let begun: Buffer[] = [];
  await inflateChunks(page, deflated, (text) => {
    sum = { crc: crc32(text, sum.crc), length: sum.length + text.length };
    const rest = eachLine(text, (line) => {
      onLine(begun.length === 0 ? line : Buffer.concat([...begun, line]));
      begun = [];
    });
    if (rest.length > 0) begun.push(rest);
  });
  expectBytes(page, gzipTrailer(sum), 'gzip trailer');
  return Buffer.concat(begun);
}

/** Inflates the next `deflated` bytes, which must be exactly one deflate stream, chunk by chunk. */
async function inflateChunks(page: PageFile, deflated: number, onText: (text: Buffer) => void): Promise<void> {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const end = page.left() - deflated;
  function* chunks(): Generator<Buffer> {
    while (page.left() > end) yield page.read(Math.min(READ_BYTES, page.left() - end));
  }
  try {
    await pipeline(chunks, inflate, async (source: AsyncIterable<Buffer>) => {
      for await (const text of source) onText(text);
    });
  } catch (error) {
    // The pipeline is aborted where the stream ends before its input does.
    if (error instanceof Error && error.name !== 'AbortError') throw inflateError(error);
  }
  if (inflate.bytesWritten !== deflated || page.left() !== end) throw endsEarly(inflate.bytesWritten, deflated);
}

function expectBytes(page: PageFile, expected: Buffer, what: string): void {
  const got = page.read(expected.length);
  if (!got.equals(expected))
    throw new PageError(`its ${what} is ${got.toString('hex')}, expected ${expected.toString('hex')}`);
}

/** Calls `onLine` for each line; returns what stands behind the last line feed. */
function eachLine(text: Buffer, onLine: OnLine): Buffer {
  let start = 0;
  for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, start)) {
    onLine(text.subarray(start, end + 1));
    start = end + 1;
  }
  return text.subarray(start);
}

function readFrom(handle: number, offset: number, bytes: number): Buffer {
  const { size } = fstatSync(handle);
  if (bytes < 0 || offset + bytes > size) throw new PageError(`ends after ${size} bytes, expected ${offset + bytes}`);
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  while (done < bytes) {
    const read = readSync(handle, buffer, done, bytes - done, offset + done);
    if (read === 0) throw new PageError(`ends after ${offset + done} bytes, expected ${size}`);
    done += read;
  }
  return buffer;
}
