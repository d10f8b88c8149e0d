// Reads a file of a release from beginning to end, in large pieces, and hashes it.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FileError } from './inflate.ts';

/** A file that is read once, sequentially. */
export interface InputFile {
  /** Number of bytes that are not read yet. */
  left(): number;
  /**
   * Reads the next bytes. The caller may keep them.
   * @throws FileError if fewer are left
   */
  read(bytes: number): Buffer;
  /** Reads the rest; returns the file's length and its SHA-256 in hex. */
  close(): { bytes: number; sha256: string };
}

const READ_BYTES = 1 << 20;

/**
 * Opens a file.
 * @throws FileError if it is a folder, the operating system's error if it cannot be opened
 */
export function openInputFile(file: string): InputFile {
  const handle = openSync(file, 'r');
  const stat = fstatSync(handle);
  if (stat.isDirectory()) {
    closeSync(handle);
    throw new FileError('is a folder');
  }
  const { size } = stat;
  const hash = createHash('sha256');
  /** Number of bytes that the caller has read, and the bytes read ahead. */
  let at = 0;
  let ahead: Buffer = Buffer.of();

  function readAhead(bytes: number): void {
    const begin = at + ahead.length;
    const more = readAt(handle, begin, bytes);
    if (more.length < bytes) throw new FileError(`ends after ${begin + more.length} bytes, expected ${size}`);
    hash.update(more);
    ahead = ahead.length === 0 ? more : Buffer.concat([ahead, more]);
  }

  return {
    left: () => size - at,
    read(bytes) {
      if (bytes > size - at) throw new FileError(`ends after ${size} bytes, expected ${at + bytes}`);
      const missing = bytes - ahead.length;
      if (missing > 0) readAhead(Math.max(missing, Math.min(READ_BYTES, size - at - ahead.length)));
      const read = ahead.subarray(0, bytes);
      ahead = ahead.subarray(bytes);
      at += bytes;
      return read;
    },
    close() {
      try {
        for (at += ahead.length; at < size; at += ahead.length) {
          ahead = Buffer.of();
          readAhead(Math.min(READ_BYTES, size - at));
        }
      } finally {
        closeSync(handle);
      }
      return { bytes: size, sha256: hash.digest('hex') };
    },
  };
}

/** Reads `bytes` bytes at `offset`; fewer if the file ends before. */
export function readAt(handle: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let done = 0;
  for (let read = -1; done < bytes && read !== 0; done += read)
    read = readSync(handle, buffer, done, bytes - done, offset + done);
  return buffer.subarray(0, done);
}
