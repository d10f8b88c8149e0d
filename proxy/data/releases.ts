// The releases of an origin: the current one, and every other hosted release, which cursors may name. A release is known by
// its digest, which current.json names: it is served once its metadata has been loaded and verified. Used by handler.ts.
import { LRUCache } from 'lru-cache';
import type { Cursor } from '../../format/cursor.ts';
import { CURRENT_PATH, releasePath } from '../../format/layout.ts';
import { FormatError } from '../../format/parse.ts';
import { currentFromJson } from '../../format/release.ts';
import { notReady, Problem } from '../http/problem.ts';
import type { Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import type { LoadedRelease, LoadRelease } from './load-release.ts';
import { loadRelease, readDescription } from './load-release.ts';

/** Maximum size of current.json. */
const POINTER_MAX_BYTES = 64 * 1024;
/** Minimum time between two looks at current.json on behalf of requests. */
const LOOK_PAUSE_MS = 250;
/** A release that could not be loaded is tried again after this time: its files may still be uploading. */
const RETRY_MS = 5000;
/** A damaged one that is not the current one, after this time: reading it for each of its cursors would be expensive. */
const DAMAGED_MS = 30_000;
/** Releases in memory besides the current one: cursors are not signed, and loading a release is expensive. */
const RECENT_MAX = 2;
/** A release stays in memory at least this long before another one replaces it. */
const HOLD_MS = 10_000;
/** A release that no request has used for this long is removed from memory. */
const UNUSED_MS = 300_000;

/** What `Releases` may be given besides the origin. */
export interface ReleasesOptions {
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** How a release is loaded; by default with all levels. */
  load?: LoadRelease;
}

/** What current.json says. */
interface Pointer {
  text: string;
  /** The digest of the release for requests without a cursor. */
  digest: string;
  /** The digest of each hosted release by its id. */
  hosted: ReadonlyMap<string, string>;
}

/** A release as a request names it: by a cursor, or by its id, of whose content nothing is known: it is empty. */
export type NamedRelease = Pick<Cursor, 'release' | 'content'>;

/** The releases of one origin. */
export class Releases {
  readonly #origin: Origin;
  readonly #now: () => number;
  readonly #loadRelease: LoadRelease;
  /** Reads current.json; resolves after a read that began after the call. */
  readonly #look: () => Promise<void>;
  /** By digest. Never the current one; only hosted ones. */
  readonly #recent: LRUCache<string, { release: LoadedRelease; since: number }>;
  /** By digest; the one that is to become the current one, too. */
  readonly #loading = new Map<string, Promise<LoadedRelease>>();
  /** Errors of releases that could not be loaded, by digest, to be thrown again until a time. */
  readonly #failures = new Map<string, { error: unknown; until: number }>();
  #pointer: Pointer | undefined;
  /** Stays until the one that the pointer names is loaded. */
  #current: LoadedRelease | undefined;
  /** What `refresh` last returned the id of. */
  #reported: LoadedRelease | undefined;
  /** Overlapping reads of current.json may finish out of order; the one started last wins. */
  #reads = { begun: 0, applied: 0 };

  constructor(origin: Origin, { now = () => performance.now(), load = loadRelease }: ReleasesOptions = {}) {
    this.#origin = origin;
    this.#now = now;
    this.#loadRelease = load;
    this.#look = shareRuns(() => this.#readPointer(), LOOK_PAUSE_MS, now);
    this.#recent = new LRUCache({
      max: RECENT_MAX,
      ttl: UNUSED_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
      dispose: ({ release }) => this.#close(release),
    });
  }

  /** The release for requests without a cursor; undefined before the first one is loaded. */
  get current(): LoadedRelease | undefined {
    return this.#current;
  }

  /** The same. @throws Problem not-ready before the first one is loaded */
  requireCurrent(): LoadedRelease {
    if (this.#current === undefined) throw notReady('No release is loaded yet.');
    return this.#current;
  }

  /** Is this release hosted, as far as is known without reading a file? */
  hosts({ id, digest }: Pick<LoadedRelease, 'id' | 'digest'>): boolean {
    return this.#pointer?.hosted.get(id) === digest;
  }

  /** The release that a request names, if it is hosted and in memory. */
  get(named: NamedRelease): LoadedRelease | undefined {
    const digest = this.#digestOf(named);
    if (digest === undefined) return undefined;
    return this.#current?.digest === digest ? this.#current : this.#recent.get(digest)?.release;
  }

  /**
   * Brings the release that a request names into memory. current.json is read again before a release counts as not hosted:
   * another process may have noticed it earlier.
   * @throws Problem release-gone; not-ready if other releases have been loaded recently
   * @throws OriginError, FormatError if it is hosted but cannot be loaded
   */
  async load(named: NamedRelease): Promise<LoadedRelease> {
    if (this.#digestOf(named) === undefined) await this.#look();
    try {
      return await this.#loadNamed(named);
    } catch (error) {
      if (!(error instanceof OriginError && error.reason === 'missing')) throw error;
      await this.#look();
      if (this.#digestOf(named) === undefined) throw gone();
      throw error;
    }
  }

  /** Reads current.json again on behalf of a request whose files are missing or damaged. Never rejects. */
  async lookAgain(): Promise<void> {
    // If a new release cannot be loaded, the previous one is still served. `refresh` reports it.
    await this.#look()
      .then(() => this.#takeUp())
      .catch(() => {});
  }

  /**
   * Reads current.json and, if it has changed, loads and verifies the release that it names, then serves it.
   * @returns the id of the new current release, undefined if it did not change
   * @throws OriginError, FormatError; the previous release is still served
   */
  async refresh(): Promise<string | undefined> {
    await this.#readPointer();
    this.#recent.purgeStale();
    for (const release of [this.#current, ...[...this.#recent.values()].map((place) => place.release)])
      release?.freeUnused();
    await this.#takeUp();
    if (this.#reported === this.#current) return undefined;
    this.#reported = this.#current;
    return this.#current?.id;
  }

  /** The digest of the hosted release that a request names. */
  #digestOf({ release, content }: NamedRelease): string | undefined {
    const digest = this.#pointer?.hosted.get(release);
    return digest?.startsWith(content) ? digest : undefined;
  }

  async #loadNamed(named: NamedRelease): Promise<LoadedRelease> {
    const digest = this.#digestOf(named);
    if (digest === undefined) throw gone();
    if (digest === this.#pointer?.digest) await this.#takeUp();
    else if (this.get(named) === undefined) await this.#loadRecent(digest);
    const release = this.get(named);
    if (release === undefined) throw gone();
    return release;
  }

  /** @throws Problem not-ready if all others have come recently */
  async #loadRecent(digest: string): Promise<void> {
    if (!this.#loading.has(digest) && !this.#hasFailed(digest)) this.#makeRoom();
    const release = await this.#load(digest);
    if (this.hosts(release) && release !== this.#current) this.#recent.set(digest, { release, since: this.#now() });
  }

  /** Makes room for a release that is going to be loaded, possibly in the place of the least recently used one. */
  #makeRoom(): void {
    this.#recent.purgeStale();
    const coming = [...this.#loading.keys()].filter((digest) => digest !== this.#pointer?.digest).length;
    if (this.#recent.size + coming < RECENT_MAX) return;
    const ages = [...this.#recent.values()].reverse().map((place) => ({ ...place, age: this.#now() - place.since }));
    const oldest = ages.find(({ age }) => age >= HOLD_MS);
    if (oldest === undefined) {
      const seconds = Math.ceil((HOLD_MS - Math.max(0, ...ages.map(({ age }) => age))) / 1000);
      throw notReady('Cursors of too many releases are in use. Try again later.', Math.max(1, seconds));
    }
    this.#recent.delete(oldest.release.digest);
  }

  /** Closes the files of a release that has left the memory. */
  #close({ id, digest }: LoadedRelease): void {
    if (digest !== this.#current?.digest) this.#origin.close?.(releasePath(id));
  }

  /** @throws OriginError, FormatError if it cannot be read */
  async #readPointer(): Promise<void> {
    const read = ++this.#reads.begun;
    const text = (await this.#origin.read(CURRENT_PATH, POINTER_MAX_BYTES)).toString('utf8');
    if (text === this.#pointer?.text) return;
    const { release, digests } = currentFromJson(text, CURRENT_PATH);
    if (read < this.#reads.applied) return;
    this.#reads.applied = read;
    this.#pointer = { text, digest: digests.get(release) ?? '', hosted: digests };
    this.#failures.clear();
    for (const { release } of [...this.#recent.values()]) if (!this.hosts(release)) this.#recent.delete(release.digest);
  }

  /** Serves the release that current.json names. */
  async #takeUp(): Promise<void> {
    const pointer = this.#pointer;
    if (pointer === undefined || this.#current?.digest === pointer.digest) return;
    const release = this.#recent.peek(pointer.digest)?.release ?? (await this.#load(pointer.digest));
    if (this.#pointer !== pointer || this.#current === release) return;
    const previous = this.#current;
    this.#current = release;
    this.#recent.delete(release.digest);
    if (previous === undefined) return;
    if (this.hosts(previous)) this.#recent.set(previous.digest, { release: previous, since: this.#now() });
    else this.#close(previous);
  }

  #hasFailed(digest: string): boolean {
    const failure = this.#failures.get(digest);
    return failure !== undefined && this.#now() < failure.until;
  }

  /** Loads a hosted release once for concurrent calls; an error is thrown again for a while. */
  #load(digest: string): Promise<LoadedRelease> {
    if (this.#hasFailed(digest)) return Promise.reject(this.#failures.get(digest)?.error);
    const known = this.#loading.get(digest);
    if (known !== undefined) return known;
    const loading = this.#loadNow(digest).finally(() => this.#loading.delete(digest));
    this.#loading.set(digest, loading);
    return loading;
  }

  async #loadNow(digest: string): Promise<LoadedRelease> {
    const pointer = this.#pointer;
    try {
      const [id = ''] = [...(pointer?.hosted ?? [])].find(([, known]) => known === digest) ?? [];
      return await this.#loadRelease(this.#origin, await readDescription(this.#origin, id, digest), this.#now);
    } catch (error) {
      const waitMs = error instanceof FormatError && digest !== this.#pointer?.digest ? DAMAGED_MS : RETRY_MS;
      if (this.#pointer === pointer) this.#failures.set(digest, { error, until: this.#now() + waitMs });
      throw error;
    }
  }
}

function gone(): Problem {
  return new Problem(
    'release-gone',
    'The release is no longer hosted. Start again: at the first page without a cursor, or the download without release.',
  );
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
