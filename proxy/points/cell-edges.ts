// The edges of one cell, read once for all points in it: what `unitsAt` of format/cells.ts does for one point. Little
// is allocated for a cell and for a point. Used by look-up.ts.

import { VarintReader } from '../../format/cell-numbers.ts';
import { type Point, separates, type Way, wayTo } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';

/** Points, of which few are asked for exactly. */
export interface ExactPoints {
  /** The point with a number, seen from where its whole units are x and y. */
  exactly(number: number, x: number, y: number): Point;
}

/** What is kept of a chain: where its sides and its positions begin. */
const CHAIN_ITEMS = 2;

/** A cell: `read` its bytes, then ask `unitsAround`. */
export class CellEdges {
  /** The units that have an edge in the cell, or contain its corner. */
  #units = new Float64Array(0);
  #unitCount = 0;
  #atCorner = new Uint8Array(0);
  #isIn = new Uint8Array(0);
  /** Where each chain begins in the arrays below, and the last ends. */
  #chains = new Uint32Array(0);
  #chainCount = 0;
  /** The units that chains bound, as places in `#units`. */
  #sides = new Uint32Array(0);
  /** X and Y of their positions by turns. */
  #positions = new Float64Array(0);
  /** To the point that is looked up, once an edge needs it. */
  #way: Way | undefined;

  /** @throws FormatError if the bytes are not those of a cell @param where for the message */
  read(bytes: Uint8Array, where: string): void {
    try {
      this.#take(bytes, where);
    } catch (error) {
      throw error instanceof RangeError ? new FormatError(where, 'is cut short') : error;
    }
  }

  #take(bytes: Uint8Array, where: string): void {
    if (this.#units.length <= bytes.length) this.#makeRoom(2 * bytes.length + CHAIN_ITEMS);
    const reader = new VarintReader(bytes);
    this.#unitCount = reader.next();
    if (this.#unitCount > bytes.length) throw new FormatError(where, 'has units without bytes');
    let position = 0;
    for (let unit = 0; unit < this.#unitCount; unit++) {
      const code = reader.next();
      position += Math.floor(code / 2);
      this.#units[unit] = position;
      this.#atCorner[unit] = code % 2;
    }
    // Before the first position is the corner, from which it is told.
    this.#positions[0] = 0;
    this.#positions[1] = 0;
    let [side, end, chain] = [0, 2, 0];
    for (; !reader.isAtEnd; chain++) {
      const code = reader.next();
      const sides = code % 4 === 0 ? reader.next() : code % 4;
      this.#chains[CHAIN_ITEMS * chain] = side;
      this.#chains[CHAIN_ITEMS * chain + 1] = end;
      for (const last = side + sides; side < last; side++) this.#sides[side] = reader.next();
      const positions = Math.floor(code / 4) + 1;
      reader.readPoints(positions, this.#positions, end);
      end += 2 * positions;
    }
    this.#chains[CHAIN_ITEMS * chain] = side;
    this.#chains[CHAIN_ITEMS * chain + 1] = end;
    this.#chainCount = chain;
  }

  /**
   * The units that contain a point of the cell.
   * @param x,y whole units, rounded down, seen from the cell's south-western grid point
   * @param number of the point among `points`
   * @param found their positions are put here, as many as it has room for, ascending
   * @returns how many there are
   */
  unitsAround(x: number, y: number, number: number, points: ExactPoints, found: Int32Array): number {
    const isIn = this.#isIn;
    for (let unit = 0; unit < this.#unitCount; unit++) isIn[unit] = this.#atCorner[unit] ?? 0;
    this.#way = undefined;
    for (let chain = 0; chain < this.#chainCount; chain++) {
      const at = CHAIN_ITEMS * chain;
      const [from, to] = [this.#chains[at + 1] ?? 0, this.#chains[at + 1 + CHAIN_ITEMS] ?? 0];
      if (!this.#separates(from, to, x, y, number, points)) continue;
      const last = this.#chains[at + CHAIN_ITEMS] ?? 0;
      for (let side = this.#chains[at] ?? 0; side < last; side++) {
        const unit = this.#sides[side] ?? 0;
        isIn[unit] = 1 - (isIn[unit] ?? 0);
      }
    }
    let count = 0;
    for (let unit = 0; unit < this.#unitCount; unit++) if (isIn[unit] === 1) found[count++] = this.#units[unit] ?? 0;
    return count;
  }

  /** Do the positions of a chain, together, change sides on the way from the cell's corner to the point? */
  #separates(from: number, to: number, x: number, y: number, number: number, points: ExactPoints): boolean {
    const positions = this.#positions;
    let isOther = false;
    let x1 = positions[from] ?? 0;
    let y1 = positions[from + 1] ?? 0;
    for (let at = from + 2; at < to; at += 2) {
      const x2 = positions[at] ?? 0;
      const y2 = positions[at + 1] ?? 0;
      const isBesideCorner = x1 < 0 === x2 < 0;
      if (isBesideCorner && y1 > y !== y2 > y && x1 >= 0 && x1 < x && x2 < x) {
        // The way crosses it, between the corner's meridian and the point.
        isOther = !isOther;
      } else if (!isBesideCorner || (y1 > y !== y2 > y && x1 >= 0 && (x1 <= x || x2 <= x))) {
        // It may be on either side of the point, or of the corner.
        this.#way ??= wayTo(points.exactly(number, x, y));
        if (separates(x1, y1, x2, y2, this.#way)) isOther = !isOther;
      }
      x1 = x2;
      y1 = y2;
    }
    return isOther;
  }

  #makeRoom(numbers: number): void {
    this.#units = new Float64Array(numbers);
    this.#atCorner = new Uint8Array(numbers);
    this.#isIn = new Uint8Array(numbers);
    this.#chains = new Uint32Array(CHAIN_ITEMS * numbers);
    this.#sides = new Uint32Array(numbers);
    this.#positions = new Float64Array(numbers);
  }
}
