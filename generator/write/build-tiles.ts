// Makes the tiles of all levels in the tasks of the child processes: the arcs of all levels first, then each level and
// zoom by itself. Used by `build` and its shards; the archives are written when a level is finalised (archive.ts).
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { type Level, levelName } from '../../format/levels.ts';
import type { StoredLevel } from '../read/store-level.ts';
import type { PrepareTilesTask, prepareTiles } from '../shapes/prepare-tiles.ts';
import { TASKS } from '../workers/tasks.ts';
import type { BuildContext } from './build-levels.ts';
import type { CutTilesTask, cutTiles } from './cut-tiles.ts';
import { type LevelUnits, relativesOf } from './named-units.ts';

/**
 * The tasks of a level, one for each zoom.
 * @param units all levels, ascending
 * @param deepest zoom; undefined for none
 * @param folderOf the work folder of the share that does every so many tasks, from its number
 */
export function tileTasks(
  units: readonly LevelUnits[],
  level: Level,
  deepest: number | undefined,
  folderOf: (number: number) => string,
): CutTilesTask[] {
  const { store, features } = elementAt(units, level);
  if (features === 0 || deepest === undefined) return [];
  return Array.from({ length: deepest + 1 }, (_, zoom) => ({
    level,
    store,
    relatives: relativesOf(level, units),
    work: folderOf(0),
    zoom,
    deepest,
    hasBorders: true,
    // The deepest zooms of a level take most: neighbours in this order are of different shards.
    file: join(folderOf(level + zoom), `${levelName(level)}.tiles-all-${zoom}`),
  }));
}

/**
 * Makes the tiles of a share: those of every so many tasks.
 * @param levels all six, ascending
 * @param written each is done when the labels of its level are there
 */
export async function makeTiles(
  levels: readonly StoredLevel[],
  written: readonly Promise<unknown>[],
  { shape, staging, pool, share }: BuildContext,
): Promise<void> {
  const { tiles: deepest, precision } = shape;
  const filled = levels.filter(({ features }) => features > 0);
  if (deepest === undefined || filled.length === 0) return;
  const { work } = staging;
  const task: PrepareTilesTask = {
    levels: filled.map(({ level, store }) => ({ level, store })),
    precision,
    zoom: deepest,
    work,
  };
  await pool.run<typeof prepareTiles>(TASKS.prepareTiles, task);
  await Promise.all(
    filled.map(async ({ level }) => {
      await elementAt(written, level);
      const own = tileTasks(levels, level, deepest, () => work).filter(
        ({ zoom }) => (level + zoom) % share.shards === share.shard,
      );
      // The deepest first: they take longest.
      await Promise.all(own.reverse().map((cut) => pool.run<typeof cutTiles>(TASKS.cutTiles, cut)));
    }),
  );
}
