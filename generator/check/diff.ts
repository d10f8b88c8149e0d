// The differences between two releases: units and files. For operators, before they activate a release. Units with the
// same fid are compared by indexes alone; only those with another fid are read.
import { createHash } from 'node:crypto';
import { indexPath, manifestPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { featureFrom, parsedToJson } from '../reader/parse-feature.ts';
import type { Report } from '../report/progress.ts';
import { type ComparedRelease, grouped, openRelease, openUnits, type Units } from './compared-release.ts';

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
  const path = indexPath(level);
  if (before.sums.has(path) && before.sums.get(path) === after.sums.get(path)) return changesIn([], () => [0, 0]);
  const [old, now] = [openUnits(before, level), openUnits(after, level)];
  report.expect('units compared', old.index.features + now.index.features);
  try {
    return changesIn([...old.byGid.keys(), ...now.byGid.keys()], (gid) => {
      const [left, right] = [old.byGid.get(gid) ?? [], now.byGid.get(gid) ?? []];
      report.advance('units compared', left.length + right.length);
      return differingUnits(left, right, old, now);
    });
  } finally {
    old.close();
    now.close();
  }
}

/** How many units of a GID, or without one, have no equal one in the other release. */
function differingUnits(left: readonly number[], right: readonly number[], old: Units, now: Units): [number, number] {
  const [before, after] = withoutEqual(left, right, old.keyAt, now.keyAt);
  const [one, other] = [before[0], after[0]];
  if (one === undefined || other === undefined) return [before.length, after.length];
  // Nothing is read where the indexes decide.
  const isPair = before.length === 1 && after.length === 1;
  const isOther = old.index.fidAt(one) === now.index.fidAt(other) || old.lengthAt(one) !== now.lengthAt(other);
  if (isPair && isOther) return [1, 1];
  const hashIn = (units: Units) => (position: number) => units.read(position, unitHash);
  const [removed, added] = withoutEqual(before, after, hashIn(old), hashIn(now));
  return [removed.length, added.length];
}

/** The positions of both releases whose keys do not occur in the other one, each as often as it does not. */
function withoutEqual(
  left: readonly number[],
  right: readonly number[],
  leftKey: (position: number) => string,
  rightKey: (position: number) => string,
): [number[], number[]] {
  const byKey = grouped(right, rightKey);
  const rest = left.filter((position) => byKey.get(leftKey(position))?.pop() === undefined);
  return [rest, [...byKey.values()].flat()];
}

/** The manifest is left out: it names its release. */
function fileChanges(level: Level, { sums: old }: ComparedRelease, { sums: now }: ComparedRelease): Changes {
  const paths = [...old.keys(), ...now.keys()].filter(
    (path) => path.startsWith(`${levelName(level)}/`) && path !== manifestPath(level),
  );
  return changesIn(paths, (path) =>
    old.get(path) === now.get(path) ? [0, 0] : [Number(old.has(path)), Number(now.has(path))],
  );
}

/**
 * The changes of what has these names; each is counted once.
 * @param differing how many of a name are in the old release and in the new one without an equal one in the other; a
 * pair of
 *   them has changed
 */
function changesIn<Name extends string | null>(
  names: readonly Name[],
  differing: (name: Name) => [removed: number, added: number],
): Changes {
  const none = (): Some => ({ count: 0, examples: [] });
  const changes = { added: none(), removed: none(), changed: none() };
  for (const name of new Set(names)) {
    const [removed, added] = differing(name);
    const changed = Math.min(removed, added);
    const counts = { added: added - changed, removed: removed - changed, changed };
    for (const kind of ['added', 'removed', 'changed'] as const) {
      changes[kind].count += counts[kind];
      const { examples } = changes[kind];
      if (counts[kind] > 0 && examples.length < EXAMPLES) examples.push(name ?? NO_GID);
    }
  }
  return changes;
}

// Within a string of a feature's text, it would have a backslash before its quotation marks.
const GEOMETRY_MARK = Buffer.from('},"geometry":');
const NO_GEOMETRY = Buffer.from('null}\n');

/**
 * Hashes a feature's geometry and its properties without the fid, whatever their order.
 * @param text its JSON and a line feed
 * @throws FileError if the text is not a feature
 */
function unitHash(text: Buffer): string {
  // The geometry is hashed without parsing, which would take most of the time.
  const at = text.indexOf(GEOMETRY_MARK) + GEOMETRY_MARK.length;
  const { properties } = featureFrom(Buffer.concat([text.subarray(0, at), NO_GEOMETRY]));
  const values = Object.entries(properties)
    .filter(([name]) => name !== 'fid')
    .map(([name, value]) => [name, parsedToJson(value)] as const);
  const sorted = JSON.stringify(values.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(sorted).update(text.subarray(at)).digest('base64url');
}
