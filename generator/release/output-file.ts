// Writes a file of a release: small writes are collected into large ones, and the content is hashed.
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writevSync } from 'node:fs';

/** Size and SHA-256 of a written file. */
export interface WrittenFile {
  bytes: number;
  sha256: Buffer;
}

/** A file to append to. */
export interface OutputFile {
  write(bytes: Buffer): void;
  close(): WrittenFile;
}

const WRITE_BYTES = 1 << 20;

/** Creates `file`; its folder must exist. An existing file is removed first. */
export function createOutputFile(file: string): OutputFile {
  const handle = openNew(file);
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
    write(bytes) {
      hash.update(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      total += bytes.length;
      if (waitingBytes >= WRITE_BYTES) flush();
    },
    close() {
      flush();
      closeSync(handle);
      return { bytes: total, sha256: hash.digest() };
    },
  };
}

/** A repeated shard finds the files of its first run. They are not overwritten: identical pages are hard links. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(file);
    return openSync(file, 'wx');
  }
}

/** `buffers` without their first `written` bytes. */
function skipBytes(buffers: Buffer[], written: number): Buffer[] {
  let skip = written;
  const left: Buffer[] = [];
  for (const buffer of buffers) {
    if (skip < buffer.length) left.push(buffer.subarray(skip));
    skip = Math.max(0, skip - buffer.length);
  }
  return left;
}
