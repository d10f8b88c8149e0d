// The names of a level's units with their parents and the numbers of units below them, from the stores of the levels: for
// names.jsonl.gz and the overview.
import { elementAt } from '../../format/element-at.ts';
import type { Level } from '../../format/levels.ts';
import type { NamedUnit } from '../../format/names.ts';
import { readStoreIndex } from '../store/feature-store.ts';
import { readNameTable } from '../store/name-table.ts';
import type { GidColumn } from '../store/store-index.ts';

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
  const children = childrenOf(level, below);
  const { columns, fids } = readStoreIndex(store);
  const namesAt = readNameTable(store);
  const own = elementAt(columns, level);
  const above = parent === undefined ? undefined : elementAt(columns, parent);
  for (const [position, fid] of fids.entries()) {
    const gid = gidAt(own, position);
    yield {
      fid,
      gid,
      ...namesAt(position),
      parent: above === undefined ? null : gidAt(above, position),
      children: gid === null ? 0 : (children.get(gid) ?? 0),
    };
  }
}

/** The number of units below each GID of a level. */
function childrenOf(level: Level, below: string | undefined): ReadonlyMap<string, number> {
  if (below === undefined) return new Map();
  const { gids, owners } = elementAt(readStoreIndex(below).columns, level);
  const counts = new Uint32Array(gids.length);
  for (const owner of owners) if (owner !== -1) counts[owner] = elementAt(counts, owner) + 1;
  return new Map(gids.map((gid, at) => [gid, elementAt(counts, at)]));
}

function gidAt({ gids, owners }: GidColumn, position: number): string | null {
  const owner = elementAt(owners, position);
  return owner === -1 ? null : elementAt(gids, owner);
}
