// Which units of a level differ between two releases. Units with the same fid are compared by manifests and indexes
// alone; only those with another fid are read.
import type { FeatureIndex } from '../../format/feature-index.ts';
import type { Column } from '../../format/manifest.ts';
import { valuesOf } from '../../format/runs.ts';
import { sumWithFid, unitHash } from './unit-text.ts';

/** A level of one release. */
export interface UnitTable {
  index: FeatureIndex;
  fidAt(position: number): number;
  /** The column of the level's own GIDs. */
  own: Column;
  /** Reads the text of the unit at a position and returns the result of `use`. */
  read<T>(position: number, use: (text: Buffer) => T): T;
}

/** The units of one GID, or all without one, in both releases: their positions, ascending. */
interface UnitGroup {
  /** Null for those without one. */
  gid: string | null;
  before: readonly number[];
  after: readonly number[];
}

/** How many units of one GID differ. */
export interface UnitChange {
  gid: string | null;
  /** Units of both releases that were compared. */
  units: number;
  added: number;
  removed: number;
  changed: number;
}

/** Compares the units of two releases GID by GID; yields equal ones too. */
export function* compareUnits(before: UnitTable, after: UnitTable): Generator<UnitChange> {
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

function* groupsOf(before: UnitTable, after: UnitTable): Generator<UnitGroup> {
  for (const [at, gid] of before.own.gids.entries())
    yield { gid, before: positionsAt(before.own, at), after: positionsAt(after.own, after.own.find(gid)) };
  for (const [at, gid] of after.own.gids.entries())
    if (before.own.find(gid) === undefined) yield { gid, before: [], after: positionsAt(after.own, at) };
  yield { gid: null, before: positionsWithoutGid(before), after: positionsWithoutGid(after) };
}

function positionsAt({ covers }: Column, at: number | undefined): number[] {
  return at === undefined ? [] : [...valuesOf(covers.at(at))];
}

function positionsWithoutGid({ own, index }: UnitTable): number[] {
  const hasGid = new Uint8Array(index.features);
  for (let at = 0; at < own.covers.count; at++)
    for (const position of valuesOf(own.covers.at(at))) hasGid[position] = 1;
  return [...hasGid.keys()].filter((position) => hasGid[position] === 0);
}

/** Removes the units with the same fid and the same text in both releases. */
function withoutSame(group: UnitGroup, before: UnitTable, after: UnitTable): [number[], number[]] {
  const byFid = new Map(group.after.map((position) => [after.fidAt(position), position]));
  const old = group.before.filter((position) => {
    const fid = before.fidAt(position);
    const twin = byFid.get(fid);
    const isSame = twin !== undefined && isSameText(before.index, position, after.index, twin);
    if (isSame) byFid.delete(fid);
    return !isSame;
  });
  return [old, [...byFid.values()]];
}

/** Compares texts by length and CRC-32, not by digest: another version of zlib compresses the same text differently. */
function isSameText(before: FeatureIndex, position: number, after: FeatureIndex, twin: number): boolean {
  return before.textBytesAt(position) === after.textBytesAt(twin) && before.crcAt(position) === after.crcAt(twin);
}

/** Number of units of one GID with equal content but different texts. */
function matchingUnits(old: readonly number[], now: readonly number[], before: UnitTable, after: UnitTable): number {
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
function isSameButFid(position: number, twin: number, before: UnitTable, after: UnitTable): boolean {
  const [fid, other] = [before.fidAt(position), after.fidAt(twin)];
  const lengthened = 2 * (String(other).length - String(fid).length);
  const { index } = after;
  if (fid === other || before.index.textBytesAt(position) + lengthened !== index.textBytesAt(twin)) return false;
  const { crc } = before.read(position, (text) => sumWithFid(text, fid, other));
  // Otherwise only the order of their properties may differ.
  return crc === index.crcAt(twin) || before.read(position, unitHash) === after.read(twin, unitHash);
}
