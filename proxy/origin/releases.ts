// The releases that can be answered from: which one is served, and every other that cursors may name.
// It looks at current.json again and again, and serves a new release once all of its metadata has been checked.
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

/** A level's manifest, ready for look-ups. */
export interface LoadedLevel {
  manifest: Manifest;
  index: FeatureIndex;
  listings: ListingTable;
}

/** A release whose metadata has been read and checked. */
export interface LoadedRelease {
  id: string;
  /** Who must be named where the data is shown. */
  attribution: readonly string[];
  levels: Readonly<Record<Level, LoadedLevel>>;
}

const POLL_MS = 1000;
/** A refused release is looked at again after this long, in case its files are still being copied. */
const RETRY_MS = 5000;

/** The releases of one origin. */
export class Catalogue {
  readonly #origin: Origin;
  readonly #loaded = new Map<string, Promise<LoadedRelease>>();
  #hosted: ReadonlySet<string> = new Set();
  #current: LoadedRelease | undefined;
  #pointer = '';
  #refused = { pointer: '', until: 0 };

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** The release that requests without a cursor get; undefined before one has been loaded. */
  get current(): LoadedRelease | undefined {
    return this.#current;
  }

  /** May cursors name this release? */
  hosts(id: string): boolean {
    return this.#hosted.has(id);
  }

  /**
   * A hosted release, loaded on first use. Undefined when it is not hosted.
   * @throws OriginError, FormatError when it is hosted but cannot be read
   */
  async find(id: string): Promise<LoadedRelease | undefined> {
    return this.#hosted.has(id) ? this.#load(id) : undefined;
  }

  /**
   * Looks at current.json and, if it has changed, loads and checks what it names before serving that.
   * @returns the id of a release that is served from now on, undefined when nothing changed
   * @throws OriginError, FormatError; whatever was served before still is
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
   * @param log gets a line for each new release and for each one refused
   */
  watch(log: (line: string) => void): () => void {
    let complaint = '';
    let timer: NodeJS.Timeout | undefined;
    let stopped = false;
    const look = async (): Promise<void> => {
      try {
        const served = await this.refresh();
        if (served === undefined) return;
        log(`serving release ${served}`);
        complaint = '';
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const kept = this.#current ? `release ${this.#current.id} is served as before` : 'there is no release to serve';
        if (reason !== complaint) log(`${kept}: ${reason}`);
        complaint = reason;
      } finally {
        if (!stopped) timer = setTimeout(look, POLL_MS).unref();
      }
    };
    timer = setTimeout(look, POLL_MS).unref();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  /** Makes what current.json says so. */
  async #serve(pointer: string): Promise<string | undefined> {
    const { release, hosted } = currentFromJson(pointer, CURRENT_PATH);
    const current = await this.#load(release);
    const changed = current !== this.#current;
    this.#pointer = pointer;
    this.#current = current;
    this.#hosted = new Set(hosted);
    for (const id of this.#loaded.keys()) {
      if (this.#hosted.has(id)) continue;
      this.#loaded.delete(id);
      this.#origin.close?.(releasePath(id));
    }
    return changed ? release : undefined;
  }

  /** Loads a release once, however many ask; a failure is not remembered. */
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
    readChecked(origin, file, levels[level]?.manifest),
    readChecked(origin, indexFile, levels[level]?.index),
  ]);
  const manifest = manifestFromJson(text.toString('utf8'), file);
  if (manifest.release !== release || manifest.level !== level)
    throw new FormatError(file, `is of ${manifest.release} level ${manifest.level}, expected ${release}`);
  const { features, columns, featuresPerFile } = manifest;
  const index = new FeatureIndex(records, features, featuresPerFile, indexFile);
  return { manifest, index, listings: listingTable(level, features, columns) };
}

/** @param expected the SHA-256 that release.json has for the file, in hex */
async function readChecked(origin: Origin, file: string, expected: string | undefined): Promise<Buffer> {
  const bytes = await origin.read(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== expected) throw new FormatError(file, `SHA-256 is ${sha256}, expected ${expected}`);
  return bytes;
}
