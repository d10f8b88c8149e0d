// Writes polygons as text: for the writer of geometries, which reads them from the source, and for features that are put
// together of the rings that a build keeps (shapes/feature-texts.ts).
import { COMMA, NUMBER_BYTES, newText, reserve, type Text, writeAscii, writeByte, writeScaled } from './byte-writer.ts';
import type { Coordinates } from './coordinates.ts';

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

/** RFC 7946 section 3.1.6: exterior rings run counter-clockwise, interior ones clockwise. @param area signed */
export function isAgainstRightHandRule(area: number, isHole: boolean): boolean {
  return isHole ? area > 0 : area < 0;
}

/** Writes the geometry of one unit after another from its rings, each exterior one before its holes. */
export class PolygonsText {
  readonly #text = newText();
  readonly #scale: number;
  readonly #precision: number;
  #isMulti = false;
  #rings = 0;

  /** @param precision decimals of a degree */
  constructor(precision: number) {
    this.#scale = 10 ** precision;
    this.#precision = precision;
  }

  /** Begins a Polygon, or a MultiPolygon. */
  begin(isMulti: boolean): void {
    this.#text.length = 0;
    this.#isMulti = isMulti;
    this.#rings = 0;
    writeAscii(this.#text, `{"type":"${isMulti ? 'MultiPolygon' : 'Polygon'}","coordinates":${isMulti ? '[' : ''}`);
  }

  /** @param positions of a closed ring in scaled degrees; @param area signed, by which it is written backwards or not */
  ring(positions: Coordinates, isHole: boolean, area: number): void {
    writeAscii(this.#text, isHole ? ',' : this.#rings === 0 ? '[' : '],[');
    writePositions(this.#text, positions, isAgainstRightHandRule(area, isHole), this.#scale, this.#precision);
    this.#rings++;
  }

  /** @returns its bytes, valid until the next one begins */
  end(): Buffer {
    writeAscii(this.#text, this.#isMulti ? ']]}' : ']}');
    return this.#text.bytes.subarray(0, this.#text.length);
  }
}
