// The names of a level's units with their parents and the numbers of units below them, from the stores of the levels: for
// names.jsonl.gz and the overview.
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import type { GidColumn } from '../../format/gid-column.ts';
import { namesPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { type NamedUnit, namesHeader, namesLine } from '../../format/names.ts';
import type { WholeFile } from '../../format/release.ts';
import { writeWholeFile } from '../release/whole-file.ts';
import { readStoreIndex } from '../store/feature-store.ts';
import { readNameTable } from '../store/name-table.ts';
import { ownersOf } from '../store/store-index.ts';

/** A level that has been read. */
export interface LevelUnits {
  level: Level;
  /** Path of its store; undefined if the dataset lacks the level. */
  store: string | undefined;
  features: number;
}

/** The levels beside a level. Plain data: it is sent to child processes. */
export interface Relatives {
  /** The nearest level above that has units; undefined if there is none. */
  parent: Level | undefined;
  /** Path of the store of the nearest level below that has units; undefined if there is none. */
  below: string | undefined;
}

/** The levels beside a level, from all levels in ascending order. */
export function relativesOf(level: Level, levels: readonly LevelUnits[]): Relatives {
  const filled = levels.filter(({ features }) => features > 0);
  return {
    parent: filled.findLast((other) => other.level < level)?.level,
    below: filled.find((other) => other.level > level)?.store,
  };
}

/** The units of a level in order of fid. @param store path of its store; without it there are none */
export function* namedUnits(
  level: Level,
  store: string | undefined,
  { parent, below }: Relatives,
): Generator<NamedUnit> {
  if (store === undefined) return;
  const { columns, fids, features } = readStoreIndex(store);
  const namesAt = readNameTable(store);
  const gidAt = gidsOf(elementAt(columns, level), features);
  const parentAt = parent === undefined ? () => null : gidsOf(elementAt(columns, parent), features);
  const childrenOf = below === undefined ? () => 0 : countsOf(elementAt(readStoreIndex(below).columns, level));
  for (const [position, fid] of fids.entries()) {
    const gid = gidAt(position);
    yield {
      fid,
      gid,
      ...namesAt(position),
      parent: parentAt(position),
      children: gid === null ? 0 : childrenOf(gid),
    };
  }
}

/** The GID of a column at a position, or null. */
function gidsOf(column: GidColumn, features: number): (position: number) => string | null {
  const owners = ownersOf(column, features);
  return (position) => {
    const owner = elementAt(owners, position);
    return owner === -1 ? null : column.gidAt(owner);
  };
}

/** The number of units with a GID in a column. */
function countsOf(column: GidColumn): (gid: string) => number {
  return (gid) => {
    const number = column.find(gid);
    return number === -1 ? 0 : column.countAt(number);
  };
}

/** Writes the names of a level's units. @param out the release's folder, in which the level has one */
export function writeNames(out: string, level: Level, store: string | undefined, relatives: Relatives): WholeFile {
  return writeWholeFile(join(out, namesPath(level)), linesOf(namedUnits(level, store, relatives)));
}

function* linesOf(units: Iterable<NamedUnit>): Generator<string> {
  yield namesHeader();
  for (const unit of units) yield namesLine(unit);
}
