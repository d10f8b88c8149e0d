// Cells of a level that were read lately, as numbers: what the boxes and points of many meet is read, checked and decoded
// once. The memory is written in a circle: nothing is allocated for a cell. Used by features/places/.
import { readCell, roomOf } from '../../format/cell-numbers.ts';
import { f64At, i32At } from '../../format/element-at.ts';

/** Numbers that are kept for each level, of 8 bytes: 4 MiB. */
const KEPT_MAX = 512 * 1024;

/** The cells of a level. */
export class KeptCells {
  /** In numbers. */
  readonly #size: number;
  /** Made for the first cell. */
  #memory: Float64Array | undefined;
  /** Numbers that have been written since the beginning, with what was left out at the end of the memory. */
  #written = 0;
  /** `#written` before each cell, and how many numbers it has. */
  readonly #begun: Float64Array;
  readonly #length: Int32Array;

  /**
   * @param cells of the level
   * @param bytes of all of them
   * @param max numbers that are kept
   */
  constructor(cells: number, bytes: number, max = KEPT_MAX) {
    this.#size = Math.min(max, roomOf(bytes));
    this.#begun = new Float64Array(cells).fill(Number.NEGATIVE_INFINITY);
    this.#length = new Int32Array(cells);
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { BYTES_PER_ELEMENT } = Float64Array;
    return BYTES_PER_ELEMENT * Math.min(this.#written, this.#size) + this.#begun.byteLength + this.#length.byteLength;
  }

  /** The numbers of a cell, until the next one is read; undefined if it is not kept. */
  get(cell: number): Float64Array | undefined {
    const begun = f64At(this.#begun, cell);
    if (this.#memory === undefined || this.#written - begun > this.#size) return undefined;
    const from = begun % this.#size;
    return this.#memory.subarray(from, from + i32At(this.#length, cell));
  }

  /**
   * Reads a cell, and keeps it in the place of what was read longest ago.
   * @param bytes that have been checked
   * @returns its numbers, until the next one is read
   */
  read(cell: number, bytes: Uint8Array): Float64Array {
    const room = roomOf(bytes.length);
    if (room > this.#size) return readCell(bytes, new Float64Array(room));
    const left = this.#size - (this.#written % this.#size);
    if (left < room) this.#written += left;
    this.#memory ??= new Float64Array(this.#size);
    const begun = this.#written;
    // What is there now is gone, also if the bytes are no cell.
    this.#written += room;
    const numbers = readCell(bytes, this.#memory.subarray(begun % this.#size));
    this.#begun[cell] = begun;
    this.#length[cell] = numbers.length;
    this.#written = begun + numbers.length;
    return numbers;
  }
}
