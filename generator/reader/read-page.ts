// Reads a page line by line. A page's text can be hundreds of MB: of a large page only one line is held in memory.
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { EMPTY_SUM, FINAL_BLOCK, MEMBER_HEADER, memberEnd, sumOf, TRAILER_BYTES } from '../../format/gzip-members.ts';
import { endsEarly, expectBytes, FileError, inflateError, inflateWhole } from './inflate.ts';
import type { InputFile } from './input-file.ts';

/** Takes one line of a page's text with its line feed. It may keep the bytes. */
export type OnLine = (line: Buffer) => void;

const READ_BYTES = 1 << 20;
/** Maximum deflated bytes of a page that is inflated in one call: a stream has a cost per page. */
const WHOLE_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 18;
const LINE_FEED = 0x0a;

/**
 * Reads a page.
 * @returns the text after its last line feed
 * @throws FileError if the file is not exactly one gzip member
 */
export async function readLines(page: InputFile, onLine: OnLine): Promise<Buffer> {
  expectBytes(page.read(MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
  const deflated = page.left() - TRAILER_BYTES;
  if (deflated < FINAL_BLOCK.length) throw new FileError('is too short for a gzip member');
  if (deflated <= WHOLE_BYTES) {
    const bytes = page.read(deflated);
    const trailer = page.read(TRAILER_BYTES);
    const text = inflateWhole(bytes, trailer.readUInt32LE(TRAILER_BYTES - 4));
    expectBytes(trailer, trailerOf(sumOf(text)), 'gzip trailer');
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
  expectBytes(page.read(TRAILER_BYTES), trailerOf(sum), 'gzip trailer');
  return Buffer.concat(begun);
}

function trailerOf(sum: { crc: number; length: number }): Buffer {
  return memberEnd(sum).subarray(FINAL_BLOCK.length);
}

/** Inflates the next `deflated` bytes, which must be exactly one deflate stream, chunk by chunk. */
async function inflateChunks(page: InputFile, deflated: number, onText: (text: Buffer) => void): Promise<void> {
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
    // The pipeline is aborted if the stream ends before its input.
    if (error instanceof Error && error.name !== 'AbortError') throw inflateError(error);
  }
  if (inflate.bytesWritten !== deflated || page.left() !== end) throw endsEarly(inflate.bytesWritten, deflated);
}

/** Calls `onLine` for each line; returns the text after the last line feed. */
function eachLine(text: Buffer, onLine: OnLine): Buffer {
  let start = 0;
  for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, start)) {
    onLine(text.subarray(start, end + 1));
    start = end + 1;
  }
  return text.subarray(start);
}
