// What an operator wants to read before switching releases: the units and the page files that differ between two.
// Streams the unfiltered geojsonl pages of both; of the features it holds hashes only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isReleaseId,
  listingPath,
  manifestPath,
  pagePath,
  RELEASE_FILE,
  RELEASE_ID_RULE,
  releasePath,
} from '../format/layout.ts';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import { type Manifest, manifestFromJson } from '../format/manifest.ts';
import { readChecksums } from './checksums.ts';
import { BuildError } from './failure.ts';
import { problemOf } from './faults.ts';
import { openPage, readBlocks } from './page-file.ts';
import type { Report } from './report.ts';
import { unitOf } from './unit.ts';

/** Some things of one kind: how many there are, and what the first of them are called. */
export interface Some {
  count: number;
  /** At most EXAMPLES. */
  examples: string[];
}

/** What of `a` is not in `b`, what of `b` is not in `a`, and what is in both but not the same. */
export interface Changes {
  added: Some;
  removed: Some;
  changed: Some;
}

/** How two releases differ in one level. */
export interface LevelDiff {
  level: Level;
  /** By their own GIDs; changed where properties other than the fid, or the geometry, differ. */
  units: Changes;
  /** Page files by path relative to the release; changed where their bytes differ. */
  pages: Changes;
}

/** How many examples of each kind are given. */
export const EXAMPLES = 20;

/** What a unit without a GID is called. */
export const NO_GID = '(no GID)';

/** A release as far as it must be known to compare it. */
interface Side {
  release: string;
  root: string;
  sums: ReadonlyMap<string, string>;
}

/**
 * Compares two releases of an output folder level by level.
 * @param a the id of the one that is
 * @param b the id of the one that would be
 * @throws BuildError where one is missing or damaged
 */
export function diff(out: string, a: string, b: string, report: Report): LevelDiff[] {
  try {
    const [before, after] = [openSide(out, a), openSide(out, b)];
    return LEVELS.map((level) => ({
      level,
      units: unitChanges(level, before, after, report),
      pages: pageChanges(level, before, after),
    }));
  } finally {
    report.end();
  }
}

function openSide(out: string, release: string): Side {
  const root = join(out, releasePath(release));
  if (!isReleaseId(release)) throw new BuildError(`${release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  return reading(release, root, () => {
    readFileSync(join(root, RELEASE_FILE));
    const { sums, problems } = readChecksums(root);
    if (problems[0] !== undefined) throw damaged(release, `${root}: checksums.txt: ${problems[0]}`);
    return { release, root, sums };
  });
}

function unitChanges(level: Level, before: Side, after: Side, report: Report): Changes {
  const changes = noChanges();
  if (isSame(before, after, `${listingPath(level, 'geojsonl', 'all')}/`)) return changes;
  const old = readManifest(before, level);
  const now = readManifest(after, level);
  report.expect('features compared', old.features + now.features);
  // What is left of a unit's hashes when those of both releases have been matched; several share a GID where the data does.
  const left = new Map<string, string[]>();
  eachUnit(before, old, report, (gid, hash) => {
    const hashes = left.get(gid);
    if (hashes) hashes.push(hash);
    else left.set(gid, [hash]);
  });
  const unmatched = new Map<string, number>();
  eachUnit(after, now, report, (gid, hash) => {
    const hashes = left.get(gid) ?? [];
    const at = hashes.indexOf(hash);
    if (at === -1) unmatched.set(gid, (unmatched.get(gid) ?? 0) + 1);
    else hashes.splice(at, 1);
  });
  for (const [gid, count] of unmatched) {
    const changed = Math.min(count, left.get(gid)?.length ?? 0);
    add(changes.changed, gid, changed);
    add(changes.added, gid, count - changed);
  }
  for (const [gid, hashes] of left) add(changes.removed, gid, Math.max(0, hashes.length - (unmatched.get(gid) ?? 0)));
  return changes;
}

function pageChanges(level: Level, before: Side, after: Side): Changes {
  const changes = noChanges();
  const isPage = (path: string): boolean => path.startsWith(`${levelName(level)}/`) && path !== manifestPath(level);
  for (const [path, sum] of after.sums) {
    if (!isPage(path)) continue;
    const old = before.sums.get(path);
    if (old === undefined) add(changes.added, path, 1);
    else if (old !== sum) add(changes.changed, path, 1);
  }
  for (const path of before.sums.keys()) if (isPage(path) && !after.sums.has(path)) add(changes.removed, path, 1);
  return changes;
}

/** Have both releases the same files under a path, to the byte? */
function isSame(before: Side, after: Side, folder: string): boolean {
  const [old, now] = [before, after].map(({ sums }) => [...sums].filter(([path]) => path.startsWith(folder)).join());
  return old === now;
}

/** Calls `onUnit` for each unit of a level in order of fid, with its GID and a hash of all but its fid. */
function eachUnit(
  { release, root }: Side,
  manifest: Manifest,
  report: Report,
  onUnit: (gid: string, hash: string) => void,
): void {
  const { level, columns, blocks } = manifest;
  const own = columns[level]?.name ?? '';
  for (const [page, held] of blocks.entries()) {
    const file = join(root, pagePath(level, 'geojsonl', 'all', page));
    reading(release, file, () => {
      const opened = openPage(file);
      try {
        readBlocks(opened, held, (line) => {
          const { gid, hash } = unitOf(line, own);
          onUnit(gid ?? NO_GID, hash);
        });
      } finally {
        opened.close();
      }
    });
    report.advance(
      'features compared',
      held.reduce((sum, { features }) => sum + features, 0),
    );
  }
}

function readManifest({ release, root }: Side, level: Level): Manifest {
  const file = join(root, manifestPath(level));
  return reading(release, file, () => manifestFromJson(readFileSync(file, 'utf8'), file));
}

/** Does what reads `file`, with what is wrong with that as a BuildError. */
function reading<T>(release: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw damaged(release, `${file}: ${problemOf(error, file)}`);
  }
}

function damaged(release: string, problem: string): BuildError {
  return new BuildError(problem, `verify --release ${release} shows what else is wrong; list shows what there is`);
}

function noChanges(): Changes {
  const none = (): Some => ({ count: 0, examples: [] });
  return { added: none(), removed: none(), changed: none() };
}

function add(some: Some, example: string, count: number): void {
  some.count += count;
  if (count > 0 && some.examples.length < EXAMPLES) some.examples.push(example);
}
