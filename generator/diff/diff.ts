// The differences between two releases: units and files. For operators, before they activate a release.
import { indexPath, manifestPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import type { Report } from '../report/progress.ts';
import { type ComparedRelease, openRelease, openUnits } from './compared-release.ts';
import { compareUnits } from './units.ts';

/** A number of units or files, with examples. */
export interface Some {
  count: number;
  /** Names of the first ones, at most EXAMPLES. */
  examples: string[];
}

/** Removed: only in `a`. Added: only in `b`. Changed: in both, with differences. */
export interface Changes {
  added: Some;
  removed: Some;
  changed: Some;
}

/** The differences of one level. */
export interface LevelDiff {
  level: Level;
  /** By GID of the level; changed if their texts differ in more than the fid. */
  units: Changes;
  /** Every file but the manifest, by path relative to the release; changed if its bytes differ. */
  files: Changes;
}

/** Maximum examples of each kind. */
export const EXAMPLES = 20;

/** The name of units without a GID. */
export const NO_GID = '(no GID)';

/**
 * Compares two releases of an output folder level by level.
 * @param a id of the old release
 * @param b id of the new release
 * @throws BuildError if one is missing or damaged
 */
export function diff(out: string, a: string, b: string, report: Report): LevelDiff[] {
  try {
    const [before, after] = [openRelease(out, a), openRelease(out, b)];
    return LEVELS.map((level) => ({
      level,
      units: unitChanges(level, before, after, report),
      files: fileChanges(level, before, after),
    }));
  } finally {
    report.end();
  }
}

function unitChanges(level: Level, before: ComparedRelease, after: ComparedRelease, report: Report): Changes {
  const changes = noChanges();
  const path = indexPath(level);
  if (before.sums.has(path) && before.sums.get(path) === after.sums.get(path)) return changes;
  const [old, now] = [openUnits(before, level), openUnits(after, level)];
  report.expect('units compared', old.index.features + now.index.features);
  try {
    for (const { gid, units, added, removed, changed } of compareUnits(old, now)) {
      add(changes.added, gid ?? NO_GID, added);
      add(changes.removed, gid ?? NO_GID, removed);
      add(changes.changed, gid ?? NO_GID, changed);
      report.advance('units compared', units);
    }
  } finally {
    old.close();
    now.close();
  }
  return changes;
}

/** The manifest is left out: it names its release. */
function fileChanges(level: Level, before: ComparedRelease, after: ComparedRelease): Changes {
  const changes = noChanges();
  const isCompared = (path: string): boolean => path.startsWith(`${levelName(level)}/`) && path !== manifestPath(level);
  for (const [path, sum] of after.sums) {
    if (!isCompared(path)) continue;
    const old = before.sums.get(path);
    if (old === undefined) add(changes.added, path, 1);
    else if (old !== sum) add(changes.changed, path, 1);
  }
  for (const path of before.sums.keys()) if (isCompared(path) && !after.sums.has(path)) add(changes.removed, path, 1);
  return changes;
}

function noChanges(): Changes {
  const none = (): Some => ({ count: 0, examples: [] });
  return { added: none(), removed: none(), changed: none() };
}

function add(some: Some, example: string, count: number): void {
  some.count += count;
  if (count > 0 && some.examples.length < EXAMPLES) some.examples.push(example);
}
