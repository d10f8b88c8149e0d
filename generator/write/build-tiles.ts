// Makes the tiles of all levels in the tasks of the child processes: the arcs of all levels first, then those of each
// zoom, then the tiles of each level and zoom, but for zooms that cannot be published. The archives are written when a
// level is finalised (archive.ts).
import { elementAt } from '../../format/element-at.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import type { Level } from '../../format/levels.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { type NamedLevel, relativesOf } from '../names/named-units.ts';
import type { StoredLevel } from '../read/store-level.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import { firstZoom, type LargestTile } from '../tiles/first-zoom.ts';
import type { measureOverlaps } from '../tiles/measure-overlaps.ts';
import type { PrepareTilesTask, prepareTiles, writeZoomArcs } from '../tiles/prepare-tiles.ts';
import { tileLanguages } from '../tiles/tile-attributes.ts';
import type { WriteTilesTask, writeTiles } from '../tiles/write-tiles.ts';
import { askedBytes } from '../workers/memory.ts';
import { RANKS, TASKS } from '../workers/tasks.ts';
import {
  type BuildContext,
  filesDemand,
  type LevelWork,
  TASK_POSITION_BYTES,
  TASK_UNIT_BYTES,
} from './build-levels.ts';

/** From so many units on, of a level or of all, people should know before they wait. */
const SLOW_UNITS = { level: 20_000, all: 50_000 } as const;

/** What a build says of tiles that take long, before it reads anything; undefined where they do not. */
export function slowTilesNote(
  levels: readonly LevelSource[],
  { tiles }: Pick<ReleaseContents, 'tiles'>,
): string | undefined {
  const counts = levels.map(featureCount);
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (tiles === undefined || (all <= SLOW_UNITS.all && counts.every((count) => count <= SLOW_UNITS.level)))
    return undefined;
  const less = tiles === 0 ? '' : `, --tiles ${tiles - 1} to a zoom less`;
  return `${all.toLocaleString('en')} units: their tiles can take longer than all else; --no-tiles builds without${less}`;
}

/** What a level says of its names. */
interface NamedInLanguages {
  about: Pick<LevelAbout, 'nameColumns'>;
}

/**
 * The tasks of a level, one for each zoom.
 * @param units all levels, ascending
 * @param deepest zoom; undefined for none
 * @param folderOf the work folder of the share that does every so many tasks, from its number
 */
export function tileTasks(
  units: readonly (NamedLevel & NamedInLanguages)[],
  level: Level,
  deepest: number | undefined,
  tags: readonly string[],
  folderOf: (number: number) => string,
): WriteTilesTask[] {
  const { store, features, about } = elementAt(units, level);
  if (features === 0 || deepest === undefined) return [];
  return Array.from({ length: deepest + 1 }, (_, zoom) => ({
    level,
    store,
    relatives: relativesOf(level, units),
    work: folderOf(0),
    zoom,
    deepest,
    languages: tileLanguages(tags, about),
    // The deepest zooms of a level take most: neighbours in this order are of different shards.
    file: LevelStore.in(folderOf(level + zoom), level).file(`tiles-${zoom}`),
  }));
}

/**
 * Makes the tiles of a share: those of every so many tasks.
 * @param levels all six, ascending
 * @param works those of the levels, in the same order
 * @param tags the languages whose names are in tiles
 */
export async function makeTiles(
  levels: readonly (Pick<StoredLevel, 'level' | 'store' | 'features' | 'positions'> & NamedInLanguages)[],
  works: readonly Pick<LevelWork, 'labelled'>[],
  { contents, staging, pool, share, slow }: Omit<BuildContext, 'report'>,
  tags: readonly string[],
): Promise<void> {
  const { tiles: deepest, precision } = contents;
  const filled = levels.filter(({ features }) => features > 0);
  if (deepest === undefined || filled.length === 0) return;
  const { work } = staging;
  const task: PrepareTilesTask = {
    levels: filled.map(({ level, store }) => ({ level, store })),
    precision,
    zoom: deepest,
    work,
  };
  const positions = filled.reduce((sum, own) => sum + own.positions, 0);
  const arcs = (each: number) => ({ rank: RANKS.arcs, bytes: askedBytes(each * positions) });
  await pool.run<typeof prepareTiles>(TASKS.prepareTiles, task, arcs(TASK_POSITION_BYTES.arcs));
  // The deepest first: zooms further up may turn out to be needless.
  const placesIn = Array.from({ length: deepest + 1 }, (_, below) =>
    pool.run<typeof writeZoomArcs>(
      TASKS.writeZoomArcs,
      { zoom: deepest - below, deepest, work },
      arcs(zoomBytes(below)),
    ),
  );
  await Promise.all([
    ...placesIn,
    // Of the level's store that is read when the shards are sealed.
    ...(share.shard === 0 ? filled : []).map(({ level, store, features }) =>
      pool.run<typeof measureOverlaps>(TASKS.measureOverlaps, { level, store, precision, work }, filesDemand(features)),
    ),
    ...filled.map(async ({ level, features, positions: own }) => {
      await elementAt(works, level).labelled;
      const largest = new Array<LargestTile | undefined>(deepest + 1).fill(undefined);
      const tasks = tileTasks(levels, level, deepest, tags, () => work).filter(
        ({ zoom }) => (level + zoom) % share.shards === share.shard,
      );
      const write = async (zoom: WriteTilesTask): Promise<void> => {
        const [places, all] = await Promise.all([elementAt(placesIn, deepest - zoom.zoom), elementAt(placesIn, 0)]);
        const isNeeded = (): boolean => zoom.zoom >= firstZoom(largest);
        // The arcs are those of all levels. As much of the level's positions is in the zoom as of all.
        const shapes = (own * places) / Math.max(1, all);
        const { inZoom: ofArcs, shapes: ofShapes } = TASK_POSITION_BYTES;
        const bytes = askedBytes(TASK_UNIT_BYTES.tiles * features + ofArcs * places + ofShapes * shapes);
        const made = await pool.runIf<typeof writeTiles>(isNeeded, TASKS.writeTiles, zoom, {
          rank: RANKS.tiles,
          bytes,
        });
        if (made === undefined) return;
        largest[zoom.zoom] = made.largest;
        slow.add(zoom, made.seconds);
      };
      await Promise.all(tasks.reverse().map(write));
    }),
  ]);
}

/** Bytes that a task holds for each position while it makes the arcs of the zoom so far above the deepest one. */
function zoomBytes(below: number): number {
  const { deepest, above, least } = TASK_POSITION_BYTES.zoomArcs;
  return Math.max(least, deepest + above * below);
}
