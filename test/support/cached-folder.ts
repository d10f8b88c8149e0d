// Folders that many test files need, made once: releases of large datasets, compiled sources. They are kept in node_modules
// under a digest of everything that they are made from, so that a change of the generator, the format or a fixture makes
// them anew.
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder } from './files.ts';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/boundaries-tests');
/** What a release is made from, besides the module that makes it. */
const SOURCES: readonly string[] = ['format', 'generator', 'test/support'];
const FILES = ['package-lock.json', 'tsconfig.json', '.package/tsconfig.json'];
/** Folders are removed when they are older. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * A copy of a folder that `make` fills where that has not been done yet. It is the test file's own, to change as it likes, and
 * is removed when the test file ends.
 * @param module the URL of the module that `make` is in: the folder is made anew when that module changes
 * @param name of the folder among those of that module, with everything that `make` depends on
 */
export async function cachedFolder(
  module: string,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const cached = folderFor(module, name, SOURCES);
  if (!existsSync(cached)) {
    const unfinished = begin(cached);
    try {
      await make(unfinished);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
    finish(unfinished, cached);
  }
  const folder = temporaryFolder();
  cpSync(cached, folder, { recursive: true });
  return folder;
}

/** A folder that is made from the sources of the proxy too, by a function that waits; not copied, for nobody to change. */
export function sharedFolder(module: string, name: string, make: (folder: string) => void): string {
  const cached = folderFor(module, name, [...SOURCES, 'proxy']);
  if (existsSync(cached)) return cached;
  const unfinished = begin(cached);
  make(unfinished);
  finish(unfinished, cached);
  return cached;
}

function begin(cached: string): string {
  removeOld();
  const unfinished = `${cached}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true });
  return unfinished;
}

/** What is there under its own name is complete. */
function finish(unfinished: string, cached: string): void {
  try {
    renameSync(unfinished, cached);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another test file may have made it meanwhile.
    if (!existsSync(cached)) throw error;
  }
}

/** Its name holds the digest of everything that it is made from, this Node included: its zlib decides on the bytes of a release. */
function folderFor(module: string, name: string, sources: readonly string[]): string {
  const file = fileURLToPath(module);
  const hash = createHash('sha256').update(`${name}\0${process.version} ${process.arch}\0`).update(readFileSync(file));
  const below = sources.flatMap((source) => filesUnder(join(ROOT, source)).map((path) => join(source, path)));
  for (const path of [...FILES, ...below]) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  return join(CACHE, `${basename(file, '.ts')}-${hash.digest('hex')}`);
}

/** Removes what was made a day ago or earlier: most likely from other sources. */
function removeOld(): void {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
