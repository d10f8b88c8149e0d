// The releases of an origin: the current one, and every other hosted release, which cursors may name. A release is
// known by its digest, which current.json names: it is served once its metadata has been loaded and verified.

import { pointerFromJson } from '../../format/current-json.ts';
import type { Cursor } from '../../format/cursor.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH, releasePath } from '../../format/layout.ts';
import { FormatError, type JsonObject } from '../../format/parse.ts';
import { notReady, Problem } from '../http/problem.ts';
import { STUCK_MS } from '../http/time.ts';
import type { Origin } from '../origin/origin.ts';
import { OriginError } from '../origin/origin.ts';
import { Loaded } from './loaded.ts';
import type { LoadedRelease, LoadRelease } from './loaded-release.ts';
import { loadPartsOf, loadRelease, readDescription } from './loaded-release.ts';

/** Minimum time between two looks at current.json on behalf of requests. */
const LOOK_PAUSE_MS = 250;
/**
 * A damaged release that is not the current one is tried again after this time: it would be read for each of its
 * cursors.
 */
const DAMAGED_MS = 30_000;
/**
 * Releases in memory besides the current one: of each client those that it alone has named, as many that were current
 * and nobody has named, and all together, for the sake of memory. Cursors are not signed, and loading a release is
 * expensive.
 */
const RECENT_MAX = { client: 2, all: 8 } as const;
/** A release that a client has named stays in memory at least this long before another one replaces it. */
const HOLD_MS = 10_000;
/** A release that no request has used for this long is removed from memory. */
const UNUSED_MS = 300_000;

/** Files of a release that was freed are closed once more after this time: no load that reads them takes longer. */
const CLOSE_AGAIN_MS = 120_000;

/** What `Releases` may be given besides the origin. */
export interface ReleasesOptions {
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  /** How a release is loaded; by default with all levels. */
  load?: LoadRelease;
  /** Throws FormatError if a current.json is not to be followed: its members that capabilities read are damaged. */
  check?: (members: JsonObject) => void;
  /** Why a release does not become the current one; undefined if it does. Is given the text of current.json, too. */
  refusal?: ((release: LoadedRelease, pointer: string) => Promise<string | undefined>) | undefined;
}

/** What it has before current.json is read. */
const NO_MEMBERS: JsonObject = {};

/** What current.json says. */
interface Pointer {
  text: string;
  /** The digest of the release for requests without a cursor. */
  digest: string;
  /** The digest of each hosted release by its id. */
  hosted: ReadonlyMap<string, string>;
  members: JsonObject;
}

/** A release in memory, and for whom. */
interface KeptRelease {
  readonly release: LoadedRelease;
  /** When it was loaded, or ceased to be the current one. */
  since: number;
  /** Who has named it first; undefined if nobody has. */
  owner: string | undefined;
  /** Have others named it since? Then it is no longer counted for its owner. */
  isShared: boolean;
}

/**
 * A release as a request names it: by a cursor; by its id, of whose content nothing is known: it is empty; or by its
 * content alone, the beginning of its digest: the id is empty.
 */
export type NamedRelease = Pick<Cursor, 'release' | 'content'>;

/** The releases of one origin. */
export class Releases {
  readonly #origin: Origin;
  readonly #now: () => number;
  readonly #loadRelease: LoadRelease;
  readonly #refusal: ReleasesOptions['refusal'];
  readonly #check: ReleasesOptions['check'];
  /** Reads current.json; resolves after a read that began after the call. */
  readonly #look: () => Promise<void>;
  /** By digest, the current one among them. */
  readonly #loaded: Loaded<string, KeptRelease>;
  /** The folders of those, and of those that could not be loaded, by digest. */
  readonly #folders = new Map<string, string>();
  /** Who has named those that are being loaded, by digest. */
  readonly #coming = new Map<string, string>();
  #pointer: Pointer | undefined;
  /** The last one whose release was to be served. */
  #tried: Pointer | undefined;
  /** Stays until the one that the pointer names is loaded. */
  #current: KeptRelease | undefined;
  /** What `refresh` last returned the id of. */
  #reported: LoadedRelease | undefined;
  /** Overlapping reads of current.json may finish out of order; the one started last wins. */
  #reads = { begun: 0, applied: 0 };

  constructor(
    origin: Origin,
    { now = () => performance.now(), load = loadRelease, refusal, check }: ReleasesOptions = {},
  ) {
    this.#origin = origin;
    this.#now = now;
    this.#loadRelease = load;
    this.#refusal = refusal;
    this.#check = check;
    this.#look = shareRuns(() => this.#readPointer(), LOOK_PAUSE_MS, now);
    this.#loaded = new Loaded(now, {
      retryMs: (digest, error) =>
        error instanceof FormatError && digest !== this.#pointer?.digest ? DAMAGED_MS : undefined,
      onFree: (digest) => {
        const folder = this.#folders.get(digest);
        if (folder === undefined) return;
        this.#folders.delete(digest);
        origin.close?.(folder);
        // What was being read of it, for other things than a response, may have opened files again.
        if (origin.readNow !== undefined) setTimeout(() => origin.close?.(folder), CLOSE_AGAIN_MS).unref();
      },
    });
  }

  /** The release for requests without a cursor; undefined before the first one is loaded. */
  get current(): LoadedRelease | undefined {
    return this.#current?.release;
  }

  /** The same. @throws Problem not-ready before the first one is loaded */
  requireCurrent(): LoadedRelease {
    if (this.#current === undefined) throw notReady('No release is loaded yet.');
    return this.#current.release;
  }

  /** The ids of the hosted releases, as far as is known without reading a file: the current one first. */
  get hosted(): readonly string[] {
    const ids = [...(this.#pointer?.hosted.keys() ?? [])];
    const current = this.current?.id;
    return current === undefined ? ids : [current, ...ids.filter((id) => id !== current)];
  }

  /** The members of current.json, as far as is known without reading it: capabilities read theirs. */
  get members(): JsonObject {
    return this.#pointer?.members ?? NO_MEMBERS;
  }

  /** Is this release hosted, as far as is known without reading a file? */
  hosts({ id, digest }: Pick<LoadedRelease, 'id' | 'digest'>): boolean {
    return this.#pointer?.hosted.get(id) === digest || this.#standsIn(digest);
  }

  /**
   * Is this release served in the place of the one that current.json names, which could not be loaded, or is not yet?
   * Then it counts as hosted: its first pages are answered, and have links to the next ones.
   */
  #standsIn(digest: string): boolean {
    return this.#tried === this.#pointer && this.#current?.release.digest === digest;
  }

  /** The release that a request of a client names, if it is hosted and in memory. */
  get(named: NamedRelease, principal: string): LoadedRelease | undefined {
    const digest = this.#digestOf(named);
    const current = digest === this.#current?.release.digest ? this.#current : undefined;
    const kept = digest === undefined ? undefined : (current ?? this.#loaded.get(digest));
    if (kept === undefined) return undefined;
    kept.owner ??= principal;
    kept.isShared ||= kept.owner !== principal;
    return kept.release;
  }

  /**
   * Brings the release that a request names into memory. current.json is read again before a release counts as not
   * hosted: another process may have noticed it earlier.
   * @throws Problem release-gone; not-ready if the client has named other releases recently
   * @throws OriginError, FormatError if it is hosted but cannot be loaded
   */
  async load(named: NamedRelease, principal: string): Promise<LoadedRelease> {
    if (this.#digestOf(named) === undefined) await this.#look();
    try {
      return await this.#loadNamed(named, principal);
    } catch (error) {
      if (!(error instanceof OriginError && error.reason === 'missing')) throw error;
      await this.#look();
      if (this.#digestOf(named) === undefined) throw gone();
      throw error;
    }
  }

  /** A response has ended that read from a release. If that has left memory meanwhile, its files were opened again. */
  ended({ id, digest }: Pick<LoadedRelease, 'id' | 'digest'>): void {
    if (!this.#folders.has(digest)) this.#origin.close?.(releasePath(id));
  }

  /** Reads current.json again on behalf of a request whose files are missing or damaged. Never rejects. */
  async rereadPointer(): Promise<void> {
    // If a new release cannot be loaded, the previous one is still served. `refresh` reports it.
    await this.#look()
      .then(() => this.#serveCurrent())
      .catch(() => {});
  }

  /**
   * Reads current.json and, if it has changed, loads and verifies the release that it names, then serves it.
   * @returns the id of the new current release, undefined if it did not change
   * @throws OriginError, FormatError; the previous release is still served
   */
  async refresh(): Promise<string | undefined> {
    // First: also while current.json cannot be read.
    this.#freeUnused();
    for (const [, { release }] of this.#loaded.entries()) release.freeUnused();
    await this.#readPointer();
    const refused = await this.#serveCurrent();
    if (refused !== undefined) throw new FormatError(CURRENT_PATH, refused);
    if (this.#reported === this.current) return undefined;
    this.#reported = this.current;
    return this.current?.id;
  }

  /** The digest of the hosted release that a request names. */
  #digestOf({ release, content }: NamedRelease): string | undefined {
    const isNamed = (id: string, digest: string): boolean => ['', id].includes(release) && digest.startsWith(content);
    for (const [id, digest] of this.#pointer?.hosted ?? []) if (isNamed(id, digest)) return digest;
    const { id = '', digest = '' } = this.current ?? {};
    return isNamed(id, digest) && this.#standsIn(digest) ? digest : undefined;
  }

  async #loadNamed(named: NamedRelease, principal: string): Promise<LoadedRelease> {
    const digest = this.#digestOf(named);
    if (digest === undefined) throw gone();
    if (digest !== this.#pointer?.digest) await this.#load(digest, principal);
    // Before the first release is loaded nobody waits for it: that may take longer than a client does.
    else if (this.requireCurrent() !== undefined) await this.#serveCurrent();
    const release = this.get(named, principal);
    if (release === undefined) throw gone();
    return release;
  }

  /**
   * Loads a hosted release once for concurrent calls; an error is thrown again for a while.
   * @param principal who has named it; undefined if current.json does
   * @throws Problem not-ready if all others of the client have come recently
   */
  async #load(digest: string, principal?: string): Promise<KeptRelease> {
    return this.#loaded.load(digest, () => {
      if (principal !== undefined) {
        this.#makeRoom(principal);
        this.#coming.set(digest, principal);
      }
      return this.#read(digest, principal).finally(() => this.#coming.delete(digest));
    });
  }

  async #read(digest: string, owner: string | undefined): Promise<KeptRelease> {
    const [id = ''] = [...(this.#pointer?.hosted ?? [])].find(([, known]) => known === digest) ?? [];
    this.#folders.set(digest, releasePath(id));
    const release = await this.#loadRelease(this.#origin, await readDescription(this.#origin, id, digest), this.#now);
    return { release, since: this.#now(), owner, isShared: false };
  }

  #freeUnused(): void {
    // The current one counts as used.
    if (this.#current !== undefined) this.#loaded.get(this.#current.release.digest);
    this.#loaded.freeUnused(UNUSED_MS);
  }

  /** Makes room for a release that a client has named, possibly in the place of one that it alone has named before. */
  #makeRoom(principal: string): void {
    this.#freeUnused();
    const own = this.#others(({ owner, isShared }) => owner === principal && !isShared);
    const coming = [...this.#coming.values()];
    const all = this.#others(() => true);
    if (own.length + coming.filter((owner) => owner === principal).length >= RECENT_MAX.client) this.#freeOne(own);
    else if (all.length + coming.length >= RECENT_MAX.all) this.#freeOne(all);
  }

  /** @throws Problem not-ready if all have come recently */
  #freeOne(kept: readonly KeptRelease[]): void {
    const age = ({ since }: KeptRelease): number => this.#now() - since;
    const oldest = kept.find((kept) => age(kept) >= HOLD_MS);
    if (oldest === undefined) {
      const seconds = Math.ceil((HOLD_MS - Math.max(0, ...kept.map(age))) / 1000);
      throw notReady('Cursors of too many releases are in use. Try again later.', Math.max(1, seconds));
    }
    this.#loaded.free(oldest.release.digest);
  }

  /** Releases in memory besides the current one, the least recently used first. */
  #others(isMeant: (kept: KeptRelease) => boolean): KeptRelease[] {
    const kept = this.#loaded.entries().map(([, kept]) => kept);
    return kept.filter((kept) => kept !== this.#current && isMeant(kept));
  }

  /** @throws OriginError, FormatError if it cannot be read */
  async #readPointer(): Promise<void> {
    const read = ++this.#reads.begun;
    const text = (await this.#origin.read(CURRENT_PATH, CURRENT_MAX_BYTES)).toString('utf8');
    if (text === this.#pointer?.text) return;
    const { release, digests, members } = pointerFromJson(text, CURRENT_PATH);
    this.#check?.(members);
    if (read < this.#reads.applied) return;
    this.#reads.applied = read;
    this.#pointer = { text, digest: digests.get(release) ?? '', hosted: digests, members };
    this.#loaded.forgetFailures();
    for (const { release } of this.#others(({ release }) => !this.hosts(release))) this.#loaded.free(release.digest);
  }

  /** Serves the release that current.json names. @returns why not; undefined if it does */
  async #serveCurrent(): Promise<string | undefined> {
    const pointer = this.#pointer;
    if (pointer === undefined || this.current?.digest === pointer.digest) return undefined;
    this.#tried = pointer;
    const kept = await this.#load(pointer.digest);
    // What is asked for now is there before the release is served, unless the host is slow: nobody waits for it.
    if (this.current !== undefined) await endOf(loadPartsOf(this.current, kept.release), STUCK_MS);
    if (this.#pointer !== pointer) return undefined;
    const refused = await this.#refusal?.(kept.release, pointer.text);
    const previous = this.#current;
    if (refused !== undefined || previous === kept) return refused;
    this.#current = kept;
    if (previous === undefined) return undefined;
    previous.since = this.#now();
    if (!this.hosts(previous.release)) this.#loaded.free(previous.release.digest);
    for (const { release } of this.#others(({ owner }) => owner === undefined).slice(0, -RECENT_MAX.client))
      this.#loaded.free(release.digest);
    return undefined;
  }
}

function gone(): Problem {
  return new Problem(
    'release-gone',
    'The service does not host this release, or hosts it no longer. GET /api/v1/ lists the releases that it hosts. Start again: ask for the first page without a cursor, for a download without release, or for a tile without v.',
  );
}

/**
 * Shares runs of `work` between callers: each call gets a run that begins after it. Runs begin at least `pauseMs`
 * milliseconds apart, and overlap only where one does not end in time: a platform may have ended what it reads.
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
    next = endOf(last, begun + STUCK_MS - now()).then(run);
    last = next.catch(() => {});
    return next;
  };
}

/** Resolves when the work has ended, or after so many milliseconds. */
function endOf(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
