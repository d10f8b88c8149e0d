// The releases in memory besides the current one: those that cursors named recently. Their number is bounded, and so is
// how often one replaces another: cursors are not signed, and loading a release is expensive. Used by releases.ts.
import type { LoadedRelease } from './load-release.ts';

/** Releases in memory besides the current one. */
const RECENT_MAX = 2;
/** A release stays in memory at least this long before another one replaces it. */
const HOLD_MS = 10_000;
/** A release that no request has used for this long is removed from memory. */
const UNUSED_MS = 300_000;

/** A release that is not in memory cannot be loaded yet. */
export class ReleaseBusyError extends Error {
  /** When to try again, in seconds. */
  readonly retrySeconds: number;

  constructor(retrySeconds: number) {
    super('other releases are being read');
    this.name = 'ReleaseBusyError';
    this.retrySeconds = retrySeconds;
  }
}

/** Room for one release. */
interface Place {
  /** Undefined while the release is loaded. */
  release: LoadedRelease | undefined;
  /** Milliseconds: when the place was taken, and when the release was last used. */
  since: number;
  used: number;
}

/** The recent releases by id. */
export class RecentReleases {
  readonly #now: () => number;
  readonly #removed: (id: string) => void;
  /** The least recently used first. */
  readonly #places = new Map<string, Place>();

  /**
   * @param now milliseconds of a monotonic clock
   * @param removed is called with the id of each release that leaves
   */
  constructor(now: () => number, removed: (id: string) => void) {
    this.#now = now;
    this.#removed = removed;
  }

  /** The ids of the releases in memory, and of those that are being loaded. */
  get ids(): string[] {
    return [...this.#places.keys()];
  }

  /** A release in memory; counts as a use. */
  find(id: string): LoadedRelease | undefined {
    const place = this.#places.get(id);
    if (place?.release === undefined) return undefined;
    place.used = this.#now();
    this.#places.delete(id);
    this.#places.set(id, place);
    return place.release;
  }

  /**
   * Takes a place for a release that is going to be loaded, possibly that of the least recently used one.
   * @throws ReleaseBusyError if all releases have come recently
   */
  reserve(id: string): void {
    const now = this.#now();
    if (this.#places.size >= RECENT_MAX) {
      const [oldest] = [...this.#places].filter(([, { release, since }]) => release && now - since >= HOLD_MS);
      if (oldest === undefined) {
        const first = Math.min(...[...this.#places.values()].map(({ since }) => since));
        throw new ReleaseBusyError(Math.max(1, Math.ceil((first + HOLD_MS - now) / 1000)));
      }
      this.remove(oldest[0]);
    }
    this.#places.set(id, { release: undefined, since: now, used: now });
  }

  /** Fills the place that was reserved for a release, if it still has it. */
  fill(release: LoadedRelease): void {
    const place = this.#places.get(release.id);
    if (place !== undefined) place.release = release;
  }

  /** Adds the release that was the current one until now; clients may still follow its cursors. */
  add(release: LoadedRelease): void {
    const now = this.#now();
    this.#places.set(release.id, { release, since: now, used: now });
    const [oldest] = this.#places.keys();
    if (this.#places.size > RECENT_MAX && oldest !== undefined) this.remove(oldest);
  }

  /** Removes a release, or the place that was reserved for it. */
  remove(id: string): void {
    if (this.#places.delete(id)) this.#removed(id);
  }

  /** Removes the releases that have not been used for long. */
  removeUnused(): void {
    for (const [id, { release, used }] of this.#places)
      if (release !== undefined && this.#now() - used >= UNUSED_MS) this.remove(id);
  }
}
