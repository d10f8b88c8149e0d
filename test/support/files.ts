// The files below a folder and their content, to compare folders with each other; files that processes claim.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Everything below a folder but folders: paths from the folder, sorted. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** The values in the lines of a text of JSON; blank lines have none. */
export function jsonLines(text: string) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

/** SHA-256 in hex. */
export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The file's SHA-256 in hex. */
export function sha256Of(file: string): string {
  return sha256(readFileSync(file));
}

/** The SHA-256 of every file below a folder, by path. */
export function contentOf(folder: string): Record<string, string> {
  return Object.fromEntries(filesUnder(folder).map((file) => [file, sha256Of(join(folder, file))]));
}

/** Folders and files below a folder and the content of the files: equal where nothing can tell two folders apart. */
export function snapshotOf(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${relative(folder, path)} ${entry.isDirectory() ? 'folder' : sha256Of(path)}`;
  });
  return entries.sort().join('\n');
}

/** The files whose paths begin so and that this process has open, each as often as it is. Needs Linux. */
export function openFiles(beginning: string): string[] {
  return openTargets().filter((target) => target.startsWith(beginning));
}

/** What this process has open: files by their paths, sockets and others as Linux names them. */
export function openTargets(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // Closed meanwhile, by another thread.
      return [];
    }
  });
}

/**
 * Makes a file with the number of this process.
 * @returns false where there is one already: another process was first
 */
export function claim(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
