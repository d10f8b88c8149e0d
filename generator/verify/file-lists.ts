// Compares the files that are in the folder of a release, those that it should have, and those in checksums.txt.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKSUMS_FILE,
  cellsPath,
  indexPath,
  manifestPath,
  namesPath,
  neighboursPath,
  RELEASE_FILE,
  tableDigestsPath,
  tileDigestsPath,
  tilesPath,
  unitsTablePath,
  wordsPath,
} from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import type { Release } from '../../format/release-json.ts';
import { borderPaths, pathsOf, plannedFiles } from '../plan/plan.ts';
import { SIGNATURE_FILES } from '../release/sign.ts';
import { FOREIGN } from './file-findings.ts';

/** The metadata of a release, of which a part is undefined if its file is damaged. */
export interface ReleaseParts {
  /** The content of checksums.txt: SHA-256 in hex by path. */
  checksums: ReadonlyMap<string, string> | undefined;
  /** release.json. */
  description: Release | undefined;
  /** By level; undefined if its manifest or its index is damaged. */
  levels: readonly (LevelIndex | undefined)[];
  /** Adds a problem of a file of the release. */
  found(path: string, problem: string): void;
}

/** Files of a release that checksums.txt does not list. */
const UNLISTED: readonly string[] = [CHECKSUMS_FILE, ...SIGNATURE_FILES];

/** @returns number of files in the folder */
export async function compareLists(
  root: string,
  { description, levels, checksums, found }: ReleaseParts,
  isIntact: (path: string) => Promise<boolean>,
): Promise<number> {
  const expected = new Set([RELEASE_FILE]);
  for (const level of LEVELS) {
    for (const pathOf of [manifestPath, indexPath, namesPath, wordsPath]) expected.add(pathOf(level));
    const cells = description?.cells ?? checksums?.has(cellsPath(level)) ?? false;
    const neighbours = description?.neighbours ?? checksums?.has(neighboursPath(level)) ?? false;
    for (const path of borderPaths(level, { cells, neighbours })) expected.add(path);
    for (const path of [tilesPath(level), tileDigestsPath(level)])
      if (description === undefined ? checksums?.has(path) : description.levels[level]?.tiles) expected.add(path);
    for (const path of [unitsTablePath(level), tableDigestsPath(level)])
      if (description === undefined ? checksums?.has(path) : description.levels[level]?.parquet) expected.add(path);
    const index = levels[level];
    if (index === undefined) continue;
    for (const geometry of index.geometries) expected.add(indexPath(level, geometry));
    for (const file of plannedFiles(index)) for (const path of pathsOf(file)) expected.add(path);
  }
  for (const path of checksums?.keys() ?? []) {
    if (expected.has(path)) continue;
    // Nothing else has the files of a level whose index is damaged.
    const isUnindexed = LEVELS.some((level) => !levels[level] && path.startsWith(`${levelName(level)}/`));
    if (!isUnindexed) found(CHECKSUMS_FILE, `lists ${path}, which is not part of this release`);
    else {
      expected.add(path);
      await isIntact(path);
    }
  }
  if (checksums !== undefined)
    for (const path of expected) if (!checksums.has(path)) found(CHECKSUMS_FILE, `has no line for ${path}`);
  const files = readdirSync(root, { withFileTypes: true, recursive: true }).filter((entry) => !entry.isDirectory());
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (!expected.has(path) && !UNLISTED.includes(path)) found(path, FOREIGN);
    else if (!entry.isFile()) found(path, 'is no plain file');
  }
  return files.length;
}
