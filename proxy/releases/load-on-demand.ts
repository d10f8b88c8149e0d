// Loads the levels of releases when they are first requested, and frees the least recently used ones: for platforms with
// little memory and neither threads nor work between requests. Given to `Releases` by fetch/.
import type { Level } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';
import type { Origin } from '../origin/origin.ts';
import type { LevelTables, LoadedLevel } from './level-tables.ts';
import { buffersOf, filesToTables, tablesToLevel } from './level-tables.ts';
import type { LoadRelease } from './load-release.ts';
import { readLevel } from './load-release.ts';
import type { TakeTurn } from './turns.ts';

/** Size of the tables of all levels in memory. */
const LEVELS_MAX_BYTES = 32 * 1024 * 1024;
/** A level that could not be loaded is tried again after this time, in milliseconds. */
const RETRY_MS = 5000;
/** Of the feature index, which keeps the offset of each feature. */
const OFFSET_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** A level in memory, or one that is being loaded. */
interface Place {
  level: Promise<LoadedLevel>;
  /** Size of the tables; 0 until the level is loaded. */
  bytes: number;
  /** When the level may be tried again if it could not be loaded. */
  retryAt: number;
}

/**
 * Creates the function that loads releases.
 * @param maxBytes size of the tables of all levels in memory; the level that was requested last is always kept
 * @param now milliseconds of a monotonic clock
 */
export function loadOnDemand(maxBytes = LEVELS_MAX_BYTES, now: () => number = () => performance.now()): LoadRelease {
  /** The least recently used first. */
  const places = new Map<string, Place>();

  const load = async (origin: Origin, release: Release, level: Level, takeTurn: TakeTurn): Promise<LevelTables> =>
    // In turns from the first read on: the files of two levels in memory would add up.
    takeTurn(async () => filesToTables(await readLevel(origin, release, level)));

  const free = (): void => {
    let bytes = [...places.values()].reduce((sum, place) => sum + place.bytes, 0);
    for (const [key, place] of places) {
      if (bytes <= maxBytes || places.size === 1) return;
      // One that is being loaded takes no memory that could be freed.
      if (place.bytes === 0) continue;
      places.delete(key);
      bytes -= place.bytes;
    }
  };

  return async (origin, { release, digest }, takeTurn) => {
    const begin = (key: string, number: Level): Place => {
      const place: Place = {
        level: load(origin, release, number, takeTurn).then((tables) => {
          place.bytes = bytesOf(tables);
          free();
          return tablesToLevel(tables);
        }),
        bytes: 0,
        retryAt: Number.POSITIVE_INFINITY,
      };
      place.level.catch(() => {
        place.retryAt = now() + RETRY_MS;
      });
      places.set(key, place);
      return place;
    };
    return {
      id: release.release,
      digest,
      attribution: release.attribution,
      summaries: release.levels,
      overview: release.overview,
      level(number) {
        const key = `${digest} ${number}`;
        const known = places.get(key);
        places.delete(key);
        if (known === undefined || now() >= known.retryAt) return begin(key, number).level;
        places.set(key, known);
        return known.level;
      },
    };
  };
}

function bytesOf(tables: LevelTables): number {
  const arrays = buffersOf(tables).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { geojsonl, fc } = tables.pages;
  return arrays + geojsonl.digests.length + fc.digests.length + tables.features * OFFSET_BYTES;
}
