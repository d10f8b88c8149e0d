// Folders that many test files need, made once: releases of large datasets, the compiled project. They are kept in
// node_modules under a digest of everything that they are made from, so that a change of the generator, the format or a
// fixture makes them anew.
import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RELEASES_PATH, releasePath } from '../../format/layout.ts';
import { claim, filesUnder } from './files.ts';
import { copyOf, temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** The code that runs: the repository, or all of it compiled. */
const CODE = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = resolve('node_modules/.cache/boundaries-tests');
/** What a release is made from, besides the module that makes it. */
const SOURCES: readonly string[] = ['format', 'generator', 'test/support/datasets', 'test/support/releases'];
const FILES = ['package-lock.json', 'tsconfig.json', '.package/tsconfig.json'];
/** Folders are removed when they were not used for longer. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Between two looks at whether another test file has made one: 3,000 looks are ten minutes. */
const MAKING_PAUSE_MS = 200;

/**
 * An output folder with releases that `make` has built, now or for another test file. It is the test file's own: the
 * test may publish, rename and remove releases. What is in them it must not change, except in copies: a release may
 * have thousands of files and folders, so the folder has links to the others.
 * @param module the URL of the module that `make` is in: the folder is made anew when that module changes
 * @param name of the folder among those of that module, with everything that `make` depends on
 * @param copied ids of releases whose files the test changes
 */
export async function cachedOutput(
  module: string,
  name: string,
  make: (folder: string) => Promise<void>,
  copied: readonly string[] = [],
): Promise<string> {
  const cached = folderFor(module, name, SOURCES);
  if (!isThere(cached)) await makeAlone(cached, make);
  const folder = temporaryFolder();
  for (const file of readdirSync(cached))
    if (file !== RELEASES_PATH) copyFileSync(join(cached, file), join(folder, file));
  mkdirSync(join(folder, RELEASES_PATH));
  for (const release of readdirSync(join(cached, RELEASES_PATH))) {
    const [from, to] = [join(cached, releasePath(release)), join(folder, releasePath(release))];
    if (copied.includes(release)) copyOf(from, to);
    else symlinkSync(from, to);
  }
  return folder;
}

/** A folder that is made from these folders by a function that waits; not copied, for nobody to change. */
export function sharedFolder(module: string, sources: readonly string[], make: (folder: string) => void): string {
  const cached = folderFor(module, '', sources);
  if (isThere(cached)) return cached;
  const unfinished = begin(cached);
  make(unfinished);
  finish(unfinished, cached);
  return cached;
}

/** Makes a folder, or waits while another test file makes it. */
async function makeAlone(cached: string, make: (folder: string) => Promise<void>): Promise<void> {
  const lock = `${cached}.lock`;
  mkdirSync(CACHE, { recursive: true });
  let isMine = false;
  const isDecided = (): boolean => {
    isMine = !isThere(cached) && takeLock(lock);
    return isMine || isThere(cached);
  };
  await until(isDecided, `${cached} is not there`, MAKING_PAUSE_MS);
  if (!isMine) return;
  const unfinished = begin(cached);
  try {
    // It may have been finished between the look and the lock.
    if (isThere(cached)) return;
    await make(unfinished);
    finish(unfinished, cached);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

/** Takes a lock, a file with the number of the process, if nobody has it. One whose process has ended is removed. */
function takeLock(lock: string): boolean {
  if (claim(lock)) return true;
  const holder = holderOf(lock);
  if (holder !== undefined && !isRunning(holder)) rmSync(lock, { force: true });
  return false;
}

/** The process that has a lock; undefined where that has just gone. */
function holderOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** It counts as used now. */
function isThere(cached: string): boolean {
  if (!existsSync(cached)) return false;
  const now = new Date();
  utimesSync(cached, now, now);
  return true;
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

/**
 * Its name holds the digest of everything that it is made from, this Node included: its zlib decides on the bytes of a
 * release.
 */
function folderFor(module: string, name: string, sources: readonly string[]): string {
  const file = fileURLToPath(module);
  const hash = createHash('sha256').update(`${name}\0${process.version} ${process.arch}\0`).update(readFileSync(file));
  const below = sources.flatMap((source) => filesUnder(join(CODE, source)).map((path) => join(source, path)));
  for (const path of below) hash.update(`\0${path}\0`).update(readFileSync(join(CODE, path)));
  for (const path of FILES) hash.update(`\0${path}\0`).update(readFileSync(path));
  return join(CACHE, `${basename(file, extname(file))}-${hash.digest('hex')}`);
}

/** Removes what was not used for a day: most likely made from other sources. */
function removeOld(): void {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
}
