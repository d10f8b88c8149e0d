// Checks the parents of all units, once every level is read. Runs in a child process.
import type { Level } from '../../format/levels.ts';
import type { Finding } from '../../format/release.ts';
import type { LevelSource } from '../source/level-source.ts';
import { readStoreIndex } from './feature-store.ts';
import { findOrphans } from './identifiers.ts';

/** The levels that have a store. */
export interface ParentsTask {
  stores: readonly { level: Level; store: string; source: LevelSource }[];
}

/** The units whose parent does not exist. */
export function checkParents({ stores }: ParentsTask): Finding[] {
  return findOrphans(
    new Map(stores.map(({ level, store }) => [level, readStoreIndex(store)])),
    stores.map(({ source }) => source),
  );
}
