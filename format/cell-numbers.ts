// The bytes of a cell as numbers, which are gone through without decoding: for points by cells.ts and proxy/points/, for
// boxes by box-cells.ts. Described in README.md, 'Cells'.
import { f64At } from './element-at.ts';
import type { Steps } from './steps.ts';

/** Where the number of units is: before it is the grid point, 0 and 0, from which the first point of a border is told. */
export const UNITS_AT = 2;

/** Where the borders begin among the numbers of a cell. */
export function bordersIn(numbers: Float64Array): number {
  return UNITS_AT + 1 + f64At(numbers, UNITS_AT);
}

/** How many numbers a cell may be, at most. */
export function roomOf(bytes: number): number {
  return 2 * bytes + UNITS_AT;
}

/** Numbers that are gone through in a step, if no border has more: some 100 microseconds. */
export const STEP_NUMBERS: number = 32 * 1024;

/**
 * A cell as numbers that are gone through without decoding: from `UNITS_AT` on how many units it has, and of each twice
 * its position, and one more if the corner is in it; then of each border how many units have it, which of those, counted
 * from 0, where the next border begins, and x and y of its points in turn, seen from the cell's grid point.
 * @param bytes that have been checked
 * @param into has room for them
 * @returns that part of it that has the numbers
 */
export function readCell(bytes: Uint8Array, into: Float64Array): Float64Array {
  const reader = new CellReader(bytes, into);
  reader.readBorders(Number.POSITIVE_INFINITY);
  return reader.numbers;
}

/** The same in steps: where very many borders meet, a cell may have millions of numbers. */
export function* readingCell(bytes: Uint8Array, into: Float64Array): Steps<Float64Array> {
  const reader = new CellReader(bytes, into);
  while (reader.readBorders(STEP_NUMBERS)) yield;
  return reader.numbers;
}

/** Reads a cell, its units first. */
class CellReader {
  readonly #reader: VarintReader;
  readonly #into: Float64Array;
  /** Where the next number is put. */
  #at: number;
  /** Where the last point of the last border is. */
  #last = 0;

  constructor(bytes: Uint8Array, into: Float64Array) {
    const reader = new VarintReader(bytes);
    const units = reader.next();
    into[0] = 0;
    into[1] = 0;
    into[UNITS_AT] = units;
    let at = UNITS_AT + 1;
    for (let position = 0; at <= UNITS_AT + units; at++) {
      const code = reader.next();
      position += Math.floor(code / 2);
      into[at] = 2 * position + (code % 2);
    }
    this.#reader = reader;
    this.#into = into;
    this.#at = at;
  }

  /** What has been read. */
  get numbers(): Float64Array {
    return this.#into.subarray(0, this.#at);
  }

  /** Reads borders until so many numbers have been read. @returns whether some are left */
  readBorders(most: number): boolean {
    const [reader, into] = [this.#reader, this.#into];
    let [at, last] = [this.#at, this.#last];
    for (const until = at + most; at < until && !reader.isAtEnd; ) {
      const code = reader.next();
      const sides = code % 4 === 0 ? reader.next() : code % 4;
      into[at++] = sides;
      for (const end = at + sides; at < end; at++) into[at] = reader.next();
      const points = Math.floor(code / 4) + 1;
      const next = at + 1 + 2 * points;
      into[at] = next;
      reader.readPoints(points, into, at + 1, last);
      last = next - 2;
      at = next;
    }
    this.#at = at;
    this.#last = last;
    return !reader.isAtEnd;
  }
}

/** Bits of the numbers that are read as integers of 32 bits, which is faster: a multiple of 7. */
const INTEGER_BITS = 28;

/** Reads numbers of 7 bits a byte, the lowest first; the highest bit of a byte says that more follow. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  /** Of the next byte. */
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  next(): number {
    // One after the other, not in a loop: most of what is read in a box are these numbers.
    const first = this.#nextByte();
    if (first < 128) return first;
    const second = this.#nextByte();
    let value = (first & 127) | ((second & 127) << 7);
    if (second < 128) return value;
    const third = this.#nextByte();
    value |= (third & 127) << 14;
    if (third < 128) return value;
    const fourth = this.#nextByte();
    value |= (fourth & 127) << 21;
    if (fourth < 128) return value;
    for (let factor = 2 ** INTEGER_BITS; ; factor *= 128) {
      const byte = this.#nextByte();
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  }

  /** 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ... */
  nextSigned(): number {
    const value = this.next();
    if (value < 2 ** INTEGER_BITS) return (value >>> 1) ^ -(value & 1);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /**
   * Reads points, each of which is given by how far it is from the one before, in one loop: that takes a third of the
   * time of `nextSigned` for each number.
   * @param into x and y in turn
   * @param at where the first one is put
   * @param before where the point before it is
   */
  readPoints(count: number, into: Float64Array, at: number, before = at - 2): void {
    const bytes = this.#bytes;
    let next = this.at;
    if (2 * count > bytes.length - next) throw new RangeError(`${count} points in ${bytes.length - next} bytes`);
    let [own, other] = [f64At(into, before), f64At(into, before + 1)];
    for (let i = at; i < at + 2 * count; i++) {
      const begin = next;
      let byte = bytes[next++] ?? 0;
      let value = byte & 127;
      for (let shift = 7; byte > 127 && shift < INTEGER_BITS; shift += 7) {
        byte = bytes[next++] ?? 0;
        value |= (byte & 127) << shift;
      }
      let step = (value >>> 1) ^ -(value & 1);
      if (byte > 127) {
        this.at = begin;
        step = this.nextSigned();
        next = this.at;
      }
      const moved = own + step;
      into[i] = moved;
      own = other;
      other = moved;
    }
    if (next > bytes.length) throw new RangeError(`byte ${next - 1} of ${bytes.length}`);
    this.at = next;
  }

  #nextByte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new RangeError(`byte ${this.at - 1} of ${this.#bytes.length}`);
    return byte;
  }
}
