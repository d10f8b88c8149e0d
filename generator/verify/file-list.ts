// Verifies that a release has every file of its levels, and no other.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKSUMS_FILE,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  RELEASE_FILE,
} from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { plannedFiles } from '../pages/plan.ts';
import { sha256OfFile } from '../reader/read-page.ts';
import type { Metadata } from './metadata.ts';

/** The files of each level that are read by themselves. */
const LEVEL_FILES = [manifestPath, indexPath, namesPath];

/**
 * Compares the folder, the levels and checksums.txt with one another. That the files exist is seen when they are read.
 * @returns number of files in the folder
 */
export function verifyList(metadata: Metadata): number {
  const { root, checksums, found } = metadata;
  const expected = new Set(expectedFiles(metadata));
  let files = 0;
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue;
    files++;
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (!expected.has(path)) found(path, 'is not part of this release');
    else if (!entry.isFile()) found(path, 'is no plain file');
  }
  if (checksums === undefined) return files;
  for (const path of checksums.keys())
    if (!expected.has(path) || path === CHECKSUMS_FILE)
      found(CHECKSUMS_FILE, `lists ${path}, which is not part of this release`);
  for (const path of expected)
    if (!checksums.has(path) && path !== CHECKSUMS_FILE) found(CHECKSUMS_FILE, `has no line for ${path}`);
  return files;
}

/** Verifies by SHA-256 alone the files of levels whose manifest or index is damaged. */
export function verifySums(metadata: Metadata): void {
  const { root, checksums, found, attempt } = metadata;
  for (const path of unindexedFiles(metadata))
    attempt(path, () => {
      const [got, expected] = [sha256OfFile(join(root, path)), checksums?.get(path)];
      if (got !== expected) found(path, `its SHA-256 is ${got}, expected ${expected}`);
    });
}

function* expectedFiles(metadata: Metadata): Generator<string> {
  yield* [CHECKSUMS_FILE, RELEASE_FILE, OVERVIEW_FILE];
  yield* LEVELS.flatMap((level) => LEVEL_FILES.map((pathOf) => pathOf(level)));
  for (const index of metadata.levels) {
    if (index === undefined) continue;
    for (const { path } of plannedFiles(index)) yield path;
  }
  yield* unindexedFiles(metadata);
}

/** The feature files and pages of levels without an index: only checksums.txt lists them. */
function* unindexedFiles({ levels, checksums }: Metadata): Generator<string> {
  const folders = LEVELS.filter((level) => levels[level] === undefined).map((level) => `${levelName(level)}/`);
  const own: readonly string[] = LEVELS.flatMap((level) => LEVEL_FILES.map((pathOf) => pathOf(level)));
  for (const path of checksums?.keys() ?? [])
    if (folders.some((folder) => path.startsWith(folder)) && !own.includes(path)) yield path;
}
