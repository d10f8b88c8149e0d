// Cells of a level that were read lately, as numbers: what the boxes and points of many meet is read, checked and decoded
// once. The memory is written in a circle: nothing is allocated for a cell, but for one that is larger than the memory
// for all.
import { readCell, readingCell, roomOf } from '../../../format/cell-numbers.ts';
import { f64At, i32At } from '../../../format/element-at.ts';
import { Loaded } from '../../data/loaded.ts';
import { inTurns } from '../../work/in-turns.ts';

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
  /** Cells that are larger than the memory, of which the last one is kept, whatever its size. */
  readonly #large = new Loaded<number, Float64Array>(() => performance.now());

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
    const large = this.#large.entries().reduce((sum, [, { byteLength }]) => sum + byteLength, 0);
    const kept = BYTES_PER_ELEMENT * Math.min(this.#written, this.#size) + large;
    return kept + this.#begun.byteLength + this.#length.byteLength;
  }

  /** May a cell with so many bytes be larger than the memory? Then it is had by `large`. */
  isLarge(bytes: number): boolean {
    return roomOf(bytes) > this.#size;
  }

  /** The numbers of a cell, until the next one is read; undefined if it is not kept. */
  get(cell: number): Float64Array | undefined {
    const begun = f64At(this.#begun, cell);
    if (this.#memory === undefined || this.#written - begun > this.#size) return undefined;
    const from = begun % this.#size;
    return this.#memory.subarray(from, from + i32At(this.#length, cell));
  }

  /**
   * Reads a cell that is not large, and keeps it in the place of what was read longest ago.
   * @param bytes that have been checked
   * @returns its numbers, until the next one is read
   */
  read(cell: number, bytes: Uint8Array): Float64Array {
    const room = roomOf(bytes.length);
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

  /** The numbers of a large cell, if they are kept. */
  large(cell: number): Float64Array | undefined {
    return this.#large.get(cell);
  }

  /** Reads a large cell in turns, once for all who ask, and keeps it in the place of the one before. */
  loadLarge(cell: number, bytes: Uint8Array): Promise<Float64Array> {
    return this.#large.load(cell, async () => {
      const numbers = await inTurns(readingCell(bytes, new Float64Array(roomOf(bytes.length))));
      for (const [other] of this.#large.entries()) this.#large.free(other);
      return numbers;
    });
  }
}
