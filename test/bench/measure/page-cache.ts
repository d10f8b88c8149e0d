// The operating system's page cache: filled with a release before it is measured, or dropped to see what that costs.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CHUNK_BYTES = 2 ** 20;
const DROP_FILE = '/proc/sys/vm/drop_caches';

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

/** Empties the page cache, with what it knows of folders. @throws Error where that is not allowed */
export function dropPageCache(): void {
  spawnSync('sync');
  writeFileSync(DROP_FILE, '3\n');
}

/** May this process empty it? Tried for real, once. */
export function canDropPageCache(): boolean {
  try {
    dropPageCache();
    return true;
  } catch {
    return false;
  }
}
