// The names of a level's units with their parents and the numbers of units below them: for names.jsonl.gz and the
// overview. A build takes them from the stores of the levels.
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import { namesPath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { type NamedUnit, namesHeader, namesLine } from '../../format/names.ts';
import type { WholeFile } from '../../format/release.ts';
import { writeWholeFile } from '../release/output-file.ts';
import { LevelStore } from '../store/level-store.ts';

/** A level that has been read. */
export interface LevelUnits {
  level: Level;
  /** Path of its store. */
  store: string;
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

/** The units of a level in order of fid, without their colours. */
export function* namedUnits(
  level: Level,
  store: LevelStore,
  { parent, below }: Relatives,
): Generator<Omit<NamedUnit, 'colour'>> {
  const index = store.readIndex();
  const names = store.readNames();
  const children = below === undefined ? undefined : elementAt(new LevelStore(below).readIndex().columns, level);
  const relationsAt = relationsOf(level, index, parent, children);
  for (const [position, fid] of index.fids.entries()) yield { fid, ...names.at(position), ...relationsAt(position) };
}

/**
 * The GIDs of the unit at a position and of its parent, and the number of its children.
 * @param parent the nearest level above that has units
 * @param children the GIDs of this level's units in the nearest level below that has units
 */
export function relationsOf(
  level: Level,
  index: Gids,
  parent: Level | undefined,
  children: GidColumn | undefined,
): (position: number) => Pick<NamedUnit, 'gid' | 'parent' | 'children'> {
  const gidAt = gidsOf(index, level);
  const parentAt = parent === undefined ? () => null : gidsOf(index, parent);
  return (position) => {
    const gid = gidAt(position);
    const number = gid === null || children === undefined ? -1 : children.find(gid);
    const count = number === -1 || children === undefined ? 0 : children.countAt(number);
    return { gid, parent: parentAt(position), children: count };
  };
}

/** The GIDs of a level. */
interface Gids {
  columns: readonly GidColumn[];
  features: number;
}

/** The GID of a column at a position, or null. */
export function gidsOf({ columns, features }: Gids, number: number): (position: number) => string | null {
  const column = elementAt(columns, number);
  const owners = ownersOf(column, features);
  return (position) => {
    const owner = elementAt(owners, position);
    return owner === -1 ? null : column.gidAt(owner);
  };
}

/**
 * Writes the names of a level's units.
 * @param out the release's folder, in which the level has one
 * @param colours of each unit, by position
 */
export function writeNames(
  out: string,
  level: Level,
  store: LevelStore,
  relatives: Relatives,
  colours: Uint8Array,
): WholeFile {
  return writeWholeFile(join(out, namesPath(level)), linesOf(namedUnits(level, store, relatives), colours));
}

function* linesOf(units: Iterable<Omit<NamedUnit, 'colour'>>, colours: Uint8Array): Generator<string> {
  yield namesHeader();
  let position = 0;
  for (const unit of units) yield namesLine({ ...unit, colour: elementAt(colours, position++) });
}
