// Folders that many test files need, made once: releases of large datasets, compiled sources. They are kept in node_modules
// under a digest of everything that they are made from, so that a change of the generator, the format or a fixture makes
// them anew.
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder } from './files.ts';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/boundaries-tests');
/** What a release is made from, besides the module that makes it. */
const SOURCES: readonly string[] = ['format', 'generator', 'test/support'];
const FILES = ['package-lock.json', 'tsconfig.json', '.package/tsconfig.json'];
/** Folders of other sources are removed when they are older. */
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
  const folder = temporaryFolder();
  const made = await madeFolder(module, name, make);
  cpSync(made, folder, { recursive: true });
  return folder;
}

/** The same, not copied: nobody may change it. */
export async function madeFolder(
  module: string,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const own = createHash('sha256')
    .update(readFileSync(fileURLToPath(module)))
    .update(`\0${name}`)
    .digest('hex');
  const folder = join(CACHE, digestOfSources(), `${relative(ROOT, fileURLToPath(module)).replaceAll('/', '-')}-${own}`);
  if (existsSync(folder)) return folder;
  removeOld();
  const unfinished = `${folder}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await make(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another test file may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

let digest: string | undefined;

/** Of what every folder is made from, this Node included: its zlib decides on the bytes of a release. */
function digestOfSources(): string {
  if (digest !== undefined) return digest;
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`);
  const files = SOURCES.flatMap((source) => filesUnder(join(ROOT, source)).map((file) => join(source, file)));
  for (const file of [...FILES, ...files]) hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)));
  digest = hash.digest('hex');
  return digest;
}

function removeOld(): void {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    if (name === digestOfSources()) continue;
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
