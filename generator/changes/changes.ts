// What became of the units between two releases, level by level: what is the same is left out by indexes and hashes;
// GDAL measures what the rest has in common, in tasks over the pool. It is one file because each step narrows what the
// step before has left: equal indexes, equal shapes, shared area, parts of units that are gone.
import { type ChangeRow, isPairable } from '../../format/changes.ts';
import { elementAt } from '../../format/element-at.ts';
import { indexPath, manifestPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import type { Pool } from '../workers/pool.ts';
import { candidatePairs } from './candidate-pairs.ts';
import { equalShapes, hashesOf, newMeasure, type UnitPair } from './compare-shapes.ts';
import { type ComparedRelease, type ComparedUnits, openComparedUnits, openRelease } from './compared-release.ts';
import { type Link, type MatchedRow, type MatchedUnit, matchUnits, rowOf, SAME, type Taken } from './match-units.ts';
import type { Shared } from './unit-shapes.ts';

/** Which releases to compare. */
export interface ComparedPair {
  out: string;
  /** Ids of the old and of the new release. */
  from: string;
  to: string;
}

/** The differences of one level. */
export interface LevelChanges {
  level: Level;
  /** Units with different GIDs, in the old and in the new release. */
  units: { from: number; to: number };
  /** How many of them had to be compared. */
  compared: { from: number; to: number };
  /** Metres by which borders may have moved; undefined if nothing was measured. */
  drift?: number | undefined;
  rows: ChangeRow[];
  /** Files by path, but for the manifest. */
  files: { added: number; removed: number; changed: number };
}

/** Borders may have moved by so many times the median of the level. */
const MEDIANS = 20;
const LONGEST_DRIFT_METRES = 1000;
/** A unit is another one if units that only one release has have more of it, as a share of its area. */
const MOST_OF_OTHERS = 0.02;

/** A unit of one release. */
interface ComparedUnit extends MatchedUnit {
  positions: readonly number[];
}

/**
 * Compares two releases of an output folder.
 * @param isCounted only count what would be compared
 * @throws BuildError if one is missing or damaged, both are the same, or they have nothing in common
 */
export async function compareReleases(
  { out, from, to }: ComparedPair,
  pool: Pool,
  report: Report,
  isCounted = false,
): Promise<LevelChanges[]> {
  for (const id of [from, to])
    if (!isPairable(id))
      throw new BuildError(
        `${id}: its changes have no name, as .. stands between two releases`,
        'build the release under an id without .. and without . at its end',
      );
  if (from === to) throw new BuildError(`${from} is given twice`, 'give the ids of an old and of a new release');
  const [before, after] = [openRelease(out, from), openRelease(out, to)];
  const changes: LevelChanges[] = [];
  let isAnythingKept = false;
  for (const level of LEVELS) {
    const compared = await compareLevel(level, before, after, isCounted, pool, report);
    changes.push(compared.changes);
    isAnythingKept ||= compared.isAnythingKept;
  }
  if (!isAnythingKept && !isCounted)
    throw new BuildError(
      `${from} and ${to} have no unit and no area in common: they are not of one dataset`,
      'give two releases of the same area',
    );
  return changes;
}

async function compareLevel(
  level: Level,
  before: ComparedRelease,
  after: ComparedRelease,
  isCounted: boolean,
  pool: Pool,
  report: Report,
): Promise<{ changes: LevelChanges; isAnythingKept: boolean }> {
  const files = changedFiles(level, before, after);
  const isEqual = before.sums.get(indexPath(level)) === after.sums.get(indexPath(level));
  const [old, now] = [openComparedUnits(before, level), openComparedUnits(after, level)];
  const counts = { from: old.byGid.size, to: now.byGid.size };
  const changes: LevelChanges = { level, units: counts, compared: { from: 0, to: 0 }, rows: [], files };
  if (isEqual) return { changes, isAnythingKept: counts.from > 0 };
  if ((counts.from === 0) !== (counts.to === 0)) {
    report.note(`${levelName(level)} is not compared: only ${counts.from > 0 ? before.release : after.release} has it`);
    return { changes, isAnythingKept: false };
  }
  const left = differing(old, now);
  changes.compared = { from: left.from.length, to: left.to.length };
  if (isCounted) return { changes, isAnythingKept: true };
  for (const [{ release }, { byGid }] of [[before, old] as const, [after, now] as const])
    if (byGid.has(null)) report.note(`${levelName(level)} of ${release}: units without a GID are not compared`);
  const matched = await matchLevel({ level, before, after, old, now, ...left }, pool, report);
  changes.rows = matched.rows.map((row) => ({ level, ...row }));
  changes.drift = matched.drift;
  const isKept = matched.rows.some(({ class: own }) => own !== 'gone' && own !== 'new');
  return { changes, isAnythingKept: isKept || left.from.length < counts.from || matched.stayed > 0 };
}

/** The units of a GID that both releases have with other texts, or one of them alone has. */
function differing(old: ComparedUnits, now: ComparedUnits): { from: ComparedUnit[]; to: ComparedUnit[] } {
  const keysOf = (units: ComparedUnits, positions: readonly number[]): string =>
    positions.map((position) => units.keyAt(position)).join();
  const unitsIn = (units: ComparedUnits, others: ComparedUnits): ComparedUnit[] => {
    const nameOf = namesOf(units);
    return [...units.byGid].flatMap(([gid, positions]) => {
      if (gid === null) return [];
      const theirs = others.byGid.get(gid);
      if (theirs !== undefined && keysOf(units, positions) === keysOf(others, theirs)) return [];
      return [{ gid, name: nameOf(positions), positions }];
    });
  };
  return { from: unitsIn(old, now), to: unitsIn(now, old) };
}

/** A function that gives the name of a unit, by any of its positions: names are read for the first one. */
function namesOf(units: ComparedUnits): (positions: readonly number[]) => string {
  let names: readonly string[] | undefined;
  return (positions) => {
    names ??= units.names();
    return elementAt(names, elementAt(positions, 0));
  };
}

interface ComparedLevel {
  level: Level;
  before: ComparedRelease;
  after: ComparedRelease;
  old: ComparedUnits;
  now: ComparedUnits;
  from: readonly ComparedUnit[];
  to: readonly ComparedUnit[];
}

async function matchLevel(
  compared: ComparedLevel,
  pool: Pool,
  report: Report,
): Promise<{ rows: MatchedRow[]; stayed: number; drift?: number }> {
  const { level, before, after, old, now, from, to } = compared;
  const [oldHashes, newHashes] = await Promise.all([
    hashesOf(level, before, from, pool, report),
    hashesOf(level, after, to, pool, report),
  ]);
  const numbers = new Map(to.map(({ gid }, i) => [gid, i]));
  const both = from.flatMap(({ gid }, i): UnitPair[] => {
    const at = numbers.get(gid);
    return at === undefined ? [] : [{ from: i, to: at }];
  });
  const hasShape = ({ from: i, to: j }: UnitPair): boolean => oldHashes[i] !== '' && newHashes[j] !== '';
  // Without a shape, the GID decides.
  const isEqual = (pair: UnitPair): boolean => oldHashes[pair.from] === newHashes[pair.to] || !hasShape(pair);
  const stayed = both.filter(isEqual);
  const moved = both.filter((pair) => !isEqual(pair));
  const measure = newMeasure(level, before, after, pool, report);
  const measured = await measure(moved, from, to);
  const driftOf = ({ from: a, to: b, common, fromBorder, toBorder }: Shared): number =>
    (a + b - 2 * common) / ((fromBorder + toBorder) / 2);
  const gids = [...old.byGid.keys()].filter((gid) => gid !== null && now.byGid.has(gid)).length;
  const drifts = measured.filter((shared) => shared.from > 0 && shared.to > 0).map(driftOf);
  const drift = Math.min(MEDIANS * medianOf(drifts, gids), LONGEST_DRIFT_METRES);
  // No area in one of them: the GID decides.
  const isSame = ({ from: a, to: b, common }: Shared): boolean =>
    a === 0 || b === 0 || (common >= SAME * a && common >= SAME * b);
  for (const [i, pair] of moved.entries()) if (isSame(elementAt(measured, i))) stayed.push(pair);
  const unsure = moved.flatMap((pair, i) => {
    const shared = elementAt(measured, i);
    return isSame(shared) ? [] : [{ pair, shared, isNear: driftOf(shared) <= drift }];
  });

  const [doneFrom, doneTo] = [new Set(stayed.map((pair) => pair.from)), new Set(stayed.map((pair) => pair.to))];
  const known = unsure.map(({ pair, shared }) => linkOf(pair, shared));
  const equal = equalShapes(oldHashes, newHashes, doneFrom, doneTo);
  const [equalFrom, equalTo] = [new Set(equal.map((link) => link.from)), new Set(equal.map((link) => link.to))];
  const isLeft = (pair: UnitPair): boolean => !equalFrom.has(pair.from) && !equalTo.has(pair.to);
  const candidates = candidatePairs(
    boxesOf(old, from, (i) => !doneFrom.has(i) && !equalFrom.has(i) && oldHashes[i] !== ''),
    boxesOf(now, to, (i) => !doneTo.has(i) && !equalTo.has(i) && newHashes[i] !== ''),
  ).filter((pair) => elementAt(from, pair.from).gid !== elementAt(to, pair.to).gid);
  const others = (await measure(candidates, from, to)).map((shared, i) => linkOf(elementAt(candidates, i), shared));
  const links = [...equal, ...known.filter(isLeft), ...others].filter(({ shareOfFrom }) => shareOfFrom > 0);

  const lost = (link: Link): number => (now.byGid.has(elementAt(from, link.from).gid) ? 0 : link.shareOfTo);
  const gained = (link: Link): number => (old.byGid.has(elementAt(to, link.to).gid) ? 0 : link.shareOfFrom);
  const tooMuchFrom = new Set(others.filter((link) => gained(link) > MOST_OF_OTHERS).map((link) => link.from));
  const tooMuchTo = new Set(others.filter((link) => lost(link) > MOST_OF_OTHERS).map((link) => link.to));
  for (const { pair, isNear } of unsure)
    if (isNear && isLeft(pair) && !tooMuchFrom.has(pair.from) && !tooMuchTo.has(pair.to)) stayed.push(pair);

  const isGone = (i: number): boolean =>
    !now.byGid.has(elementAt(from, i).gid) && !equalFrom.has(i) && oldHashes[i] !== '';
  const taken = await takenParts(compared, stayed, isGone, measure, drift);
  const rows = rowsOf(compared, stayed, links, taken);
  return { rows, stayed: stayed.length, ...(measured.length > 0 && { drift }) };
}

/** What units that stayed, whether they were compared or not, have of units that are gone. */
async function takenParts(
  { old, now, from, to }: ComparedLevel,
  stayed: readonly UnitPair[],
  isGone: (unit: number) => boolean,
  measure: ReturnType<typeof newMeasure>,
  drift: number,
): Promise<Taken> {
  const gone = boxesOf(old, from, isGone);
  if (gone.length === 0) return { takers: [], parts: [] };
  const done = new Set(stayed.map((pair) => pair.to));
  const open = new Set(to.flatMap(({ gid }, i) => (done.has(i) ? [] : [gid])));
  const nameOf = namesOf(now);
  const takers = [...now.byGid].flatMap(([gid, positions]): ComparedUnit[] =>
    gid === null || !old.byGid.has(gid) || open.has(gid) ? [] : [{ gid, name: nameOf(positions), positions }],
  );
  const pairs = candidatePairs(
    gone,
    boxesOf(now, takers, () => true),
  );
  const measured = await measure(pairs, from, takers);
  const parts = measured.map((shared, i) => {
    const isWide = shared.common / (shared.fromBorder / 2) > drift;
    return { ...linkOf(elementAt(pairs, i), shared), isWide };
  });
  return { takers, parts };
}

/** The rows of what stayed and has another name, and of all that did not stay. */
function rowsOf(
  { from, to, old, now }: ComparedLevel,
  stayed: readonly UnitPair[],
  links: readonly Link[],
  taken: Taken,
): MatchedRow[] {
  const [doneFrom, doneTo] = [new Set(stayed.map((pair) => pair.from)), new Set(stayed.map((pair) => pair.to))];
  const renamed = stayed.flatMap((pair) => {
    const [one, other] = [elementAt(from, pair.from), elementAt(to, pair.to)];
    return one.name === other.name ? [] : [rowOf(one, other, 'renamed', { shareOfFrom: 1, shareOfTo: 1 })];
  });
  const leftOf = (units: readonly ComparedUnit[], done: ReadonlySet<number>) => {
    const left = [...units.keys()].filter((i) => !done.has(i));
    return { units: left.map((i) => elementAt(units, i)), at: new Map(left.map((i, at) => [i, at])) };
  };
  const [left, right] = [leftOf(from, doneFrom), leftOf(to, doneTo)];
  const open = links.flatMap((link) => {
    const [a, b] = [left.at.get(link.from), right.at.get(link.to)];
    return a === undefined || b === undefined ? [] : [{ ...link, from: a, to: b }];
  });
  const isOpen = new Set(left.units.map(({ gid }) => gid));
  const wentOn = [...old.byGid.keys()].filter((gid) => gid !== null && now.byGid.has(gid) && !isOpen.has(gid));
  const parts = taken.parts.flatMap((part) => {
    const at = left.at.get(part.from);
    return at === undefined ? [] : [{ ...part, from: at }];
  });
  return [...renamed, ...matchUnits(left.units, right.units, open, { ...taken, parts }, new Set(wentOn))];
}

function linkOf(pair: UnitPair, { from, to, common }: Shared): Link {
  const shareOf = (area: number): number => (area === 0 ? 0 : Math.min(common / area, 1));
  return { ...pair, shareOfFrom: shareOf(from), shareOfTo: shareOf(to) };
}

/** The boxes of the units that are asked for. */
function boxesOf(units: ComparedUnits, list: readonly ComparedUnit[], isAsked: (unit: number) => boolean) {
  const { box } = units.index.arrays;
  return list.flatMap(({ positions }, unit) =>
    isAsked(unit)
      ? positions.map((position) => ({ unit, box: Array.from(box.subarray(4 * position, 4 * position + 4)) }))
      : [],
  );
}

/** The median of values of which so many in all; the others are 0. */
function medianOf(values: readonly number[], count: number): number {
  const sorted = [...values].sort((a, b) => b - a);
  return sorted[Math.floor(count / 2)] ?? 0;
}

/** The manifest is left out: it names its release. */
function changedFiles(
  level: Level,
  { sums: old }: ComparedRelease,
  { sums: now }: ComparedRelease,
): LevelChanges['files'] {
  const files = { added: 0, removed: 0, changed: 0 };
  const paths = new Set([...old.keys(), ...now.keys()]);
  for (const path of paths) {
    if (!path.startsWith(`${levelName(level)}/`) || path === manifestPath(level)) continue;
    if (!old.has(path)) files.added++;
    else if (!now.has(path)) files.removed++;
    else if (old.get(path) !== now.get(path)) files.changed++;
  }
  return files;
}
