// Writes polygons as text: for the writer of geometries, which reads them from the source, and for features that are
// put together of the rings that a build keeps (simplify/feature-texts.ts).

import type { Coordinates } from '../rings/coordinates.ts';
import { COMMA, NUMBER_BYTES, newText, reserve, type Text, writeAscii, writeByte, writeScaled } from './byte-writer.ts';
import { isAgainstRightHandRule } from './winding.ts';

/** ASCII codes of the brackets of an array. */
export const OPEN = 0x5b;
export const CLOSE = 0x5d;

/** Maximum bytes of a position, with the comma before it. */
export const POSITION_BYTES = 2 * NUMBER_BYTES + 4;

/** Writes a position. POSITION_BYTES are reserved. @param scale 10^`precision` */
export function writePosition(text: Text, positions: Coordinates, i: number, scale: number, precision: number): void {
  text.bytes[text.length++] = OPEN;
  writeScaled(text, positions.x(i), scale, precision);
  text.bytes[text.length++] = COMMA;
  writeScaled(text, positions.y(i), scale, precision);
  text.bytes[text.length++] = CLOSE;
}

/** Writes all positions as an array, from last to first if `isBackwards`. */
export function writePositions(
  text: Text,
  positions: Coordinates,
  isBackwards: boolean,
  scale: number,
  precision: number,
): void {
  const { count } = positions;
  reserve(text, count * POSITION_BYTES);
  writeByte(text, OPEN);
  for (let i = 0; i < count; i++) {
    if (i > 0) text.bytes[text.length++] = COMMA;
    writePosition(text, positions, isBackwards ? count - 1 - i : i, scale, precision);
  }
  writeByte(text, CLOSE);
}

/** Writes the geometry of one unit after another from its rings, each exterior one before its holes. */
export class PolygonsText {
  /** How many the unit has. */
  polygons = 0;
  readonly #text = newText();
  readonly #scale: number;
  readonly #precision: number;

  /** @param precision decimals of a degree */
  constructor(precision: number) {
    this.#scale = 10 ** precision;
    this.#precision = precision;
  }

  /** Begins a unit. */
  begin(): void {
    this.#text.length = 0;
    this.polygons = 0;
  }

  /**
   * @param positions of a closed ring in scaled degrees
   * @param area signed, by which it is written backwards or not
   */
  ring(positions: Coordinates, isHole: boolean, area: number): void {
    if (isHole || this.polygons > 0) writeAscii(this.#text, isHole ? ',' : '],[');
    if (!isHole) this.polygons++;
    writePositions(this.#text, positions, isAgainstRightHandRule(area, isHole), this.#scale, this.#precision);
  }

  /**
   * @returns a MultiPolygon if there are several, or if `isMulti`, in pieces that are valid until the next unit begins
   */
  end(isMulti: boolean): readonly Buffer[] {
    const { head, tail } = isMulti || this.polygons > 1 ? AROUND.several : AROUND.one;
    return [head, this.#text.bytes.subarray(0, this.#text.length), tail];
  }
}

/** The text around polygons. */
const AROUND = {
  one: { head: Buffer.from('{"type":"Polygon","coordinates":['), tail: Buffer.from(']}') },
  several: { head: Buffer.from('{"type":"MultiPolygon","coordinates":[['), tail: Buffer.from(']]}') },
} as const;
