// The sidecars of a level's store, written while it is read: names, and the rings of a level in the overview.
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

/** Which sidecars a level has. */
export interface SidecarOptions {
  /** Decimals of the coordinates. */
  precision: number;
  /** Is the level in the overview? */
  isInOverview: boolean;
}

/** Begins the files. @param store path of the store */
export function newLevelSidecars(store: string, { precision, isInOverview }: SidecarOptions): LevelSidecars {
  const names = createNameTable(store);
  const rings = isInOverview ? newCoarseRings(10 ** precision) : undefined;
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
