// The edges of one cell, read once for all points in it: what `unitsAt` of format/cells.ts does for one point. Little
// is allocated for a cell and for a point.

import { readCell, roomOf, UNITS_AT } from '../../format/cell-numbers.ts';
import { type Point, separates, type Way, wayTo } from '../../format/grid.ts';
import { FormatError } from '../../format/parse.ts';

/** Points, of which few are asked for exactly. */
export interface ExactPoints {
  /** The point with a number, seen from where its whole units are x and y. */
  exactly(number: number, x: number, y: number): Point;
}

/** A cell: `read` its bytes, then ask `unitsAround`. */
export class CellEdges {
  /** Room for the numbers of a cell. */
  #memory = new Float64Array(0);
  /** Of the cell, as `readCell` has them. */
  #numbers: Float64Array = this.#memory;
  /** For each unit of the cell: is the point in it? */
  #isIn = new Uint8Array(0);
  /** To the point that is looked up, once an edge needs it. */
  #way: Way | undefined;

  /** @throws FormatError if the bytes are not those of a cell @param where for the message */
  read(bytes: Uint8Array, where: string): void {
    const room = roomOf(bytes.length);
    if (this.#memory.length < room) {
      this.#memory = new Float64Array(2 * room);
      this.#isIn = new Uint8Array(2 * room);
    }
    try {
      this.#numbers = readCell(bytes, this.#memory);
    } catch (error) {
      throw error instanceof RangeError ? new FormatError(where, 'is cut short') : error;
    }
  }

  /**
   * The units that contain a point of the cell.
   * @param x,y whole units, rounded down, seen from the cell's south-western grid point
   * @param number of the point among `points`
   * @param found their positions are put here, as many as it has room for, ascending
   * @returns how many there are
   */
  unitsAround(x: number, y: number, number: number, points: ExactPoints, found: Int32Array): number {
    const [numbers, isIn] = [this.#numbers, this.#isIn];
    const first = UNITS_AT + 1;
    const units = numbers[UNITS_AT] ?? 0;
    for (let unit = 0; unit < units; unit++) isIn[unit] = (numbers[first + unit] ?? 0) & 1;
    this.#way = undefined;
    for (let chain = first + units; chain < numbers.length; ) {
      const last = chain + 1 + (numbers[chain] ?? 0);
      const next = numbers[last] ?? 0;
      if (this.#separates(last + 1, next, x, y, number, points))
        for (let side = chain + 1; side < last; side++) {
          const unit = numbers[side] ?? 0;
          isIn[unit] = 1 - (isIn[unit] ?? 0);
        }
      chain = next;
    }
    let count = 0;
    for (let unit = 0; unit < units; unit++) if (isIn[unit] === 1) found[count++] = (numbers[first + unit] ?? 0) >>> 1;
    return count;
  }

  /** Do the positions of a chain, together, change sides on the way from the cell's corner to the point? */
  #separates(from: number, to: number, x: number, y: number, number: number, points: ExactPoints): boolean {
    const positions = this.#numbers;
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
}
