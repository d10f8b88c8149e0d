// The sidecars of a level's store, written while it is read: names, and the rings of the levels in the overview.
import type { Level } from '../../format/levels.ts';
import { OVERVIEW_LEVELS } from '../../format/overview.ts';
import type { RingSink } from '../geojson/geometry.ts';
import { newCoarseRings, writeCoarseRings } from '../overview/coarse-rings.ts';
import { createNameTable } from '../store/name-table.ts';
import type { ReadFeature } from './read-layers.ts';

/** Takes the units of a level; `close` writes the files. */
export interface LevelSidecars {
  /** Takes the rings of the next unit; undefined for a level that is not in the overview. */
  rings: RingSink | undefined;
  unit(feature: ReadFeature): void;
  close(): void;
}

/** Begins the files. @param store path of the store @param precision decimals of the coordinates */
export function newLevelSidecars(store: string, level: Level, precision: number): LevelSidecars {
  const names = createNameTable(store);
  const rings = OVERVIEW_LEVELS.includes(level) ? newCoarseRings(10 ** precision) : undefined;
  return {
    rings,
    unit({ fid, name, type }) {
      names.append(fid, { name, type });
      rings?.unit(fid);
    },
    close() {
      names.close();
      if (rings !== undefined) writeCoarseRings(store, rings.level());
    },
  };
}
