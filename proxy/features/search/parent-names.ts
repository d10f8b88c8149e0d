// What the units above a unit are called, from the country down.
import { elementAt, u32At } from '../../../format/element-at.ts';
import type { GidColumn } from '../../../format/gid-column.ts';
import { LEVELS } from '../../../format/levels.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedLevel, LoadedRelease } from '../../data/loaded-release.ts';
import { type Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import type { JoinedJson } from '../names/joined-json.ts';
import { type Language, loadNames } from '../names/languages.ts';
import type { UnitNames } from '../names/level-names.ts';
import { levelsWithUnits } from '../places/units.ts';
import { PARENTS } from './level-parents.ts';

/** Adds the names of the parents of the unit at a position, with commas between them; without those that have none. */
export type AddParents = (json: JoinedJson, position: number) => void;

/** A level above, for the units of a level. */
interface LevelAbove {
  names: UnitNames;
  /** Of each unit the number of its parent's GID in `column`; its size if it has none. */
  gids: Uint32Array;
  column: GidColumn;
}

/** The names of the parents of a level's units, of several units with one GID that of the first. */
export function loadParentNames(
  level: LoadedLevel,
  release: LoadedRelease,
  language: Language | undefined,
  loads: Loads,
): AddParents | Promise<AddParents> {
  const numbers = levelsWithUnits(release, LEVELS.slice(0, level.index.level));
  const above = loadEach(numbers, (number) =>
    withLoaded(loads.level(release, number), (upper) => loadAbove(level, upper, language, loads)),
  );
  return withLoaded(above, (levels) => (json, position) => {
    let isFirst = true;
    for (const { names, gids, column } of levels) {
      const gid = u32At(gids, position);
      if (gid === column.size) continue;
      const parent = column.firstAt(gid);
      if (!names.hasName(parent)) continue;
      if (!isFirst) json.ascii(',');
      isFirst = false;
      names.addName(json, parent);
    }
  });
}

function loadAbove(
  level: LoadedLevel,
  upper: LoadedLevel,
  language: Language | undefined,
  loads: Loads,
): LevelAbove | Promise<LevelAbove> {
  const column = elementAt(upper.index.columns, upper.index.level);
  return withLoaded(together(loadNames(upper, language, loads), loads.part(level, PARENTS)), ([names, parents]) =>
    withLoaded(resultInTurns(parents.numbersOf(upper.index), loads), (gids) => ({ names, gids, column })),
  );
}
