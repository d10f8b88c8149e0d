// Small pieces of open files that were read lately: cells and units that many ask for, without a call of the operating
// system. Like the lines of a processor's cache each has one place, and the memory is written in a circle: nothing is
// allocated or searched. Who gets a piece checks its bytes, wherever they come from.
import { f64At, i32At } from '../../format/element-at.ts';
import type { ByteRange } from './origin.ts';

const MEMORY_BYTES = 8 * 1024 * 1024;
/** Larger ranges are not kept: units with many vertices, runs of units. */
const PIECE_MAX_BYTES = 2 * 1024;
/** A power of two: as many as the memory has pieces of half a kilobyte. */
const PLACES = 16_384;
const PLACE_SHIFT = 32 - Math.log2(PLACES);

/** Pieces by number of their file and offset. */
export class RecentPieces {
  /** Made for the first piece. */
  #memory: Buffer | undefined;
  /** Bytes that have been written since the beginning, with what was left out at the end of the memory. */
  #written = 0;
  readonly #file = new Int32Array(PLACES);
  readonly #offset = new Float64Array(PLACES);
  readonly #length = new Int32Array(PLACES);
  /** `#written` before each piece. */
  readonly #begun = new Float64Array(PLACES);

  /** Copies a piece to `target` from `at` on; false if it is not kept. @param file its number, at least 1 */
  read(file: number, { offset, length }: ByteRange, target: Buffer, at: number): boolean {
    if (length > PIECE_MAX_BYTES) return false;
    const place = placeOf(file, offset);
    if (this.#file[place] !== file || this.#offset[place] !== offset || i32At(this.#length, place) !== length)
      return false;
    const begun = f64At(this.#begun, place);
    if (this.#memory === undefined || this.#written - begun > MEMORY_BYTES) return false;
    const from = begun % MEMORY_BYTES;
    this.#memory.copy(target, at, from, from + length);
    return true;
  }

  /** Keeps a copy of a piece, in the place of what was written longest ago. @param at where it is in `source` */
  keep(file: number, { offset, length }: ByteRange, source: Buffer, at: number): void {
    if (length > PIECE_MAX_BYTES) return;
    const left = MEMORY_BYTES - (this.#written % MEMORY_BYTES);
    if (left < length) this.#written += left;
    this.#memory ??= Buffer.allocUnsafeSlow(MEMORY_BYTES);
    source.copy(this.#memory, this.#written % MEMORY_BYTES, at, at + length);
    const place = placeOf(file, offset);
    this.#file[place] = file;
    this.#offset[place] = offset;
    this.#length[place] = length;
    this.#begun[place] = this.#written;
    this.#written += length;
  }
}

/** The place of a piece, from bits that are well mixed. */
function placeOf(file: number, offset: number): number {
  const mixed = Math.imul(offset ^ Math.imul(file, 0x9e3779b1), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> PLACE_SHIFT;
}
