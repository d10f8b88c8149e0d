// Runs test files in one process, one after the other: a process costs more than most files. test/run.ts makes entries
// that call this; several take files from one list.
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endFile } from './after.ts';
import { cpuSeconds } from './cpu-time.ts';
import { claim } from './files.ts';

export interface ListedFile {
  file: string;
  /** Its source's path in the repository. */
  name: string;
  /** After so long the process ends, and says which test did not. */
  limitMs: number;
}

export interface EndedFile {
  name: string;
  seconds: number;
  cpu: number;
}

/** When a process is ended that something keeps after its last test: a child process, a server. */
const LEFT_OPEN_MS = 60_000;
/** The title of what loads a test file is this with its name, that of what ends it is END: they are no tests. */
export const LOAD = 'load ';
export const END = 'end of its test file';

/**
 * Loads one test file after the other, each when the tests of the one before have ended, within a test that fails if
 * that is not possible: the runner would remove the folders and stop the servers when no declared test is left.
 * @param claims a folder in which each file is taken by at most one of the processes with the same list
 */
export async function runTogether(files: readonly ListedFile[], claims: string): Promise<void> {
  let running = '';
  beforeEach((context) => {
    // Of a suite it has no name.
    if ('fullName' in context) running = context.fullName;
  });
  for (const [i, listed] of files.entries()) {
    if (!claim(join(claims, String(i)))) continue;
    const loading = new EventEmitter();
    const isTurn = once(loading, 'turn');
    test(`${LOAD}${listed.name}`, async () => {
      const isLoaded = once(loading, 'loaded');
      loading.emit('turn');
      await isLoaded;
    });
    await isTurn;
    const end = begin(listed, () => running);
    try {
      // Not within that test: what the file declares is none of its subtests.
      await import(pathToFileURL(listed.file).href);
      loading.emit('loaded');
    } catch (error) {
      loading.emit('error', error);
    }
    test(END, end);
  }
  test(END, () => {
    // Of no consequence where nothing is left that keeps this process.
    setTimeout(() => {
      console.error(`a test left open: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, LEFT_OPEN_MS).unref();
  });
}

/** Begins to measure a file. @returns ends it, and tells the run what it took */
function begin({ name, limitMs }: ListedFile, running: () => string): (t: TestContext) => Promise<void> {
  const begun = performance.now();
  const cpuBefore = cpuSeconds();
  const limit = setTimeout(() => {
    console.error(`${name} takes more than ${limitMs / 1000} s; running: ${running()}`);
    process.exit(1);
  }, limitMs);
  return async (t) => {
    try {
      await endFile();
    } finally {
      clearTimeout(limit);
      const seconds = (performance.now() - begun) / 1000;
      const ended: EndedFile = { name, seconds, cpu: cpuSeconds() - cpuBefore };
      t.diagnostic(JSON.stringify(ended));
    }
  };
}
