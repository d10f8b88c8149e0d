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
  level: Promise<LoadedLevel>;
  /** Size of the index; 0 until the level is loaded. */
  bytes: number;
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
    let bytes = [...places.values()].reduce((sum, place) => sum + place.bytes, 0);
    for (const [key, place] of places) {
      if (bytes <= maxBytes || places.size === 1) return;
      // One that is being loaded takes no memory that could be freed.
      if (place.bytes === 0) continue;
      places.delete(key);
      bytes -= place.bytes;
    }
  };

  return async (origin, description) => {
    const begin = (key: string, number: Level): Place => {
      const place: Place = {
        level: loadLevel(origin, description, number),
        bytes: 0,
        retryAt: now() + LOADING_MS,
      };
      place.level.then(
        ({ bytes }) => {
          place.bytes = bytes;
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
    return describedRelease(description, (number) => {
      const key = `${description.digest} ${number}`;
      const known = places.get(key);
      places.delete(key);
      if (known === undefined || now() >= known.retryAt) return begin(key, number).level;
      places.set(key, known);
      return known.level;
    });
  };
}
