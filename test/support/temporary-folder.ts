// Folders for the files of a test file.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from './after.ts';

/** A folder that is removed when the test file ends. @param end ends what uses it, before */
export function temporaryFolder(end?: () => unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  after(async () => {
    await end?.();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/**
 * Copies a folder with what is below it, symbolic links as they are, in a third of the time that cpSync takes.
 * @param copy where left out, a folder that is removed when the test file ends
 * @returns the copy
 */
export function copyOf(folder: string, copy: string = temporaryFolder()): string {
  mkdirSync(copy, { recursive: true });
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [from, to] = [join(folder, entry.name), join(copy, entry.name)];
    if (entry.isDirectory()) copyOf(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else copyFileSync(from, to);
  }
  return copy;
}
