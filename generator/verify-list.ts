// Verifies that a release has every file that it should have, and no other.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKSUMS_FILE, manifestPath, RELEASE_FILE } from '../format/layout.ts';
import { LEVELS, levelName } from '../format/levels.ts';
import { problemOf } from './faults.ts';
import { sha256Of } from './provenance.ts';
import type { Metadata } from './verify-metadata.ts';
import { pagesOf } from './verify-pages.ts';

/**
 * Compares the folder, the manifests and checksums.txt with one another. That the pages which the manifests promise are
 * there is seen when they are read.
 * @returns how many files the folder holds
 */
export function verifyList(metadata: Metadata): number {
  const { root, checksums, fault } = metadata;
  const promised = promisedFiles(metadata);
  let files = 0;
  for (const { path, isFile } of entriesUnder(root, '')) {
    files++;
    if (!promised.has(path)) fault(path, 'is no file of this release');
    else if (!isFile) fault(path, 'is no plain file');
  }
  if (checksums === undefined) return files;
  for (const path of checksums.sums.keys()) {
    if (!promised.has(path) || path === CHECKSUMS_FILE)
      fault(CHECKSUMS_FILE, `names ${path}, which is no file of this release`);
  }
  for (const path of promised) {
    if (!checksums.sums.has(path) && path !== CHECKSUMS_FILE) fault(CHECKSUMS_FILE, `has no line for ${path}`);
  }
  return files;
}

/** Verifies the pages of levels whose manifest cannot be believed by their SHA-256 alone. */
export async function verifySums(metadata: Metadata): Promise<void> {
  for (const path of doubtfulPages(metadata)) {
    try {
      const got = await sha256Of(join(metadata.root, path));
      const expected = metadata.checksums?.sums.get(path);
      if (got !== expected) metadata.fault(path, `its SHA-256 is ${got}, expected ${expected}`);
    } catch (error) {
      metadata.fault(path, problemOf(error));
    }
  }
}

function promisedFiles(metadata: Metadata): Set<string> {
  const promised = new Set([CHECKSUMS_FILE, RELEASE_FILE, ...LEVELS.map(manifestPath)]);
  for (const manifest of metadata.manifests) {
    if (manifest === undefined) continue;
    for (const unfiltered of [true, false])
      for (const { path } of pagesOf(manifest, unfiltered, 0, 1)) promised.add(path);
  }
  for (const path of doubtfulPages(metadata)) promised.add(path);
  return promised;
}

/** What checksums.txt names of levels whose manifest cannot be believed. */
function* doubtfulPages({ manifests, checksums }: Metadata): Generator<string> {
  const folders = LEVELS.filter((level) => manifests[level] === undefined).map((level) => `${levelName(level)}/`);
  if (folders.length === 0) return;
  const own = new Set(LEVELS.map(manifestPath));
  for (const path of checksums?.sums.keys() ?? []) {
    if (!own.has(path) && folders.some((folder) => path.startsWith(folder))) yield path;
  }
}

/** Every file below a folder, hidden ones too. */
function* entriesUnder(root: string, folder: string): Generator<{ path: string; isFile: boolean }> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* entriesUnder(root, path);
    else yield { path, isFile: entry.isFile() };
  }
}
