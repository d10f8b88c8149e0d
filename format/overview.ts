// The overview of a release: the simplified shapes of the highest two levels that have features, as TopoJSON. The
// generator writes it, and the explorer draws it.
import type { Level } from './levels.ts';
import type { NamedUnit, RelatedUnit } from './names.ts';

/** Levels in the overview, if the release has as many. */
const LEVELS_MAX = 2;

/**
 * The levels in the overview, ascending; each is an object of the topology, such as `lv0`.
 * @param levels in any order
 */
export function overviewLevels(levels: readonly { level: Level; features: number }[]): Level[] {
  const filled = levels.filter(({ features }) => features > 0).map(({ level }) => level);
  return filled.sort((a, b) => a - b).slice(0, LEVELS_MAX);
}

/** The properties of a unit in the overview; those of its first level have no parent. */
export type OverviewProperties = Pick<NamedUnit, 'gid' | 'name' | 'type' | 'children'> & { parent?: string | null };

/** The properties of a unit. @param isFirst is it of the first level of the overview? */
export function overviewProperties(
  { gid, name, type, parent, children }: RelatedUnit,
  isFirst: boolean,
): OverviewProperties {
  return isFirst ? { gid, name, type, children } : { gid, name, type, parent, children };
}
