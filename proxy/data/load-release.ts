// Loads the metadata of a release from an origin: the manifest and the index of each level, verified and mapped. Used
// by releases.ts.
import { createHash, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type Cells, decodeCells } from '../../format/cells.ts';
import { CursorWriter, contentOf } from '../../format/cursor.ts';
import { elementAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import {
  alonePath,
  cellsPath,
  featureFilePath,
  indexPath,
  manifestPath,
  namesPath,
  RELEASE_FILE,
  releasePath,
  wordsPath,
} from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { LEVELS } from '../../format/levels.ts';
import { decodeLevel, decodeTable } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import type { CheckedFile, LevelSummary, Release, WholeFile } from '../../format/release.ts';
import { releaseFromJson } from '../../format/release.ts';
import { decodingWords, type Words } from '../../format/words.ts';
import { Problem } from '../http/problem.ts';
import type { ByteRange, Client, Origin, Reads } from '../origin/origin.ts';
import { decodingNames, type LevelNames } from './level-names.ts';
import { type Clock, Loaded } from './loaded.ts';
import { SpatialIndex } from './spatial-index.ts';

/** Maximum size of a release.json: it lists the files of the source, of which there may be tens of thousands. */
const DESCRIPTION_MAX_BYTES = 16 * 1024 * 1024;
/** Bytes that are hashed in one turn of the event loop: about a millisecond. */
const HASHED_BYTES = 1024 * 1024;
/** Size of the listings that are kept for each geometry. */
const LISTINGS_MAX_BYTES = 4 * 1024 * 1024;
/** Other events are handled after this time of work, in milliseconds. */
const TURN_MS = 1;
/** A table that no request has used for this long is freed. */
const UNUSED_MS = 300_000;

/** A file of which ranges can be sent. */
export interface RangedFile {
  bytes: number;
  /** Entity tag without quotes. */
  tag: string;
  /** A range of it, as bodies/answer.ts describes bodies. */
  part(range: ByteRange): { bytes: number; read(reads: Reads, client: Client): Read | Promise<Read> };
}

type Read = Buffer | AsyncIterable<Buffer>;

/** The feature files of one geometry of a level. */
export class LoadedTable {
  readonly table: FeatureTable;
  readonly geometry: Geometry;
  /** Listings that were downloaded, by filters and format: a client that reads one in ranges asks again and again. */
  readonly listings = new LRUCache<string, RangedFile & { features: number }>({ maxSize: LISTINGS_MAX_BYTES });
  /** Bytes of its index.bin. */
  readonly #bytes: number;
  /** The folder of its release, relative to the origin. */
  readonly #folder: string;
  /** Paths of files that have been read, by number: look-ups of open files use the same text again. */
  readonly #paths: Readonly<Record<'features' | 'alone', string[]>> = { features: [], alone: [] };

  constructor(folder: string, table: FeatureTable, geometry: Geometry, bytes: number) {
    this.#folder = folder;
    this.table = table;
    this.geometry = geometry;
    this.#bytes = bytes;
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes + this.listings.calculatedSize;
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

/** A level whose index has been verified. */
export class LoadedLevel {
  readonly index: LevelIndex;
  readonly spatial: SpatialIndex;
  /** The folder of its release, relative to the origin. */
  readonly folder: string;
  readonly cursors: CursorWriter;
  readonly #full: LoadedTable;
  readonly #loadTable: LoadTable;
  /** Tables of the other geometries. */
  readonly #tables: Loaded<Geometry, LoadedTable>;
  readonly #loadWords: () => Promise<Words>;
  readonly #words: Loaded<'words', Words>;
  readonly #loadNames: () => Promise<LevelNames>;
  readonly #names: Loaded<'names', LevelNames>;

  constructor({ release, digest }: Description, index: LevelIndex, bytes: number, load: LoadParts, now: Clock) {
    this.folder = releasePath(release.release);
    this.index = index;
    this.spatial = new SpatialIndex(`${this.folder}/${cellsPath(index.level)}`, index, load.cells, now);
    this.cursors = new CursorWriter({ release: release.release, content: contentOf(digest), level: index.level });
    this.#full = new LoadedTable(this.folder, index, 'full', bytes);
    this.#loadTable = load.table;
    this.#tables = new Loaded(now);
    this.#loadWords = load.words;
    this.#words = new Loaded(now);
    this.#loadNames = load.names;
    this.#names = new Loaded(now);
  }

  /** Bytes of the tables in memory. */
  get bytes(): number {
    const loaded = [...this.#tables.entries(), ...this.#words.entries(), ...this.#names.entries()];
    return loaded.reduce((sum, [, { bytes }]) => sum + bytes, this.#full.bytes + this.spatial.bytes);
  }

  /** The feature files of a geometry; undefined if their table is not in memory. */
  get(geometry: Geometry): LoadedTable | undefined {
    return geometry === 'full' ? this.#full : this.#tables.get(geometry);
  }

  /** Brings the table of a geometry into memory. @throws OriginError, FormatError */
  async load(geometry: Geometry): Promise<LoadedTable> {
    return geometry === 'full' ? this.#full : this.#tables.load(geometry, () => this.#loadTable(geometry));
  }

  /** The words of its names; undefined if they are not in memory. */
  get words(): Words | undefined {
    return this.#words.get('words');
  }

  /** Brings the words into memory. @throws OriginError, FormatError */
  loadWords(): Promise<Words> {
    return this.#words.load('words', this.#loadWords);
  }

  /** What its units are called; undefined if it is not in memory. */
  get names(): LevelNames | undefined {
    return this.#names.get('names');
  }

  /** Brings the names into memory. @throws OriginError, FormatError */
  loadNames(): Promise<LevelNames> {
    return this.#names.load('names', this.#loadNames);
  }

  /** Frees the tables, words, names and cells that have not been used for long. */
  freeUnused(): void {
    this.#tables.freeUnused(UNUSED_MS);
    this.#words.freeUnused(UNUSED_MS);
    this.#names.freeUnused(UNUSED_MS);
    this.spatial.freeUnused(UNUSED_MS);
  }
}

/** Reads the table of a geometry besides the full one. */
type LoadTable = (geometry: Geometry) => Promise<LoadedTable>;

/** Reads what a level has besides its index. */
interface LoadParts {
  table: LoadTable;
  words: () => Promise<Words>;
  names: () => Promise<LevelNames>;
  cells: () => Promise<Cells>;
}

/** A release whose metadata has been loaded and verified. */
export interface LoadedRelease {
  id: string;
  /** SHA-256 of release.json in hex: two releases with the same one have the same bytes in every file. */
  digest: string;
  /** Its number: that of a later one is greater. */
  sequence: number;
  /** Its date, `YYYY-MM-DD`, to show with the data; undefined if it has none. */
  date: string | undefined;
  /** Decimals of its coordinates. */
  precision: number;
  /** Those that can be asked for, `full` among them. */
  geometries: readonly Geometry[];
  /** SPDX identifier or URL; undefined if it names none. */
  licence: string | undefined;
  /** Credits to show with the data. */
  attribution: readonly string[];
  /** What release.json says of each level. */
  summaries: readonly LevelSummary[];
  /** What it says of the overview. */
  overview: Release['overview'];
  /** A level; undefined if it is not in memory. */
  get(level: Level): LoadedLevel | undefined;
  /** Brings a level into memory. @throws OriginError, FormatError */
  load(level: Level): Promise<LoadedLevel>;
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
  const bytes = await origin.read(file, DESCRIPTION_MAX_BYTES);
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
  levels: Pick<LoadedRelease, 'get' | 'load' | 'freeUnused'>,
): LoadedRelease {
  const { release: id, sequence, date, precision, geometries, licence, attribution, overview } = release;
  const about = { id, digest, sequence, date, precision, geometries, licence, attribution, overview };
  return { ...about, summaries: release.levels, ...levels };
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
): Promise<LoadedLevel> {
  const { release, levels, precision } = description.release;
  const folder = releasePath(release);
  const summary = elementAt(levels, level);
  const files = { manifest: `${folder}/${manifestPath(level)}`, index: `${folder}/${indexPath(level)}` };
  const [manifest, bytes] = await Promise.all([
    readChecked(origin, files.manifest, summary.manifest),
    readChecked(origin, files.index, summary.index),
  ]);
  const text = manifest.toString('utf8');
  const expected = { release, level, features: summary.features };
  const index = decodeLevel({ manifest: text, index: bytes }, expected, files);
  const loadTable: LoadTable = async (geometry) => {
    const file = `${folder}/${indexPath(level, geometry)}`;
    const other = summary.geometries[geometry];
    if (other === undefined) throw new FormatError(files.manifest, `has no geometry ${geometry}`);
    const table = await readChecked(origin, file, other.index);
    const decoded = decodeTable({ manifest: text, table }, geometry, index, { ...files, table: file });
    return new LoadedTable(folder, decoded, geometry, table.length);
  };
  const loadWords = async (): Promise<Words> => {
    const file = `${folder}/${wordsPath(level)}`;
    return inTurns(decodingWords(await readChecked(origin, file, summary.words), summary.features, file));
  };
  const loadNames = async (): Promise<LevelNames> => {
    const file = `${folder}/${namesPath(level)}`;
    const zipped = await readChecked(origin, file, summary.names);
    return inTurns(decodingNames(await inflated(zipped, summary.names, file), index, file));
  };
  const loadCells = async (): Promise<Cells> => {
    if (summary.cells === undefined)
      throw new Problem('bad-parameter', 'contains is not possible: this release was built with --no-cells.');
    const file = `${folder}/${cellsPath(level)}`;
    const directory = await readChecked(origin, file, summary.cells.directory, true);
    return decodeCells(directory, file, { features: summary.features, precision, bytes: summary.cells.bytes });
  };
  const load = { table: loadTable, words: loadWords, names: loadNames, cells: loadCells };
  return new LoadedLevel(description, index, bytes.length, load, now);
}

/** Reads a whole file, or the beginning of one, and checks its SHA-256. */
async function readChecked(origin: Origin, path: string, file: CheckedFile, isBeginning = false): Promise<Buffer> {
  const { bytes, sha256 } = file;
  // The whole file, not a range: one that is longer than recorded is not this file.
  const content = await origin.read(path, isBeginning ? { offset: 0, length: bytes } : bytes);
  if (content.length < bytes) throw new FormatError(path, `${content.length} bytes, expected ${bytes}`);
  const digest = createHash('sha256');
  for (let at = 0; at < content.length; at += HASHED_BYTES) {
    // Other events are handled between the pieces of a large file.
    if (at > 0) await setImmediate();
    digest.update(content.subarray(at, at + HASHED_BYTES));
  }
  const got = digest.digest('hex');
  if (got !== sha256) throw new FormatError(path, `SHA-256 is ${got}, expected ${sha256}`);
  return content;
}

/** The text of a file whose bytes have been checked. @throws FormatError if it is no gzip member, or has another length */
async function inflated(zipped: Buffer, { textBytes }: WholeFile, file: string): Promise<Buffer> {
  const text = await promisify(gunzip)(zipped, { maxOutputLength: textBytes + 1 }).catch(() => undefined);
  if (text?.length !== textBytes) throw new FormatError(file, `is not ${textBytes} bytes of text`);
  return text;
}

/** Runs to the end, with other events between the turns. */
async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let began = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}
