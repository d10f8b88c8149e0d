// The differences between two releases: units and files. For operators, before they activate a release. Units with the same
// fid are compared by indexes alone; only those with another fid are read.
import { createHash } from 'node:crypto';
import { EMPTY_SUM, joinSums, sumOf, type TextSum } from '../../format/crc32.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import { indexPath, manifestPath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { positionsIn } from '../../format/positions.ts';
import { featureFrom, parsedToJson } from '../reader/parse-feature.ts';
import type { Report } from '../report/progress.ts';
import { type ComparedRelease, openRelease, openUnits, type Units } from './compared-release.ts';

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

/** The units of one GID, or all without one, in both releases: their positions, ascending. */
interface UnitGroup {
  /** Null for those without one. */
  gid: string | null;
  before: readonly number[];
  after: readonly number[];
}

/** How many units of one GID differ. */
interface UnitChange {
  gid: string | null;
  /** Units of both releases that were compared. */
  units: number;
  added: number;
  removed: number;
  changed: number;
}

/** Compares the units of two releases GID by GID; yields equal ones too. */
function* compareUnits(before: Units, after: Units): Generator<UnitChange> {
  for (const group of groupsOf(before, after)) {
    const [old, now] = withoutSame(group, before, after);
    const same = old.length > 0 && now.length > 0 ? matchingUnits(old, now, before, after) : 0;
    const [left, right] = [old.length - same, now.length - same];
    const changed = Math.min(left, right);
    yield {
      gid: group.gid,
      units: group.before.length + group.after.length,
      added: right - changed,
      removed: left - changed,
      changed,
    };
  }
}

function* groupsOf(before: Units, after: Units): Generator<UnitGroup> {
  for (let number = 0; number < before.own.size; number++) {
    const gid = before.own.gidAt(number);
    yield { gid, before: positionsAt(before.own, number), after: positionsAt(after.own, after.own.find(gid)) };
  }
  for (let number = 0; number < after.own.size; number++) {
    const gid = after.own.gidAt(number);
    if (before.own.find(gid) === -1) yield { gid, before: [], after: positionsAt(after.own, number) };
  }
  yield { gid: null, before: positionsWithoutGid(before), after: positionsWithoutGid(after) };
}

function positionsAt(column: GidColumn, number: number): number[] {
  if (number === -1) return [];
  const positions = column.positionsAt(number);
  return [...positionsIn(positions.slice(0, positions.count))];
}

function positionsWithoutGid({ own, index }: Units): number[] {
  const owners = ownersOf(own, index.features);
  return [...owners.keys()].filter((position) => owners[position] === -1);
}

/** Removes the units with the same fid and the same text in both releases. */
function withoutSame(group: UnitGroup, before: Units, after: Units): [number[], number[]] {
  const byFid = new Map(group.after.map((position) => [after.index.fidAt(position), position]));
  const old = group.before.filter((position) => {
    const fid = before.index.fidAt(position);
    const twin = byFid.get(fid);
    if (twin === undefined || !isSameText(before, position, after, twin)) return true;
    byFid.delete(fid);
    return false;
  });
  return [old, [...byFid.values()]];
}

/** Compares texts by length and CRC-32, not by digest: another version of zlib compresses the same text differently. */
function isSameText(before: Units, position: number, after: Units, twin: number): boolean {
  return textBytesAt(before, position) === textBytesAt(after, twin) && crcAt(before, position) === crcAt(after, twin);
}

function textBytesAt({ index }: Units, position: number): number {
  return index.textBytes(position, position + 1);
}

function crcAt({ index }: Units, position: number): number {
  return index.textCrc(position, position + 1);
}

/** Number of units of one GID with equal content but different texts. */
function matchingUnits(old: readonly number[], now: readonly number[], before: Units, after: Units): number {
  const [position, twin] = [old[0], now[0]];
  if (old.length === 1 && now.length === 1 && position !== undefined && twin !== undefined)
    return isSameButFid(position, twin, before, after) ? 1 : 0;
  const unmatched = new Map<string, number>();
  for (const other of old) {
    const hash = before.read(other, unitHash);
    unmatched.set(hash, (unmatched.get(hash) ?? 0) + 1);
  }
  let matched = 0;
  for (const other of now) {
    const hash = after.read(other, unitHash);
    const count = unmatched.get(hash) ?? 0;
    if (count === 0) continue;
    unmatched.set(hash, count - 1);
    matched++;
  }
  return matched;
}

/** Compares lengths first; most pairs of equal length are decided by reading one unit and replacing its fid. */
function isSameButFid(position: number, twin: number, before: Units, after: Units): boolean {
  const [fid, other] = [before.index.fidAt(position), after.index.fidAt(twin)];
  const lengthened = 2 * (String(other).length - String(fid).length);
  if (fid === other || textBytesAt(before, position) + lengthened !== textBytesAt(after, twin)) return false;
  const { crc } = before.read(position, (text) => sumWithFid(text, fid, other));
  // Otherwise only the order of their properties may differ.
  return crc === crcAt(after, twin) || before.read(position, unitHash) === after.read(twin, unitHash);
}

// Within a string of a feature's text, each of these would have a backslash before its quotation marks.
const PROPERTIES_MARK = Buffer.from('"properties":{"fid":');
const GEOMETRY_MARK = Buffer.from('},"geometry":');
const NO_GEOMETRY = Buffer.from('null}\n');

/**
 * The sum of a feature's text after its fid is replaced.
 * @param text its JSON and a line feed, as the generator writes it
 */
function sumWithFid(text: Buffer, fid: number, other: number): TextSum {
  const begin = Buffer.from(`{"type":"Feature","id":${fid}`).length;
  const properties = text.indexOf(PROPERTIES_MARK) + PROPERTIES_MARK.length;
  const parts = [
    Buffer.from(`{"type":"Feature","id":${other}`),
    text.subarray(begin, properties),
    Buffer.from(String(other)),
    text.subarray(properties + String(fid).length),
  ];
  return parts.map(sumOf).reduce(joinSums, EMPTY_SUM);
}

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
