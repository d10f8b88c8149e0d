// Loads the levels of releases when they are first requested, and frees the least recently used ones: for platforms
// with little memory and no work between requests.
import type { Level } from '../../format/levels.ts';
import { Loaded } from './loaded.ts';
import type { LoadedLevel, LoadRelease } from './loaded-release.ts';
import { describedRelease, loadLevel } from './loaded-release.ts';

/** Size of the indexes of all levels in memory, with their parts. */
const LEVELS_MAX_BYTES = 64 * 1024 * 1024;
/** The share of it that the tables for one kind of answer may take: besides there are cells and other geometries. */
const ROOM_SHARE = 0.75;

/**
 * Creates the function that loads releases.
 * @param maxBytes size of the indexes of all levels in memory, with their parts; the level that was requested last is
 * always kept
 * @param now milliseconds of a monotonic clock
 */
export function loadOnDemand(maxBytes = LEVELS_MAX_BYTES, now: () => number = () => performance.now()): LoadRelease {
  const levels = new Loaded<string, LoadedLevel>(now);

  /** Frees levels, but for the one that was used last. */
  const free = (): void => {
    const loaded = levels.entries();
    let bytes = loaded.reduce((sum, [, level]) => sum + level.bytes, 0);
    for (const [key, level] of loaded.slice(0, -1)) {
      if (bytes <= maxBytes) return;
      levels.free(key);
      bytes -= level.bytes;
    }
  };

  return async (origin, description) => {
    const keyOf = (number: Level): string => `${description.digest} ${number}`;
    return describedRelease(description, {
      room: ROOM_SHARE * maxBytes,
      get: (number) => levels.get(keyOf(number)),
      load(number) {
        const loading = levels.load(keyOf(number), () => loadLevel(origin, description, number, now, free));
        loading.then(free, () => {});
        return loading;
      },
      freeUnused() {
        for (const [, level] of levels.entries()) level.freeUnused();
      },
    });
  };
}
