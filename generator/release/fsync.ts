// Writing that survives a power cut: nothing counts as written before the disk says so, and a failed fsync is final.
import { execFile } from 'node:child_process';
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

const execFileAsync = promisify(execFile);

/** fsyncs under way at once: the disk's journal takes many in one go. */
const SYNCS = 16;

/** Writes a new file and waits for the disk; its folder entry is not waited for. */
export function writeDurably(file: string, content: string | Uint8Array): void {
  writePartsDurably(file, [content]);
}

/** As `writeDurably`, from parts that need not be in memory together. */
export function writePartsDurably(file: string, parts: Iterable<string | Uint8Array>): void {
  const handle = openSync(file, 'wx');
  try {
    for (const part of parts) writeFileSync(handle, part);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames, and waits for the disk to know both folders. */
export async function renameDurably(from: string, to: string): Promise<void> {
  renameSync(from, to);
  await syncFiles([...new Set([dirname(to), dirname(from)])]);
}

/** Waits for the disk to have the content of files, or the entries of folders, that were written before. */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  const limit = pLimit(SYNCS);
  await limit.map(paths, async (path) => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/**
 * Waits for the disk to have everything below a folder. On Linux that is one call for the whole file system (syncfs, by
 * way of coreutils' sync), many times faster than one a file; where it is not to be had or fails, each file is asked for.
 */
export async function syncTree(root: string): Promise<void> {
  if (process.platform === 'linux' && (await syncFileSystem(root))) return;
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  await syncFiles([root, ...entries.map((entry) => join(entry.parentPath, entry.name))]);
}

async function syncFileSystem(path: string): Promise<boolean> {
  try {
    await execFileAsync('sync', ['-f', path]);
    return true;
  } catch {
    return false;
  }
}
