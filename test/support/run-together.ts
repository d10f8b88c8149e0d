// Runs test files in one process, one after the other; test/run.ts makes a file that calls this for each of its groups.
import { EventEmitter, once } from 'node:events';
import { basename } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Loads each test file when the tests of the one before have ended, within a test that fails if that is not possible:
 * the runner would remove the folders and stop the servers of the files when no declared test is left.
 */
export async function runTogether(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const loading = new EventEmitter();
    const isTurn = once(loading, 'turn');
    test(`${basename(file)} is loaded`, async () => {
      const isLoaded = once(loading, 'loaded');
      loading.emit('turn');
      await isLoaded;
    });
    await isTurn;
    try {
      // Not within that test: what the file declares is none of its subtests.
      await import(pathToFileURL(file).href);
      loading.emit('loaded');
    } catch (error) {
      loading.emit('error', error);
    }
  }
}
