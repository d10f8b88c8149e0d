// The levels below a unit, and those of a release, a box or a point: what the list may show instead.
import { type LevelColumns, type NamedUnit, typeOf } from '../api/unit.ts';
import { isLinked, isSpot, levelsWithUnits } from './place.ts';
import type { Shown } from './shown.ts';

export interface LevelBelow {
  level: number;
  /** The commonest type of its units, in the words of the data, or the level. */
  title: string;
  /** How many there are; undefined where the names do not tell. */
  units?: number;
}

/**
 * The levels that have units inside of a unit.
 * @returns ascending
 */
export function levelsInside(unit: NamedUnit | undefined): LevelBelow[] {
  return (unit?.inside ?? []).map(([level, units, type]) => ({
    level,
    units,
    title: typeOf(type) ?? levelText(level),
  }));
}

/**
 * The levels that a place may list instead: of an opened unit those inside of it, of a box or a point all below the
 * units that it is limited to, and of a release where no unit leads to deeper levels, because these have no GIDs of the
 * one above, all of them.
 * @returns ascending
 */
export function levelsBelow(
  { place, lineage, opened }: Pick<Shown, 'place' | 'lineage' | 'opened'>,
  levels: readonly LevelColumns[],
): LevelBelow[] {
  if (!isSpot(place.value) && (lineage.value.length > 0 || isLinked(levels))) return levelsInside(opened.value);
  const top = Math.max(0, ...place.value.filters.keys());
  return levelsWithUnits(levels).flatMap((level) => (level < top ? [] : [{ level, title: levelText(level) }]));
}

function levelText(level: number) {
  return `Level ${level}`;
}
