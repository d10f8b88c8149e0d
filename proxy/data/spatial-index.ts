// Which features of a level are in a box, and which contain a point: from its index, and for a point from the directory
// of its cells and a few hundred bytes of cells.bin. Used by api/listing.ts for `bbox` and `contains`, by api/units.ts
// for `at`, by api/files.ts for the download of cells.
import { LRUCache } from 'lru-cache';
import { type Box, BoxIndex } from '../../format/boxes.ts';
import type { Cells } from '../../format/cells.ts';
import { type Point, pointAt } from '../../format/grid.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { FormatError } from '../../format/parse.ts';
import { type Positions, positionsOf } from '../../format/positions.ts';
import { type ByteRange, type Client, OriginError, type Reads } from '../origin/origin.ts';
import { type Clock, Loaded } from './loaded.ts';

/** Size of the matches of boxes that are kept for each level: clients that follow `next` ask for the same box again. */
const MATCHES_MAX_BYTES = 2 * 1024 * 1024;
/** Size of the cells that are kept for each level, of those that could not be read at once, as from a host. */
const CELLS_MAX_BYTES = 1024 * 1024;
/** Upper estimate of the size of an entry besides. */
const ENTRY_BYTES = 256;
/** First position and rank of a run of positions. */
const RUN_BYTES = 8;
const NOWHERE: readonly Positions[] = [];
const NO_UNITS: readonly number[] = [];

/** Where features are to be. */
export interface Places {
  /** Their bounding box touches this one. */
  bbox: Box | undefined;
  /** They contain this point. */
  contains: Point | undefined;
}

/** A point as it is asked for: plain decimals of degrees. */
export interface Degrees {
  longitude: string;
  latitude: string;
}

/** Where features of a release are to be. @throws RangeError if that is no point */
export function placesOf(
  release: { precision: number },
  { bbox, contains }: { bbox: Box | undefined; contains: Degrees | undefined },
): Places {
  return { bbox, contains: contains && pointOf(release, contains) };
}

/** A point, exactly. @throws RangeError if it is none */
export function pointOf({ precision }: { precision: number }, { longitude, latitude }: Degrees): Point {
  const point = pointAt(longitude, latitude, precision);
  if (point === undefined) throw new RangeError(`${longitude},${latitude} is no point`);
  return point;
}

/** The places of a level's features. */
export class SpatialIndex {
  /** Of cells.bin, relative to the origin. */
  readonly #path: string;
  readonly #box: Int32Array;
  /** Made for the first box: for 148,000 units it takes 10 ms. */
  #boxes: BoxIndex | undefined;
  readonly #loadCells: () => Promise<Cells>;
  /** Their directory. */
  readonly #cells: Loaded<'cells', Cells>;
  readonly #matches = new LRUCache<string, Positions>({ maxSize: MATCHES_MAX_BYTES });
  readonly #loaded = new LRUCache<number, Buffer>({ maxSize: CELLS_MAX_BYTES });
  /** Cells that are being read or wait for it, by principal: each waits for a turn of its own. */
  readonly #loading = new Map<string, Promise<void>>();

  /** @param loadCells reads the directory of the cells; rejects with a Problem if the release has none */
  constructor(path: string, { arrays: { box } }: LevelIndex, loadCells: () => Promise<Cells>, now: Clock) {
    this.#path = path;
    this.#box = box;
    this.#loadCells = loadCells;
    this.#cells = new Loaded(now);
  }

  /** Bytes that are kept. */
  get bytes(): number {
    const kept = this.#matches.calculatedSize + this.#loaded.calculatedSize + (this.#boxes?.bytes ?? 0);
    return this.#cells.entries().reduce((sum, [, { bytes }]) => sum + bytes, kept);
  }

  /** The directory of the cells, brought into memory. @throws OriginError, FormatError, Problem as `load` does */
  loadCells(): Promise<Cells> {
    return this.#cells.load('cells', this.#loadCells);
  }

  /** Frees the directory of the cells if it has not been used for so many milliseconds. */
  freeUnused(ms: number): void {
    this.#cells.freeUnused(ms);
  }

  /** The features at each place that is given; undefined if `load` must be called first. */
  at({ bbox, contains }: Places, reads: Reads): readonly Positions[] | undefined {
    const inBox = bbox === undefined ? NOWHERE : [this.#touching(bbox)];
    if (contains === undefined) return inBox;
    const units = this.unitsAt(contains, reads);
    return units && [...inBox, positionsOf(units.flatMap((unit) => [unit, unit + 1]))];
  }

  /**
   * The positions of the features that contain a point, ascending; undefined if `load` must be called first: their
   * bytes must be read later, or are not what they should be, which reading them later says.
   */
  unitsAt(point: Point, reads: Reads): readonly number[] | undefined {
    const cells = this.#cells.get('cells');
    if (cells === undefined) return undefined;
    const cell = cells.cellAt(point);
    const { from, to } = cells.rangeOf(cell);
    // Nothing is there, and no host can be asked for no bytes.
    if (from === to) return NO_UNITS;
    const known = this.#loaded.get(cell);
    const bytes = known ?? reads.buffer(to - from);
    const range = { offset: from, length: bytes.length };
    try {
      if (!known && !reads.now(this.#path, range, bytes, 0, true)) return undefined;
      return cells.unitsAt(point, cell, bytes, this.#path);
    } catch (error) {
      if (error instanceof OriginError || error instanceof FormatError) return undefined;
      throw error;
    }
  }

  /**
   * Brings into memory what `at` needs.
   * @param principal whose turn a read is; all its requests for the same share it
   * @throws OriginError, FormatError if stored bytes are missing or damaged
   * @throws Problem bad-parameter in a release without cells; overloaded if too much of the principal waits
   */
  async load({ contains }: Places, reads: Reads, principal: string): Promise<void> {
    if (contains === undefined) return;
    const cells = await this.loadCells();
    const cell = cells.cellAt(contains);
    const { from, to } = cells.rangeOf(cell);
    if (from === to) return;
    const key = `${cell} ${principal}`;
    const known = this.#loading.get(key);
    if (known !== undefined) return known;
    // Whether or not the request that asks first stays: others may wait for it, and it is soon done.
    const client = { principal, isClosed: false, exchange: undefined };
    const range = { offset: from, length: to - from };
    const loading = reads.later(client, () => this.#read(cells, cell, range, reads, client));
    this.#loading.set(key, loading);
    return loading.finally(() => this.#loading.delete(key));
  }

  #touching(box: Box): Positions {
    const key = `${box.west} ${box.south} ${box.east} ${box.north}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    this.#boxes ??= new BoxIndex(this.#box);
    const found = this.#boxes.touching(box);
    this.#matches.set(key, found, { size: RUN_BYTES * found.runs + ENTRY_BYTES });
    return found;
  }

  async #read(cells: Cells, cell: number, range: ByteRange, reads: Reads, client: Client): Promise<void> {
    // Another principal may have waited for the same.
    if (this.#loaded.has(cell)) return;
    const bytes = await reads.read(this.#path, range, client);
    if (!cells.hasBytes(cell, bytes)) throw reads.damaged(this.#path, `cell ${cell}`);
    this.#loaded.set(cell, bytes, { size: bytes.length + ENTRY_BYTES });
  }
}
