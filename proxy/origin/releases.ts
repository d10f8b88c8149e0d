// The releases of an origin: the current one, and every other hosted release, which cursors may name. current.json is
// polled; a new release is served once its metadata has been loaded and verified.
import { createHash } from 'node:crypto';
import { FeatureIndex } from '../../format/feature-index.ts';
import { CURRENT_PATH, indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import type { ListingTable } from '../../format/listing.ts';
import { listingTable } from '../../format/listing.ts';
import type { Manifest } from '../../format/manifest.ts';
import { manifestFromJson } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import type { Release } from '../../format/release.ts';
import { currentFromJson, releaseFromJson } from '../../format/release.ts';
import type { Origin } from './origin.ts';

/** The metadata of a level, prepared for look-ups. */
export interface LoadedLevel {
  manifest: Manifest;
  index: FeatureIndex;
  listings: ListingTable;
}

/** A release whose metadata has been loaded and verified. */
export interface LoadedRelease {
  id: string;
  /** Credits to show with the data. */
  attribution: readonly string[];
  levels: Readonly<Record<Level, LoadedLevel>>;
}

const POLL_MS = 1000;
/** A release that could not be loaded is tried again after this time: its files may still be uploading. */
const RETRY_MS = 5000;

/** The releases of one origin. */
export class Releases {
  readonly #origin: Origin;
  readonly #loaded = new Map<string, Promise<LoadedRelease>>();
  #hosted: ReadonlySet<string> = new Set();
  #current: LoadedRelease | undefined;
  /** The text of current.json that is served. */
  #pointer = '';
  #refused = { pointer: '', until: 0 };

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** The release for requests without a cursor; undefined before the first one is loaded. */
  get current(): LoadedRelease | undefined {
    return this.#current;
  }

  /** Is this release hosted, so that cursors may name it? */
  hosts(id: string): boolean {
    return this.#hosted.has(id);
  }

  /**
   * A hosted release, loaded on first use; undefined if it is not hosted.
   * @throws OriginError, FormatError if it is hosted but cannot be loaded
   */
  async find(id: string): Promise<LoadedRelease | undefined> {
    return this.#hosted.has(id) ? this.#load(id) : undefined;
  }

  /**
   * Reads current.json and, if it has changed, loads and verifies the release that it names, then serves it.
   * @returns the id of the new current release, undefined if it did not change
   * @throws OriginError, FormatError; the previous release is still served
   */
  async refresh(): Promise<string | undefined> {
    const pointer = (await this.#origin.read(CURRENT_PATH)).toString('utf8');
    if (pointer === this.#pointer) return undefined;
    if (pointer === this.#refused.pointer && performance.now() < this.#refused.until) return undefined;
    try {
      return await this.#serve(pointer);
    } catch (error) {
      this.#refused = { pointer, until: performance.now() + RETRY_MS };
      throw error;
    }
  }

  /**
   * Refreshes every second until the returned function is called. Does not keep the process alive.
   * @param log receives a line for each new release, and for each error that differs from the previous one
   */
  watch(log: (line: string) => void): () => void {
    let lastError = '';
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    const poll = async (): Promise<void> => {
      try {
        const served = await this.refresh();
        if (served === undefined) return;
        log(`serving release ${served}`);
        lastError = '';
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const state = this.#current ? `still serving release ${this.#current.id}` : 'no release to serve';
        if (message !== lastError) log(`${state}: ${message}`);
        lastError = message;
      } finally {
        if (!isStopped) timer = setTimeout(poll, POLL_MS).unref();
      }
    };
    timer = setTimeout(poll, POLL_MS).unref();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  /** Serves what current.json says. */
  async #serve(pointer: string): Promise<string | undefined> {
    const { release, hosted } = currentFromJson(pointer, CURRENT_PATH);
    const current = await this.#load(release);
    const isChanged = current !== this.#current;
    this.#pointer = pointer;
    this.#current = current;
    this.#hosted = new Set(hosted);
    for (const id of this.#loaded.keys()) {
      if (this.#hosted.has(id)) continue;
      this.#loaded.delete(id);
      this.#origin.close?.(releasePath(id));
    }
    return isChanged ? release : undefined;
  }

  /** Loads a release once for concurrent and later calls; a failure is not stored. */
  #load(id: string): Promise<LoadedRelease> {
    const known = this.#loaded.get(id);
    if (known !== undefined) return known;
    const loading = loadRelease(this.#origin, id);
    this.#loaded.set(id, loading);
    loading.catch(() => this.#loaded.delete(id));
    return loading;
  }
}

async function loadRelease(origin: Origin, id: string): Promise<LoadedRelease> {
  const folder = releasePath(id);
  const file = `${folder}/${RELEASE_FILE}`;
  const release = releaseFromJson((await origin.read(file)).toString('utf8'), file);
  if (release.release !== id) throw new FormatError(file, `release is ${release.release}, expected ${id}`);
  const load = (level: Level): Promise<LoadedLevel> => loadLevel(origin, release, level);
  const levels = [await load(0), await load(1), await load(2), await load(3), await load(4), await load(5)] as const;
  return { id, attribution: release.attribution, levels };
}

async function loadLevel(origin: Origin, { release, levels }: Release, level: Level): Promise<LoadedLevel> {
  const folder = releasePath(release);
  const file = `${folder}/${manifestPath(level)}`;
  const indexFile = `${folder}/${indexPath(level)}`;
  const [text, records] = await Promise.all([
    readVerified(origin, file, levels[level]?.manifest),
    readVerified(origin, indexFile, levels[level]?.index),
  ]);
  const manifest = manifestFromJson(text.toString('utf8'), file);
  if (manifest.release !== release || manifest.level !== level)
    throw new FormatError(
      file,
      `belongs to release ${manifest.release} level ${manifest.level}, expected ${release} level ${level}`,
    );
  const { features, columns, featuresPerFile } = manifest;
  const index = new FeatureIndex(records, features, featuresPerFile, indexFile);
  return { manifest, index, listings: listingTable(level, features, columns) };
}

/** @param expected the SHA-256 of the file in release.json, in hex */
async function readVerified(origin: Origin, file: string, expected: string | undefined): Promise<Buffer> {
  const bytes = await origin.read(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== expected) throw new FormatError(file, `SHA-256 is ${sha256}, expected ${expected}`);
  return bytes;
}
