// The releases of an origin: the current one, and every other hosted release, which cursors may name. A new release is
// served once its metadata has been loaded and verified.
import { CURRENT_PATH, releasePath } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import type { Current } from '../../format/release.ts';
import { currentFromJson } from '../../format/release.ts';
import type { Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { LoadedRelease, LoadRelease } from './load-release.ts';
import { loadRelease, readDescription } from './load-release.ts';
import { RecentReleases } from './recent-releases.ts';

/** Maximum size of current.json. */
const POINTER_MAX_BYTES = 64 * 1024;
/** Minimum time between two looks at current.json on behalf of requests. */
const LOOK_PAUSE_MS = 250;
/** A release that could not be loaded is tried again after this time: its files may still be uploading. */
const RETRY_MS = 5000;
/** A damaged one that is not the current one, after this time: reading it for each of its cursors would be expensive. */
const DAMAGED_MS = 30_000;
/** Minimum time between two looks at release.json because files of that release are damaged. */
const RECHECK_MS = 1000;

/** What `Releases` may be given besides the origin. */
export interface ReleasesOptions {
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** How a release is loaded; by default with all levels. */
  load?: LoadRelease;
}

/** current.json. */
interface Pointer extends Current {
  text: string;
}

/** The releases of one origin. */
export class Releases {
  readonly #origin: Origin;
  readonly #now: () => number;
  readonly #load: LoadRelease;
  /** Reads current.json; resolves after a read that began after the call. */
  readonly #look: () => Promise<void>;
  readonly #recent: RecentReleases;
  readonly #loading = new Map<string, Promise<LoadedRelease>>();
  /** Errors of releases that could not be loaded, to be thrown again until a time. */
  readonly #failures = new Map<string, { error: unknown; until: number }>();
  /**
   * The digests of hosted releases, read since current.json last changed: the id of a removed release may be used again
   * for another one, so a release in memory is compared before it is used.
   */
  readonly #digests = new Map<string, string>();
  /** Looks at release.json because files of a release are damaged: when the last one began, by the release's digest. */
  readonly #rechecked = new Map<string, { at: number; done: Promise<void> }>();
  #pointer: Pointer | undefined;
  #current: LoadedRelease | undefined;
  /** The pointer for which the current release was chosen. */
  #served: Pointer | undefined;
  /** What `refresh` last returned the id of. */
  #reported: LoadedRelease | undefined;
  /** Overlapping reads of current.json may finish out of order; the one started last wins. */
  #reads = { begun: 0, applied: 0 };

  constructor(origin: Origin, options: ReleasesOptions = {}) {
    const { now = () => performance.now(), load = loadRelease } = options;
    this.#origin = origin;
    this.#now = now;
    this.#load = load;
    this.#look = shareRuns(() => this.#readPointer(), LOOK_PAUSE_MS, now);
    this.#recent = new RecentReleases(now, (id) => this.#close(id));
  }

  /** The release for requests without a cursor; undefined before the first one is loaded. */
  get current(): LoadedRelease | undefined {
    return this.#current;
  }

  /** Is a release with this content hosted, as far as is known without reading a file? */
  hosts({ id, digest }: Pick<LoadedRelease, 'id' | 'digest'>): boolean {
    return this.#digests.get(id) === digest;
  }

  /** A hosted release in memory, as far as is known without reading a file. */
  known(id: string): LoadedRelease | undefined {
    const release = this.#isHosted(id) ? this.#inMemory(id) : undefined;
    return release !== undefined && this.hosts(release) ? release : undefined;
  }

  /**
   * A hosted release, loaded on first use; undefined if it is not hosted. current.json is read again before a release
   * counts as not hosted: another process may have noticed it earlier.
   * @throws OriginError, FormatError if it is hosted but cannot be loaded
   * @throws ReleaseBusyError if other releases have been loaded recently
   */
  async find(id: string): Promise<LoadedRelease | undefined> {
    if (!this.#isHosted(id)) await this.#look();
    if (!this.#isHosted(id)) return undefined;
    try {
      return await this.#findHosted(id);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#look();
      if (this.#isHosted(id)) throw error;
      return undefined;
    }
  }

  /**
   * Looks whether a release was removed or replaced, after one of its files was missing or damaged; then it is no longer
   * the current one, and `find` does not find it.
   * @returns is it gone?
   */
  async recheck(release: LoadedRelease, isFileMissing: boolean): Promise<boolean> {
    if (isFileMissing) await this.#look();
    if (this.#isHosted(release.id)) {
      const now = this.#now();
      let last = this.#rechecked.get(release.digest);
      if (last === undefined || now - last.at >= RECHECK_MS) {
        last = { at: now, done: this.#compareDescription(release) };
        this.#rechecked.set(release.digest, last);
      }
      await last.done;
    }
    // If the new release cannot be loaded, the previous one is still served. `refresh` reports it.
    await this.#takeUp().catch(() => {});
    return !this.hosts(release);
  }

  /** Forgets that a release is hosted if another one has taken its id. Never rejects. */
  async #compareDescription({ id, digest }: LoadedRelease): Promise<void> {
    const description = await readDescription(this.#origin, id).catch(() => undefined);
    if (description === undefined || description.digest === digest) return;
    this.#digests.delete(id);
    if (this.#served?.release === id) this.#served = undefined;
  }

  /**
   * Reads current.json and, if it has changed, loads and verifies the release that it names, then serves it.
   * @returns the id of the new current release, undefined if it did not change
   * @throws OriginError, FormatError; the previous release is still served
   */
  async refresh(): Promise<string | undefined> {
    await this.#readPointer();
    this.#recent.removeUnused();
    await this.#takeUp();
    if (this.#reported === this.#current) return undefined;
    this.#reported = this.#current;
    return this.#current?.id;
  }

  #isHosted(id: string): boolean {
    return this.#pointer?.hosted.includes(id) ?? false;
  }

  #inMemory(id: string): LoadedRelease | undefined {
    return this.#recent.find(id) ?? (this.#current?.id === id ? this.#current : undefined);
  }

  #close(id: string): void {
    if (id !== this.#current?.id) this.#origin.close?.(releasePath(id));
  }

  /** @throws OriginError, FormatError if it cannot be read */
  async #readPointer(): Promise<void> {
    const read = ++this.#reads.begun;
    const text = (await this.#origin.read(CURRENT_PATH, POINTER_MAX_BYTES)).toString('utf8');
    if (read < this.#reads.applied) return;
    this.#reads.applied = read;
    if (text === this.#pointer?.text) return;
    this.#pointer = { ...currentFromJson(text, CURRENT_PATH), text };
    for (const known of [this.#digests, this.#loading, this.#failures, this.#rechecked]) known.clear();
    for (const id of this.#recent.ids) if (!this.#isHosted(id)) this.#recent.remove(id);
  }

  /** The release that current.json names, which becomes the current one. */
  async #takeUp(): Promise<LoadedRelease | undefined> {
    const pointer = this.#pointer;
    if (pointer === undefined || this.#served === pointer) return this.#current;
    const release = await this.#loadOnce(pointer.release);
    const previous = this.#current;
    if (this.#pointer !== pointer) return release;
    this.#served = pointer;
    this.#current = release;
    this.#recent.remove(release.id);
    if (previous === undefined || previous === release) return release;
    const isKept = previous.id !== release.id && this.#isHosted(previous.id);
    if (isKept && !this.#recent.ids.includes(previous.id)) this.#recent.add(previous);
    if (!isKept) this.#origin.close?.(releasePath(previous.id));
    return release;
  }

  async #findHosted(id: string): Promise<LoadedRelease | undefined> {
    const known = this.#inMemory(id);
    if (known !== undefined && this.hosts(known)) return known;
    if (id === this.#pointer?.release) return this.#takeUp();
    if (known === undefined && !this.#hasFailed(id) && !this.#recent.ids.includes(id)) this.#recent.reserve(id);
    try {
      const release = await this.#loadOnce(id);
      // The id of the current one may be used again before current.json names another one that can be loaded.
      if (known === this.#current && known !== undefined && known !== release) this.#recent.add(release);
      else this.#recent.fill(release);
      return release;
    } catch (error) {
      this.#recent.remove(id);
      throw error;
    }
  }

  #hasFailed(id: string): boolean {
    const failure = this.#failures.get(id);
    return failure !== undefined && this.#now() < failure.until;
  }

  /** Loads a release once for concurrent calls; an error is thrown again for a while. */
  #loadOnce(id: string): Promise<LoadedRelease> {
    if (this.#hasFailed(id)) return Promise.reject(this.#failures.get(id)?.error);
    const known = this.#loading.get(id);
    if (known !== undefined) return known;
    const loading = this.#loadNow(id).finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  /** The release in memory if it is still the same, otherwise the one that is read. */
  async #loadNow(id: string): Promise<LoadedRelease> {
    const pointer = this.#pointer;
    try {
      const description = await readDescription(this.#origin, id);
      const known = this.#inMemory(id);
      if (known !== undefined && known.digest !== description.digest) this.#origin.close?.(releasePath(id));
      const release = known?.digest === description.digest ? known : await this.#load(this.#origin, description);
      if (this.#pointer === pointer) this.#digests.set(id, release.digest);
      return release;
    } catch (error) {
      const isCurrent = id === this.#pointer?.release;
      const waitMs = error instanceof FormatError && !isCurrent ? DAMAGED_MS : RETRY_MS;
      if (this.#pointer === pointer) this.#failures.set(id, { error, until: this.#now() + waitMs });
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof OriginError && error.reason === 'missing';
}

/**
 * Shares runs of `work` between callers: each call gets a run that begins after it. Runs never overlap, and begin at
 * least `pauseMs` milliseconds apart.
 * @param now milliseconds of a monotonic clock
 */
function shareRuns(work: () => Promise<void>, pauseMs: number, now: () => number): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let begun = Number.NEGATIVE_INFINITY;
  let next: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const waitMs = begun + pauseMs - now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    next = undefined;
    begun = now();
    await work();
  };
  return () => {
    if (next !== undefined) return next;
    next = last.then(run);
    last = next.catch(() => {});
    return next;
  };
}
