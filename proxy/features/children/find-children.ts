// Where a unit is in the tree: its level, its children, its parents. By the GIDs that units have in the columns of each
// level: a unit's children are on the nearest deeper level that has units with its GID, which may skip levels.
import { LEVELS, type Level } from '../../../format/levels.ts';
import { NO_POSITIONS, type Positions } from '../../../format/positions.ts';
import type { LoadedLevel } from '../../data/loaded-release.ts';

/** A unit by its GID. */
export interface Place {
  level: Level;
  gid: string;
  /** The first unit with this GID; undefined if only units below have it, as the GID of their parent. */
  unit: UnitPlace | undefined;
}

interface UnitPlace {
  of: LoadedLevel;
  position: number;
}

/** A unit with its children. */
export interface Family {
  /** Undefined above the highest level. */
  place: Place | undefined;
  /** Undefined if it has none. */
  children: { of: LoadedLevel; positions: Positions } | undefined;
}

/**
 * Finds a unit with its children.
 * @param levels those that have units, ascending
 * @param gid undefined for the units of the highest level
 * @param asked the level of the unit; undefined for the highest on which it has children, or else the highest that has it
 * @returns undefined if no column has the GID
 */
export function findFamily(
  levels: readonly LoadedLevel[],
  gid: string | undefined,
  asked: Level | undefined,
): Family | undefined {
  if (gid === undefined) {
    const [top] = levels;
    return { place: undefined, children: top && { of: top, positions: top.index.all } };
  }
  let childless: Family | undefined;
  for (const level of asked === undefined ? LEVELS : [asked]) {
    const family = familyOn(levels, gid, level);
    if (family.children !== undefined) return family;
    if (family.place?.unit !== undefined) childless ??= family;
  }
  return childless;
}

function familyOn(levels: readonly LoadedLevel[], gid: string, level: Level): Family {
  const place = placeOf(levels, gid, level);
  for (const of of levels) {
    const positions = of.index.level > level ? unitsWith(of, level, gid) : NO_POSITIONS;
    if (positions.count > 0) return { place, children: { of, positions } };
  }
  return { place, children: undefined };
}

function placeOf(levels: readonly LoadedLevel[], gid: string, level: Level): Place {
  const of = levels.find(({ index }) => index.level === level);
  const positions = of === undefined ? NO_POSITIONS : unitsWith(of, level, gid);
  return { level, gid, unit: of && positions.count > 0 ? { of, position: positions.at(0) } : undefined };
}

/** The units of a level that have a GID in the column of a level. */
function unitsWith({ index }: LoadedLevel, column: Level, gid: string): Positions {
  const gids = index.columns[column];
  const number = gids?.find(gid) ?? -1;
  return gids === undefined || number === -1 ? NO_POSITIONS : gids.positionsAt(number);
}

/**
 * The parents of a unit, from the highest level that it has one of: by its own GIDs, or by those of its first child.
 * @param gidAt the GID of a level above that it, or that child, has
 */
export function parentsOf(
  levels: readonly LoadedLevel[],
  { place, children }: Family,
  gidAt: (position: number, level: Level) => string | null | undefined,
): Place[] {
  const known: UnitPlace | undefined =
    place?.unit ?? (children && { of: children.of, position: children.positions.at(0) });
  if (place === undefined || known === undefined) return [];
  return LEVELS.slice(0, place.level).flatMap((level) => {
    const gid = gidAt(known.position, level) ?? null;
    return gid === null ? [] : [placeOf(levels, gid, level)];
  });
}
