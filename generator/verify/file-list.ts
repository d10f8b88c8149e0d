// Verifies that a release has every file of its manifests, and no other.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKSUMS_FILE,
  featureFilePath,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  RELEASE_FILE,
} from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import type { Manifest } from '../../format/manifest.ts';
import { problemOf } from '../report/faults.ts';
import { sha256OfFile } from '../source/source-files.ts';
import { pagesOf } from './content/pages.ts';
import type { Metadata } from './metadata.ts';

/**
 * Compares the folder, the manifests and checksums.txt with one another. That the promised files are there is seen
 * when they are read.
 * @returns number of files in the folder
 */
export function verifyList(metadata: Metadata): number {
  const { root, checksums, fault } = metadata;
  const promised = promisedFiles(metadata);
  let files = 0;
  for (const { path, isFile } of entriesUnder(root, '')) {
    files++;
    if (!promised.has(path)) fault(path, 'is not part of this release');
    else if (!isFile) fault(path, 'is no plain file');
  }
  if (checksums === undefined) return files;
  for (const path of checksums.sums.keys()) {
    if (!promised.has(path) || path === CHECKSUMS_FILE)
      fault(CHECKSUMS_FILE, `names ${path}, which is not part of this release`);
  }
  for (const path of promised) {
    if (!checksums.sums.has(path) && path !== CHECKSUMS_FILE) fault(CHECKSUMS_FILE, `has no line for ${path}`);
  }
  return files;
}

/** Verifies by SHA-256 alone the files of levels whose manifest or index is damaged. */
export async function verifySums(metadata: Metadata): Promise<void> {
  const { root, checksums, fault } = metadata;
  for (const path of unverifiableFiles(metadata)) {
    try {
      const got = await sha256OfFile(join(root, path));
      const expected = checksums?.sums.get(path);
      if (expected !== undefined && got !== expected) fault(path, `its SHA-256 is ${got}, expected ${expected}`);
    } catch (error) {
      fault(path, problemOf(error));
    }
  }
}

function promisedFiles(metadata: Metadata): Set<string> {
  const promised = new Set([
    CHECKSUMS_FILE,
    RELEASE_FILE,
    OVERVIEW_FILE,
    ...LEVELS.flatMap((level) => [manifestPath(level), indexPath(level), namesPath(level)]),
  ]);
  for (const manifest of metadata.manifests) {
    if (manifest === undefined) continue;
    for (const path of featureFilesOf(manifest)) promised.add(path);
    for (const { path } of pagesOf(manifest, 0, 1)) promised.add(path);
  }
  for (const path of unverifiableFiles(metadata)) promised.add(path);
  return promised;
}

/** Pages can be verified without an index, feature files cannot. Without a manifest only checksums.txt names the files. */
function* unverifiableFiles({ manifests, indexes, checksums }: Metadata): Generator<string> {
  for (const level of LEVELS) {
    const manifest = manifests[level];
    if (manifest === undefined) {
      for (const path of checksums?.sums.keys() ?? [])
        if (path.startsWith(`${levelName(level)}/`) && path !== manifestPath(level) && path !== namesPath(level))
          yield path;
    } else if (indexes[level] === undefined) {
      yield* featureFilesOf(manifest);
    }
  }
}

function* featureFilesOf({ level, features, featuresPerFile }: Manifest): Generator<string> {
  for (let file = 0; file * featuresPerFile < features; file++) yield featureFilePath(level, file);
}

/** Every file below a folder, hidden ones included. */
function* entriesUnder(root: string, folder: string): Generator<{ path: string; isFile: boolean }> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* entriesUnder(root, path);
    else yield { path, isFile: entry.isFile() };
  }
}
