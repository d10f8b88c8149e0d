// Keeps the files of a release in memory while they are measured. The page cache alone does not: some systems take out what
// has not been read for seconds, and then the disk is measured.
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';

/** The file system in memory that most Linux systems have. */
const MEMORY = '/dev/shm';
const CHUNK_BYTES = 2 ** 20;

/** What was done to keep a folder in memory. */
export interface InMemory {
  /** The folder to use: a copy, which is removed when this process exits, or where there is no room for one, itself. */
  folder: string;
  isCopy: boolean;
  files: number;
  bytes: number;
}

/** Copies a folder to the file system in memory, or reads it into the page cache. */
export function inMemory(folder: string): InMemory {
  const read = readAll(folder);
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 };
  if (bavail * bsize < 2 * read.bytes) return { folder, isCopy: false, ...read };
  const copy = mkdtempSync(join(MEMORY, 'boundaries-bench-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true });
  return { folder: copy, isCopy: true, ...read };
}

function readAll(folder: string): { files: number; bytes: number } {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    for (let read = -1; read !== 0; bytes += read) read = readSync(file, chunk);
    closeSync(file);
    files++;
  }
  return { files, bytes };
}
