// The overview of a release: the simplified shapes of levels 0 and 1, as TopoJSON. The generator writes it, `verify` reads
// it, and the explorer draws it.
import type { Level } from './levels.ts';
import type { NamedUnit } from './names.ts';

/** The levels in the overview; each is an object of the topology, `lv0` and `lv1`. */
export const OVERVIEW_LEVELS: readonly Level[] = [0, 1];

/** The properties of a unit in the overview; those of level 0 have no parent. */
export type OverviewProperties = Omit<NamedUnit, 'fid' | 'parent'> & { parent?: string | null };

/** The properties of a unit of a level. */
export function overviewProperties(level: Level, { gid, name, type, parent, children }: NamedUnit): OverviewProperties {
  return level === 0 ? { gid, name, type, children } : { gid, name, type, parent, children };
}
