// Loads the levels of releases when they are first requested, and frees the least recently used ones: for platforms with
// little memory and no work between requests. Given to `Releases` by fetch/.
import type { Level } from '../../format/levels.ts';
import type { LoadedLevel, LoadRelease } from './load-release.ts';
import { describedRelease, loadLevel } from './load-release.ts';

/** Size of the indexes of all levels in memory. */
const LEVELS_MAX_BYTES = 32 * 1024 * 1024;
/** A level that could not be loaded is tried again after this time, in milliseconds. */
const RETRY_MS = 5000;
/** A level that takes longer is loaded again: platforms end what a request reads with its client. */
const LOADING_MS = 10_000;

/** A level in memory, or one that is being loaded. */
interface Place {
  /** Undefined until it is loaded. */
  level: LoadedLevel | undefined;
  loading: Promise<LoadedLevel>;
  /** When the level is loaded again unless it has been loaded. */
  retryAt: number;
}

/**
 * Creates the function that loads releases.
 * @param maxBytes size of the indexes of all levels in memory; the level that was requested last is always kept
 * @param now milliseconds of a monotonic clock
 */
export function loadOnDemand(maxBytes = LEVELS_MAX_BYTES, now: () => number = () => performance.now()): LoadRelease {
  /** The least recently used first. */
  const places = new Map<string, Place>();

  const free = (): void => {
    let bytes = [...places.values()].reduce((sum, { level }) => sum + (level?.bytes ?? 0), 0);
    for (const [key, place] of places) {
      if (bytes <= maxBytes || places.size === 1) return;
      // One that is being loaded takes no memory that could be freed.
      if (place.level === undefined) continue;
      places.delete(key);
      bytes -= place.level.bytes;
    }
  };

  return async (origin, description) => {
    const begin = (key: string, number: Level): Place => {
      const loading = loadLevel(origin, description, number);
      const place: Place = { level: undefined, loading, retryAt: now() + LOADING_MS };
      loading.then(
        (level) => {
          place.level = level;
          place.retryAt = Number.POSITIVE_INFINITY;
          free();
        },
        () => {
          place.retryAt = now() + RETRY_MS;
        },
      );
      places.set(key, place);
      return place;
    };
    const keyOf = (number: Level): string => `${description.digest} ${number}`;
    /** The place of a level, which has been used last now. */
    const use = (key: string): Place | undefined => {
      const place = places.get(key);
      places.delete(key);
      if (place !== undefined) places.set(key, place);
      return place;
    };
    return describedRelease(
      description,
      (number) => use(keyOf(number))?.level,
      (number) => {
        const known = use(keyOf(number));
        return known === undefined || now() >= known.retryAt ? begin(keyOf(number), number).loading : known.loading;
      },
    );
  };
}
