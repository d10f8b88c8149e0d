// Reads files of a release to their end: pages line by line, others for their SHA-256. A page's text can be hundreds of MB:
// of a large page only one line is held in memory. Used by `verify`.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { EMPTY_SUM } from '../../format/crc32.ts';
import { MEMBER_HEADER, TRAILER_BYTES } from '../../format/gzip.ts';
import { sha256Of } from '../release/checksums.ts';
import { problemOf } from './file-error.ts';
import { expectAllTaken, expectBytes, expectTrailer, inflateError, inflateMember } from './inflate.ts';

/** A file that was read. Plain data: child processes return it. */
export interface FileReading {
  bytes: number;
  /** SHA-256 in hex; empty if the file cannot be read. */
  sha256: string;
  /** Of its content, or why it cannot be read. */
  problems: readonly string[];
  /** Between it and the index: either may be damaged. */
  differences: readonly string[];
}

/** Takes each line of a page with its line feed, which the last one may lack, and then undefined. It may keep the bytes. */
export type OnLine = (line: Buffer | undefined) => void;

export const LINE_FEED = 0x0a;
const READ_BYTES = 1 << 20;
/** Maximum bytes of a page that is inflated in one call: a stream has a cost per page. */
const WHOLE_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 18;

/** Reads a page, which is exactly one gzip member; to its end, even if its content is damaged. */
export async function readPage(file: string, onLine: OnLine): Promise<FileReading> {
  return readingOf(async () => {
    const { size } = statSync(file);
    const whole = size <= WHOLE_BYTES ? readFileSync(file) : undefined;
    const sha256 = whole === undefined ? sha256OfFile(file) : sha256Of(whole);
    const problems: string[] = [];
    try {
      const rest = whole === undefined ? await streamLines(file, size, onLine) : eachLine(inflateMember(whole), onLine);
      if (rest.length > 0) onLine(rest);
      onLine(undefined);
    } catch (error) {
      problems.push(problemOf(error));
    }
    return { bytes: size, sha256, problems, differences: [] };
  });
}

/** What `read` returns; if the file cannot be read, why. */
export async function readingOf(read: () => Promise<FileReading> | FileReading): Promise<FileReading> {
  try {
    return await read();
  } catch (error) {
    return { bytes: 0, sha256: '', problems: [problemOf(error)], differences: [] };
  }
}

/** SHA-256 of a file of any size, in hex. */
export function sha256OfFile(file: string): string {
  const hash = createHash('sha256');
  const handle = openSync(file, 'r');
  try {
    for (const piece of piecesOf(handle, 0, fstatSync(handle).size)) hash.update(piece);
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}

/** Reads `bytes` bytes at `offset`; fewer if the file ends before. */
export function readAt(handle: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  for (let read = -1; done < bytes && read !== 0; done += read)
    read = readSync(handle, buffer, done, bytes - done, offset + done);
  return buffer.subarray(0, done);
}

/** The bytes from `start` up to but not including `end`, in large pieces. */
function* piecesOf(handle: number, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += READ_BYTES) yield readAt(handle, at, Math.min(READ_BYTES, end - at));
}

/** Reads the lines of a large page; returns the text after the last line feed. */
async function streamLines(file: string, size: number, onLine: OnLine): Promise<Buffer> {
  const handle = openSync(file, 'r');
  try {
    expectBytes(readAt(handle, 0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
    let sum = EMPTY_SUM;
    let begun: Buffer[] = [];
    await inflateStream(handle, MEMBER_HEADER.length, size - TRAILER_BYTES, (text) => {
      sum = { crc: crc32(text, sum.crc), length: sum.length + text.length };
      const rest = eachLine(text, (line) => {
        onLine(begun.length === 0 ? line : Buffer.concat([...begun, line]));
        begun = [];
      });
      if (rest.length > 0) begun.push(rest);
    });
    expectTrailer(readAt(handle, size - TRAILER_BYTES, TRAILER_BYTES), sum);
    return Buffer.concat(begun);
  } finally {
    closeSync(handle);
  }
}

/** Inflates the bytes from `start` up to but not including `end`, exactly one deflate stream, chunk by chunk. */
async function inflateStream(
  handle: number,
  start: number,
  end: number,
  onText: (text: Buffer) => void,
): Promise<void> {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  try {
    await pipeline(piecesOf(handle, start, end), inflate, async (texts: AsyncIterable<Buffer>) => {
      for await (const text of texts) onText(text);
    });
  } catch (error) {
    // The pipeline is aborted if the deflate stream ends before the file does.
    if (error instanceof Error && error.name !== 'AbortError') throw inflateError(error);
  }
  expectAllTaken(inflate.bytesWritten, end - start);
}

/** Calls `onLine` for each line; returns the text after the last line feed. */
function eachLine(text: Buffer, onLine: (line: Buffer) => void): Buffer {
  let start = 0;
  for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, start)) {
    onLine(text.subarray(start, end + 1));
    start = end + 1;
  }
  return text.subarray(start);
}
