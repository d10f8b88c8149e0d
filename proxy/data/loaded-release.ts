// Loads the metadata of a release from an origin: the manifest and the index of each level, verified and mapped. What
// else is brought into memory of a level is its parts (loads.ts).
import { createHash, hash } from 'node:crypto';
import type { CheckedFile } from '../../format/checked-files.ts';
import { CursorWriter, contentOf } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import type { Finding } from '../../format/findings.ts';
import { alonePath, featureFilePath, indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { LEVELS } from '../../format/levels.ts';
import { decodeLevel, decodeTable } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import type { Release } from '../../format/release-json.ts';
import { RELEASE_MAX_BYTES, releaseFromJson } from '../../format/release-json.ts';
import type { Origin } from '../origin/origin.ts';
import { nextTurn } from '../work/next-turn.ts';
import { type Clock, Loaded } from './loaded.ts';

/** Bytes that are hashed in one turn of the event loop: about a millisecond. */
const HASHED_BYTES = 1024 * 1024;
/** A part that no request has used for this long is freed. */
const UNUSED_MS = 300_000;

/** What is kept in memory says how much that is, in bytes. */
export interface Sized {
  readonly bytes: number;
}

/**
 * What is kept of a level besides its index, from the first request that needs it until none has for long. Each
 * capability has its own.
 */
export interface Part<Value extends Sized> {
  readonly name: string;
  readonly type: abstract new (...parameters: never[]) => Value;
  /** Parts of which a level keeps few: those that were used last. */
  readonly group?: { readonly most: number };
  /** Reads it. @throws OriginError, FormatError; Problem if the release has none */
  load(level: LoadedLevel): Promise<Value>;
}

/** The feature files of one geometry of a level. */
export class LoadedTable {
  readonly table: FeatureTable;
  readonly geometry: Geometry;
  /** Of its index.bin. */
  readonly bytes: number;
  /** The folder of its release, relative to the origin. */
  readonly #folder: string;
  /** Paths of files that have been read, by number: look-ups of open files use the same text again. */
  readonly #paths: Readonly<Record<'features' | 'alone', string[]>> = { features: [], alone: [] };

  constructor(folder: string, table: FeatureTable, geometry: Geometry, bytes: number) {
    this.#folder = folder;
    this.table = table;
    this.geometry = geometry;
    this.bytes = bytes;
  }

  /** The path of a feature file, or of the file with its chained features alone; relative to the origin. */
  file(file: number, folder: 'features' | 'alone'): string {
    const known = this.#paths[folder][file];
    if (known !== undefined) return known;
    const { level } = this.table;
    const pathOf = folder === 'alone' ? alonePath : featureFilePath;
    const path = `${this.#folder}/${pathOf(level, file, this.geometry)}`;
    this.#paths[folder][file] = path;
    return path;
  }
}

/** The tables of the geometries besides the full one. */
export const TABLES: Readonly<Record<Exclude<Geometry, 'full'>, Part<LoadedTable>>> = {
  medium: tablePart('medium'),
  low: tablePart('low'),
  point: tablePart('point'),
  none: tablePart('none'),
};

function tablePart(geometry: Exclude<Geometry, 'full'>): Part<LoadedTable> {
  return {
    name: `table of ${geometry}`,
    type: LoadedTable,
    async load(level) {
      const { index, manifest, summary, folder } = level;
      const other = summary.geometries[geometry];
      if (other === undefined) throw new FormatError(manifest.path, `has no geometry ${geometry}`);
      const path = indexPath(index.level, geometry);
      const table = await level.read(path, other.index);
      const files = {
        manifest: manifest.path,
        index: `${folder}/${indexPath(index.level)}`,
        table: `${folder}/${path}`,
      };
      const decoded = decodeTable({ manifest: manifest.text, table }, geometry, index, files);
      return new LoadedTable(folder, decoded, geometry, table.length);
    },
  };
}

/** A level whose index has been verified. */
export class LoadedLevel {
  readonly index: LevelIndex;
  /** What release.json says of it. */
  readonly summary: LevelSummary;
  /** What the build found in the data of the release. */
  readonly quality: readonly Finding[];
  /** Decimals of its coordinates. */
  readonly precision: number;
  /** The folder of its release, relative to the origin. */
  readonly folder: string;
  readonly manifest: { readonly path: string; readonly text: string };
  readonly cursors: CursorWriter;
  /** The feature files with the full geometry. */
  readonly full: LoadedTable;
  readonly #origin: Origin;
  readonly #parts: Loaded<Part<Sized>, Sized>;
  readonly #onPart: (() => void) | undefined;

  /**
   * @param bytes of its index.bin
   * @param onPart is called when a part has come into memory
   */
  constructor(
    origin: Origin,
    { release, digest }: Description,
    index: LevelIndex,
    bytes: number,
    manifest: LoadedLevel['manifest'],
    now: Clock,
    onPart?: () => void,
  ) {
    this.#onPart = onPart;
    this.#origin = origin;
    this.folder = releasePath(release.release);
    this.index = index;
    this.summary = elementAt(release.levels, index.level);
    this.quality = release.quality;
    this.precision = release.precision;
    this.manifest = manifest;
    this.cursors = new CursorWriter({ release: release.release, content: contentOf(digest), level: index.level });
    this.full = new LoadedTable(this.folder, index, 'full', bytes);
    this.#parts = new Loaded(now);
  }

  /** Bytes of the index and of the parts in memory. */
  get bytes(): number {
    return this.#parts.entries().reduce((sum, [, { bytes }]) => sum + bytes, this.full.bytes);
  }

  /** A part; undefined if it is not in memory. */
  get<Value extends Sized>(part: Part<Value>): Value | undefined {
    const value = this.#parts.get(part);
    return value instanceof part.type ? value : undefined;
  }

  /** Brings a part into memory. @throws as `load` of the part does */
  async load<Value extends Sized>(part: Part<Value>): Promise<Value> {
    const value = await this.#parts.load(part, () => part.load(this));
    const { group } = part;
    if (group !== undefined) {
      const own = this.#parts.entries().filter(([other]) => other.group === group);
      for (const [other] of own.slice(0, -group.most)) this.#parts.free(other);
    }
    this.#onPart?.();
    if (!(value instanceof part.type)) throw new TypeError(`${part.name} is not of its type`);
    return value;
  }

  /** Brings the parts into memory that another level has there. */
  async loadPartsOf(other: LoadedLevel): Promise<void> {
    // What cannot be loaded is said to those who ask for it.
    await Promise.allSettled(other.#parts.entries().map(([part]) => this.load(part)));
  }

  /**
   * Reads a whole file of the level, or the beginning of one, and checks its SHA-256.
   * @param path relative to the folder of the release
   * @throws OriginError, FormatError
   */
  read(path: string, file: CheckedFile, isBeginning = false): Promise<Buffer> {
    return readChecked(this.#origin, `${this.folder}/${path}`, file, isBeginning);
  }

  /** Frees the parts that have not been used for long. */
  freeUnused(): void {
    this.#parts.freeUnused(UNUSED_MS);
  }
}

/** A release whose metadata has been loaded and verified. */
export interface LoadedRelease extends Omit<Release, 'release' | 'levels'> {
  id: string;
  /** SHA-256 of release.json in hex: two releases with the same one have the same bytes in every file. */
  digest: string;
  /** What release.json says of each level. */
  summaries: readonly LevelSummary[];
  /** A level; undefined if it is not in memory. */
  get(level: Level): LoadedLevel | undefined;
  /** Brings a level into memory. @throws OriginError, FormatError */
  load(level: Level): Promise<LoadedLevel>;
  /** Bytes that the tables of all levels may take together; undefined where memory is not little. */
  room?: number;
  /** Frees what has not been used for long. */
  freeUnused(): void;
}

/** release.json and its SHA-256 in hex. */
export interface Description {
  release: Release;
  digest: string;
}

/**
 * Loads the metadata of a release, and verifies it with the digests in its release.json.
 * @throws OriginError, FormatError
 */
export type LoadRelease = (origin: Origin, description: Description, now?: Clock) => Promise<LoadedRelease>;

/**
 * Reads the release.json of a release.
 * @param digest its SHA-256 in hex
 * @throws OriginError, FormatError
 */
export async function readDescription(origin: Origin, id: string, digest: string): Promise<Description> {
  const file = `${releasePath(id)}/${RELEASE_FILE}`;
  const bytes = await origin.read(file, RELEASE_MAX_BYTES);
  const got = hash('sha256', bytes, 'hex');
  if (got !== digest) throw new FormatError(file, `SHA-256 is ${got}, expected ${digest}`);
  const release = releaseFromJson(bytes.toString('utf8'), file);
  if (release.release !== id) throw new FormatError(file, `release is ${release.release}, expected ${id}`);
  return { release, digest };
}

/**
 * Loads all levels of a release.
 * @throws OriginError, FormatError
 */
export async function loadRelease(origin: Origin, description: Description, now?: Clock): Promise<LoadedRelease> {
  const levels = await Promise.all(LEVELS.map((level) => loadLevel(origin, description, level, now)));
  const get = (level: Level): LoadedLevel => elementAt(levels, level);
  return describedRelease(description, {
    get,
    load: async (level) => get(level),
    freeUnused() {
      for (const level of levels) level.freeUnused();
    },
  });
}

/** A release with levels that are got, loaded and freed in this way. */
export function describedRelease(
  { release, digest }: Description,
  levels: Pick<LoadedRelease, 'get' | 'load' | 'room' | 'freeUnused'>,
): LoadedRelease {
  const { release: id, levels: summaries, ...about } = release;
  return { ...about, id, digest, summaries, ...levels };
}

/** Brings the parts of levels into memory that another release has there, for a release that takes its place. */
export async function loadPartsOf(other: LoadedRelease, release: LoadedRelease): Promise<void> {
  for (const number of LEVELS) {
    const level = release.get(number);
    const known = level && other.get(number);
    if (known !== undefined) await level?.loadPartsOf(known);
  }
}

/**
 * Loads a level: two files, their SHA-256, views.
 * @throws OriginError, FormatError
 */
export async function loadLevel(
  origin: Origin,
  description: Description,
  level: Level,
  now: Clock = () => performance.now(),
  onPart?: () => void,
): Promise<LoadedLevel> {
  const { release, levels } = description.release;
  const folder = releasePath(release);
  const summary = elementAt(levels, level);
  const files = { manifest: `${folder}/${manifestPath(level)}`, index: `${folder}/${indexPath(level)}` };
  const [manifest, bytes] = await Promise.all([
    readChecked(origin, files.manifest, summary.manifest),
    readChecked(origin, files.index, summary.index),
  ]);
  const text = manifest.toString('utf8');
  const index = decodeLevel({ manifest: text, index: bytes }, { release, level, features: summary.features }, files);
  return new LoadedLevel(origin, description, index, bytes.length, { path: files.manifest, text }, now, onPart);
}

/**
 * Reads a whole file, or the beginning of one, and checks its SHA-256.
 * @throws OriginError, FormatError
 */
export async function readChecked(
  origin: Origin,
  path: string,
  file: CheckedFile,
  isBeginning = false,
): Promise<Buffer> {
  const { bytes, sha256 } = file;
  // The whole file, not a range: one that is longer than recorded is not this file.
  const content = await origin.read(path, isBeginning ? { offset: 0, length: bytes } : bytes);
  if (content.length < bytes) throw new FormatError(path, `${content.length} bytes, expected ${bytes}`);
  const digest = createHash('sha256');
  for (let at = 0; at < content.length; at += HASHED_BYTES) {
    // Other events are handled between the pieces of a large file, and before: many may be read in the same moment.
    if (content.length > HASHED_BYTES) await nextTurn();
    digest.update(content.subarray(at, at + HASHED_BYTES));
  }
  const got = digest.digest('hex');
  if (got !== sha256) throw new FormatError(path, `SHA-256 is ${got}, expected ${sha256}`);
  return content;
}
