// Folders for the files of a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from './after.ts';

/** A folder that is removed when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
