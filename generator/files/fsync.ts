// Durable writes: a file counts as written once fsync has succeeded. A failed fsync fails the build; it is not retried.
import { execFile } from 'node:child_process';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { codeOf } from '../../format/error-code.ts';

const execFileAsync = promisify(execFile);

/** Concurrent fsyncs: the file system's journal commits several at once. */
const SYNCS = 16;

/** Writes a new file and syncs it, but not its folder entry. One that an interrupted command left is removed. */
export function writeDurably(file: string, content: string | Uint8Array): void {
  writePartsDurably(file, [content]);
}

/** Like `writeDurably`, from parts that need not fit in memory together. */
export function writePartsDurably(file: string, parts: Iterable<string | Uint8Array>): void {
  rmSync(file, { force: true });
  const handle = openSync(file, 'wx');
  try {
    for (const part of parts) writeFileSync(handle, part);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a file or folder and syncs both parent folders. */
export async function renameDurably(from: string, to: string): Promise<void> {
  renameSync(from, to);
  await syncFiles([...new Set([dirname(to), dirname(from)])]);
}

/** Syncs the content of files, or the entries of folders, that were written before. */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  await pLimit(SYNCS).map(paths, syncFile);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The type of file systems in user space (FUSE): GlusterFS, sshfs. */
const FUSE = 0x65735546;

/**
 * Syncs everything below a folder. On Linux by one call for the whole file system (syncfs, through coreutils'
 * `sync -f`), many times faster than one per file; file by file if that is missing or fails, and with FUSE, where it
 * succeeds but never reaches the server.
 */
export async function syncTree(root: string): Promise<void> {
  const isWhole = process.platform === 'linux' && (await statfs(root)).type !== FUSE && (await syncFileSystem(root));
  if (isWhole) return;
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  const paths = [root, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  await pLimit(SYNCS).map(paths, async (path) => {
    try {
      await syncFile(path);
    } catch (error) {
      // Another shard that is run again replaces its files, and syncs them itself.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  });
}

async function syncFileSystem(path: string): Promise<boolean> {
  try {
    await execFileAsync('sync', ['-f', path]);
    return true;
  } catch {
    return false;
  }
}
