// Writes positions as GeoJSON coordinates (RFC 7946 section 3.1.1), for the geometry writer.
import { COMMA, NUMBER_BYTES, reserve, type Text, writeByte, writeScaled } from './byte-writer.ts';
import type { Positions } from './positions.ts';

/** ASCII codes of the brackets of an array. */
export const OPEN = 0x5b;
export const CLOSE = 0x5d;

/** Maximum bytes of a position, with the comma before it. */
const POSITION_BYTES = 2 * NUMBER_BYTES + 4;

/** Appends coordinates to a text. */
export class CoordinateWriter {
  readonly #text: Text;
  readonly #precision: number;
  readonly #scale: number;

  /** @param precision decimals of a degree */
  constructor(text: Text, precision: number) {
    this.#text = text;
    this.#precision = precision;
    this.#scale = 10 ** precision;
  }

  /** Writes the first position. */
  writePoint(positions: Positions): void {
    reserve(this.#text, POSITION_BYTES);
    this.#writePosition(positions, 0);
  }

  /** Writes all positions as an array, from last to first if `backwards`. */
  writePositions(positions: Positions, backwards: boolean): void {
    const text = this.#text;
    const { count } = positions;
    reserve(text, count * POSITION_BYTES);
    writeByte(text, OPEN);
    for (let i = 0; i < count; i++) {
      if (i > 0) text.bytes[text.length++] = COMMA;
      this.#writePosition(positions, backwards ? count - 1 - i : i);
    }
    writeByte(text, CLOSE);
  }

  /** The caller has reserved POSITION_BYTES. */
  #writePosition(positions: Positions, i: number): void {
    const text = this.#text;
    text.bytes[text.length++] = OPEN;
    writeScaled(text, positions.x(i), this.#scale, this.#precision);
    text.bytes[text.length++] = COMMA;
    writeScaled(text, positions.y(i), this.#scale, this.#precision);
    text.bytes[text.length++] = CLOSE;
  }
}
