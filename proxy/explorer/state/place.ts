// A place: what is shown, as the page's address has it. Functions that make one place from another; used everywhere.
import type { LevelColumns, NamedUnit } from '../api/unit.ts';

export type View = { zoom: number; latitude: number; longitude: number };

export interface Place {
  /** Of the units that are listed. */
  level: number;
  /** GIDs of parents by level. */
  filters: ReadonlyMap<number, string>;
  /** GID of the selected unit. */
  unit: string | undefined;
  /** Of the selected unit, if it has no GID. */
  fid: number | undefined;
  /** Of the map. */
  view: View | undefined;
  /** The box that the list is limited to; empty for none. */
  bbox: string;
  /** The point that the list is limited to; empty for none. */
  contains: string;
}

/**
 * The levels that have units.
 * @returns ascending
 */
export function levelsWithUnits(levels: readonly LevelColumns[]): number[] {
  return levels.filter(({ gidColumns }) => gidColumns.length > 0).map(({ level }) => level);
}

/** Have the units of each level a column with the GIDs of the level above? */
export function isLinked(levels: readonly LevelColumns[]) {
  const filled = levelsWithUnits(levels);
  return filled.every((level, i) => i === 0 || levels[level]?.gidColumns[filled[i - 1] ?? 0] !== '');
}

/** All units of the first level. */
export function worldOf(levels: readonly LevelColumns[]): Place {
  return {
    level: levelsWithUnits(levels)[0] ?? 0,
    filters: new Map(),
    unit: undefined,
    fid: undefined,
    view: undefined,
    bbox: '',
    contains: '',
  };
}

/** Is this the whole release, by its highest level? */
export function isWorld(place: Place, levels: readonly LevelColumns[]) {
  return place.level === worldOf(levels).level && place.filters.size === 0 && !isSpot(place);
}

/** The GIDs that a place is limited to, the deepest one first. */
export function gidsFromBelow({ filters }: Pick<Place, 'filters'>): { level: number; gid: string }[] {
  return [...filters].sort(([a], [b]) => b - a).map(([level, gid]) => ({ level, gid }));
}

/** Is the list limited to a box or a point? */
export function isSpot({ bbox, contains }: Place) {
  return bbox !== '' || contains !== '';
}

/**
 * The units inside a unit.
 * @param below their level; otherwise the next one that has some, or whose units have GIDs of this one
 * @returns undefined without GID or level below
 */
export function inside(
  unit: Pick<NamedUnit, 'level' | 'gid' | 'inside'>,
  levels: readonly LevelColumns[],
  below = unit.inside?.[0]?.[0] ?? levelBelow(unit.level, levels),
): Place | undefined {
  const { level, gid } = unit;
  if (below === undefined || gid === null) return undefined;
  return { ...worldOf(levels), level: below, filters: new Map([[level, gid]]) };
}

export function levelBelow(level: number, levels: readonly LevelColumns[]): number | undefined {
  return levelsWithUnits(levels).find((other) => other > level && levels[other]?.gidColumns[level] !== '');
}

type Sibling = Pick<NamedUnit, 'level' | 'fid' | 'gid' | 'parent' | 'parentLevel'>;

/** The place that lists a unit among its siblings, selected. */
export function placeOf(unit: Sibling, levels: readonly LevelColumns[]): Place {
  const { level, parent } = unit;
  const above = unit.parentLevel ?? levelsWithUnits(levels).findLast((other) => other < level);
  const filters: [number, string][] = above !== undefined && parent !== null ? [[above, parent]] : [];
  return { ...worldOf(levels), level, filters: new Map(filters), ...selection(unit) };
}

/** How a place names its selected unit. */
export function selection(unit: { fid: number; gid: string | null } | undefined) {
  return { unit: unit?.gid ?? undefined, fid: unit?.gid === null ? unit.fid : undefined };
}

/** Do both places list the same units? */
export function isSameListing(a: Place, b: Place) {
  const key = ({ level, filters, bbox, contains }: Place) => {
    const gids = [...filters].sort(([one], [other]) => one - other);
    return JSON.stringify([level, gids, bbox, contains]);
  };
  return key(a) === key(b);
}
