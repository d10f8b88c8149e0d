// Writes a file of a release: small writes are collected into large ones, and the content is hashed. A file that is
// served whole (the names of a level) is one gzip member.
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { CheckedFile, WholeFile } from '../../format/checked-files.ts';
import { sumOf } from '../../format/crc32.ts';
import { codeOf } from '../../format/error-code.ts';
import { deflateWhole, MemberWriter } from '../../format/write/gzip.ts';

/** A file to append to. */
export interface OutputFile {
  write(bytes: Buffer): void;
  close(): CheckedFile;
}

/** One that only tasks of this build read. */
export interface ScratchFile {
  write(bytes: Buffer): void;
  /** @returns its bytes */
  close(): number;
}

const WRITE_BYTES = 1 << 20;

/** Creates `file`; its folder must exist. An existing file is removed first. */
export function createOutputFile(file: string): OutputFile {
  const hash = createHash('sha256');
  const output = createScratchFile(file, (bytes) => hash.update(bytes));
  return { write: output.write, close: () => ({ bytes: output.close(), sha256: hash.digest('hex') }) };
}

/** Creates a file of which nobody needs a sum. @param onWrite gets its bytes as they are written */
export function createScratchFile(file: string, onWrite?: (bytes: Buffer) => void): ScratchFile {
  const handle = openNew(file);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let total = 0;

  function flush(): void {
    const bytes = Buffer.concat(waiting);
    onWrite?.(bytes);
    writeFileSync(handle, bytes);
    waiting = [];
    waitingBytes = 0;
  }

  return {
    write(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      total += bytes.length;
      if (waitingBytes >= WRITE_BYTES) flush();
    },
    close() {
      flush();
      closeSync(handle);
      return total;
    },
  };
}

/** A repeated shard finds the files of its first run. They are not overwritten: identical pages are hard links. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    rmSync(file);
    return openSync(file, 'wx');
  }
}

/** Characters that are compressed together: the text of a large level is never in memory as a whole. */
const CHUNK_CHARS = 1 << 20;

/** Writes a file. @param texts its text in pieces */
export function writeWholeFile(file: string, texts: Iterable<string>): WholeFile {
  const output = createOutputFile(file);
  const textBytes = compressTexts(texts, output.write);
  const { bytes, sha256 } = output.close();
  return { bytes, textBytes, sha256 };
}

/** The bytes that a file of this text would have. */
export function wholeFileBytes(texts: Iterable<string>): number {
  let bytes = 0;
  compressTexts(texts, (part) => {
    bytes += part.length;
  });
  return bytes;
}

/** Writes texts as one gzip member. @returns their bytes */
function compressTexts(texts: Iterable<string>, write: (bytes: Buffer) => void): number {
  const member = new MemberWriter(write);
  let pending: string[] = [];
  let chars = 0;

  function flush(): void {
    const text = Buffer.from(pending.join(''));
    if (text.length > 0) member.add({ data: deflateWhole(text), ...sumOf(text) });
    pending = [];
    chars = 0;
  }

  for (const text of texts) {
    pending.push(text);
    chars += text.length;
    if (chars >= CHUNK_CHARS) flush();
  }
  flush();
  const { textBytes } = member;
  member.end();
  return textBytes;
}
