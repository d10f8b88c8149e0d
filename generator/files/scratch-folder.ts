// A folder for working files where there is no staging folder: of `build --dry-run`, which writes nothing else, and while
// a source is described.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for working files. */
export interface ScratchFolder {
  path: string;
  remove(): void;
}

/**
 * Makes a folder in that of the system for temporary files. It is removed at the latest when this process exits, after
 * a signal too: child processes that write in it must be killed by then, by a pool that was opened before.
 */
export function makeScratchFolder(name: string): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), `boundaries-${name}-`));
  const remove = (): void => {
    process.off('exit', remove);
    // A killed child process may still create a file.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.on('exit', remove);
  return { path, remove };
}
