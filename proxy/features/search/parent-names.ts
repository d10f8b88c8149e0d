// What the units above a unit are called, from the country down.
import { elementAt, u32At } from '../../../format/element-at.ts';
import { LEVELS } from '../../../format/levels.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedLevel, LoadedRelease } from '../../data/loaded-release.ts';
import { type Loads, together } from '../../data/loads.ts';
import { type Language, loadNames } from '../names/languages.ts';
import { levelsWithUnits, withCommas } from '../places/units.ts';
import { PARENTS } from './level-parents.ts';

/** The names of the parents of the unit at a position, as a list in JSON; without those that have none. */
export type ParentNames = (position: number) => Buffer;

const [BEGIN, END, NO_NAME] = [Buffer.from('['), Buffer.from(']'), Buffer.from('null')];

/** The names of the parents of a level's units, of several units with one GID that of the first. */
export async function loadParentNames(
  level: LoadedLevel,
  release: LoadedRelease,
  language: Language | undefined,
  loads: Loads,
): Promise<ParentNames> {
  const numbers = levelsWithUnits(release, LEVELS.slice(0, level.index.level));
  const above = await together(
    ...numbers.map(async (number) => {
      const upper = await loads.level(release, number);
      const [names, parents] = await together(loadNames(upper, language, loads), loads.part(level, PARENTS));
      const gids = await resultInTurns(parents.numbersOf(upper.index), loads);
      return { names, gids, column: elementAt(upper.index.columns, number) };
    }),
  );
  return (position) => {
    const names = above.flatMap(({ names, gids, column }) => {
      const gid = u32At(gids, position);
      const name = gid === column.size ? NO_NAME : names.nameAt(column.positionsAt(gid).at(0));
      return name.equals(NO_NAME) ? [] : [name];
    });
    return Buffer.concat([BEGIN, ...withCommas(names), END]);
  };
}
