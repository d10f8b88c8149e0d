// Looks many points up: sorted along the cells, so that the bytes of a cell are gone through once for all points in it.
import { f64At, u32At } from '../../format/element-at.ts';
import { gridOf, gridPointOf, keyOf, type Point, pointAt, pointFrom } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';
import { CellEdges, type ExactPoints } from './cell-edges.ts';
import type { LevelUnits } from './level-units.ts';

/** No unit is at a point. */
export const NOWHERE = -1;
/** A fraction of so many digits is exact as a double. Points with more are kept as they are. */
const EXACT_DIGITS = 15;
/** Units of a level at one point that are told apart; of more it is known that they are several. */
const FOUND_MAX = 1024;

/** What was found in a level. */
export interface Found {
  /** For each row the position of the first unit by fid at its point, or `NOWHERE`. Valid until the next chunk. */
  first: Int32Array;
  /** The rows whose point is in several units. */
  several: readonly number[];
}

/** The points of a chunk of rows: arrays of numbers, which the collector of garbage need not follow. */
export class PointChunk implements ExactPoints {
  readonly #precision: number;
  readonly #finest: number;
  /** How many rows have been added, with or without a point. */
  #rows = 0;
  /** The rows that have a point: in the order of their keys, once sorted. */
  readonly #order: Uint32Array;
  #count = 0;
  /** Of each row: its key, whole units, and fractions of a unit with their number of digits. */
  readonly #key: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #fractionX: Float64Array;
  readonly #fractionY: Float64Array;
  readonly #digits: Uint8Array;
  /** Points whose fractions are too long for that, by row. */
  readonly #long = new Map<number, Point>();
  readonly #edges = new CellEdges();
  readonly #units = new Int32Array(FOUND_MAX);

  /** @param capacity most rows @param precision decimals of the release's coordinates */
  constructor(capacity: number, precision: number) {
    this.#precision = precision;
    this.#finest = gridOf(precision).finest;
    this.#order = new Uint32Array(capacity);
    this.#key = new Float64Array(capacity);
    this.#x = new Float64Array(capacity);
    this.#y = new Float64Array(capacity);
    this.#fractionX = new Float64Array(capacity);
    this.#fractionY = new Float64Array(capacity);
    this.#digits = new Uint8Array(capacity);
  }

  /** Adds a row. @returns is it a point, as the service takes it? */
  add(longitude: string, latitude: string): boolean {
    const row = this.#rows++;
    const point = pointAt(longitude, latitude, this.#precision);
    if (point === undefined) return false;
    this.#order[this.#count++] = row;
    this.#key[row] = keyOf(point, this.#finest);
    this.#x[row] = point.x;
    this.#y[row] = point.y;
    const digits = String(point.parts).length - 1;
    if (digits > EXACT_DIGITS) this.#long.set(row, point);
    else {
      this.#fractionX[row] = Number(point.fractionX);
      this.#fractionY[row] = Number(point.fractionY);
      this.#digits[row] = digits;
    }
    return true;
  }

  /** The rows that have a point, in the order of their cells, after all have been added. */
  sort(): Uint32Array {
    const key = this.#key;
    return this.#order.subarray(0, this.#count).sort((a, b) => f64At(key, a) - f64At(key, b));
  }

  clear(): void {
    this.#rows = 0;
    this.#count = 0;
    this.#long.clear();
  }

  /**
   * Looks the points up in a level, after `sort`.
   * @param first is filled, as `Found` has it
   * @throws FormatError if a cell is damaged
   */
  lookUp({ cells: file }: LevelUnits, first: Int32Array): Found {
    const several: number[] = [];
    first.fill(NOWHERE);
    if (file === undefined) return { first, several };
    const { cells } = file;
    const order = this.#order;
    for (let begin = 0, end = 0; begin < this.#count; begin = end) {
      const { cell, next } = file.cellOf(f64At(this.#key, u32At(order, begin)));
      for (end = begin + 1; end < this.#count && f64At(this.#key, u32At(order, end)) < next; ) end++;
      const bytes = file.bytesOf(cell);
      if (bytes.length === 0) continue;
      if (!cells.hasBytes(cell, bytes)) throw new FormatError(file.name, `cell ${cell} is damaged`);
      this.#edges.read(bytes, `${file.name}: cell ${cell}`);
      const { x: west, y: south } = gridPointOf(f64At(cells.arrays.key, cell), this.#finest);
      for (let at = begin; at < end; at++) {
        const row = u32At(order, at);
        const [x, y] = [f64At(this.#x, row) - west, f64At(this.#y, row) - south];
        const count = this.#edges.unitsAround(x, y, row, this, this.#units);
        const unit = this.#units[0] ?? NOWHERE;
        if (count > 0 && (unit < 0 || unit >= cells.features))
          throw new FormatError(file.name, `cell ${cell} has a unit that is not there`);
        if (count > 0) first[row] = unit;
        if (count > 1) several.push(row);
      }
    }
    return { first, several };
  }

  /** The point of a row, seen from where its whole units are x and y. */
  exactly(row: number, x: number, y: number): Point {
    const long = this.#long.get(row);
    if (long !== undefined) return pointFrom(x, y, long.fractionX, long.fractionY, long.parts);
    const parts = 10n ** BigInt(this.#digits[row] ?? 0);
    return pointFrom(x, y, BigInt(f64At(this.#fractionX, row)), BigInt(f64At(this.#fractionY, row)), parts);
  }
}
