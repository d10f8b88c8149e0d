// All that the tasks of a build leave for one another about a level: files in the work folder, each named here. A task
// that is sent to a child process has the path of the store.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { GEOMETRIES, type Geometry, type Level, levelName } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import { readSerialized, writeSerialized } from '../files/serialized-file.ts';
import type { RingSink } from '../rings/coordinates.ts';
import {
  createFullStore,
  createSideStore,
  openStore,
  readOffsets,
  readStoreIndex,
  type StoreReader,
  type StoreWriter,
  writeStoreIndex,
} from './feature-store.ts';
import { type NamedFid, type NameTable, readNameTable, writeNameTable } from './name-table.ts';
import { createRingStore, openRingStore, type RingStoreReader, type RingStoreWriter } from './ring-store.ts';
import { indexDigest, type StoreIndex } from './store-index.ts';

/**
 * Files that others read and write: notes, the records of the task whose first file has a number, the level's lines of
 * checksums.txt, its cells while parents are sought, the bytes of cells until those before them are known, the places of
 * labels, and tiles of a zoom until those of all are known.
 */
type OwnFile =
  | keyof LevelNotes
  | `records-${number}`
  | 'checksums'
  | 'cells'
  | 'cell-bodies'
  | 'labels'
  | `tiles-${number}`
  | `tiles-${number}-without-borders`;

/** What the units of a level are with a geometry. */
export interface GeometryCounts {
  /** Units that are not valid. */
  invalid: number;
  /** Positions of all rings. */
  positions: number;
  /** The positions of the units that are a cell of the grid, ascending: nothing was left of their rings. */
  cells: readonly number[];
}

/** Those of points and of features without geometry. */
const NO_COUNTS: GeometryCounts = { invalid: 0, positions: 0, cells: [] };

/** The units with polygons that are not valid, but have an area. */
export interface InvalidUnits {
  count: number;
  /** The position of the one that was read first; undefined if there is none. */
  example: number | undefined;
}

/** Where the units of a level were found, in the order in which they were read. */
export interface Origins {
  /** The layers, with the number of their units. */
  layers: readonly { name: string; features: number }[];
  /** The fids in the source, if the units have others. */
  fids: Float64Array | undefined;
}

/** Two units that have an area in common, by position, the lower one first. Plain data. */
export interface Overlap {
  units: readonly [number, number];
  km2: number;
}

/** The units of a level that overlap. Plain data. */
export interface Overlaps {
  /** How many pairs. */
  count: number;
  /** What all of them have in common. */
  km2: number;
  /** The pair with the most; undefined if there is none. */
  first: Overlap | undefined;
  /** The pairs with the most of units that have GIDs, as many as are named. */
  named: readonly Overlap[];
}

/** What tasks note of a level, by the name of the file. */
interface LevelNotes {
  /** The share of its edges that the next level has, too; null if nothing counts. */
  nesting: number | null;
  /** The units of the full geometry that are invalid. */
  'invalid-units': InvalidUnits;
  overlaps: Overlaps;
  origins: Origins;
}

/** The temporary files of a level. */
export class LevelStore {
  readonly path: string;

  /** @param path with which those of its files begin; at that of its index are the features as they are published */
  constructor(path: string) {
    this.path = path;
  }

  /** That of a level in a work folder. */
  static in(work: string, level: Level): LevelStore {
    return new LevelStore(join(work, levelName(level)));
  }

  /** Begins the features as they are published. @param columns names of the GID columns 0 .. level */
  createFeatures(columns: readonly string[]): StoreWriter {
    return createFullStore(this.path, this.#features('full'), columns);
  }

  /** Begins the features without geometry, which are complete, or the geometries of those with points. */
  createGeometry(geometry: 'none' | 'point'): ReturnType<typeof createSideStore> {
    return createSideStore(this.#features(geometry));
  }

  /** Begins the simplified polygons of all units, of which the features with a simplified geometry are made. */
  createShapes(geometry: Geometry): RingStoreWriter {
    return createRingStore(this.#features(geometry));
  }

  openShapes(geometry: Geometry): RingStoreReader {
    return openRingStore(this.#features(geometry));
  }

  /** Opens the long features with the full geometry and those without polygons, all without geometry, or the points. */
  openFeatures(geometry: 'full' | 'none' | 'point'): StoreReader {
    return openStore(this.#features(geometry));
  }

  /** The number of each feature in the store of the long ones and of those without polygons, by fid. */
  readKept(): ReadonlyMap<number, number> {
    return new Map(Array.from(readOffsets(this.#features('full')).fids, (fid, number) => [fid, number]));
  }

  /** Removes what the features are made of; the indexes stay, by which a shard is compared with the others. */
  removeFeatures(): void {
    for (const geometry of GEOMETRIES) rmSync(this.#features(geometry), { force: true });
  }

  /** Reads the index of the features. */
  readIndex(): StoreIndex {
    return readStoreIndex(this.path);
  }

  /** A SHA-256 in hex of the indexes of the features with each geometry, and of how many are invalid: of all texts. */
  digest(geometries: readonly Geometry[]): string {
    const full = this.readIndex();
    const hash = createHash('sha256').update(indexDigest(full));
    // A level without units has no others.
    for (const geometry of full.features === 0 ? [] : geometries)
      hash.update(`${indexDigest(readOffsets(this.#features(geometry)))} ${this.readCounts(geometry).invalid} `);
    return hash.digest('hex');
  }

  writeIndex(index: StoreIndex): void {
    writeStoreIndex(this.path, index);
  }

  createRings(): RingStoreWriter {
    return createRingStore(this.#rings());
  }

  /**
   * @param unit is called after the rings of each unit, in order of position
   * @param ranges the positions of the units; all if they are left out
   */
  readRings(sink: RingSink, unit: () => void, ranges?: Ranges): void {
    const rings = this.openRings();
    for (const _ of rings.read(sink, ranges)) unit();
    rings.close();
  }

  openRings(): RingStoreReader {
    return openRingStore(this.#rings());
  }

  removeRings(): void {
    rmSync(this.#rings());
  }

  readNames(): NameTable {
    return readNameTable(`${this.path}.names`);
  }

  writeNames(units: readonly NamedFid[]): void {
    writeNameTable(`${this.path}.names`, units);
  }

  /** Reads the plan of the level's files. */
  readPlan<Plan>(): Plan {
    return readSerialized(`${this.path}.plan`);
  }

  writePlan(plan: unknown): void {
    writeSerialized(`${this.path}.plan`, plan);
  }

  /** Reads what the units are with a geometry. */
  readCounts(geometry: Geometry): GeometryCounts {
    if (geometry === 'none' || geometry === 'point') return NO_COUNTS;
    return readSerialized(`${this.#features(geometry)}.counts`);
  }

  writeCounts(geometry: Geometry, counts: GeometryCounts): void {
    writeSerialized(`${this.#features(geometry)}.counts`, counts);
  }

  /** Reads what a task has noted of the level. */
  readNote<Name extends keyof LevelNotes>(name: Name): LevelNotes[Name] {
    return readSerialized(this.file(name));
  }

  writeNote<Name extends keyof LevelNotes>(name: Name, note: LevelNotes[Name]): void {
    writeSerialized(this.file(name), note);
  }

  /** Reads where the labels of its units are in tiles. */
  readLabels<Labels>(): Labels {
    return readSerialized(this.file('labels'));
  }

  writeLabels(labels: unknown): void {
    writeSerialized(this.file('labels'), labels);
  }

  file(name: OwnFile): string {
    return `${this.path}.${name}`;
  }

  #features(geometry: Geometry): string {
    return `${this.path}.${geometry}`;
  }

  #rings(): string {
    return `${this.path}.rings`;
  }
}
