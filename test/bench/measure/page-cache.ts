// Fills the operating system's page cache with a release before it is measured.
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK_BYTES = 2 ** 20;

/** Reads every file of a folder once. @returns how many files and bytes */
export function readAll(folder: string): { files: number; bytes: number } {
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
