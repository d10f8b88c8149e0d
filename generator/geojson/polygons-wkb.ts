// Writes polygons as little-endian WKB from the rings that a build keeps, with the range of their coordinates: the same
// doubles as in their text (polygons-text.ts).
import { type Box, grow, newBox } from '../rings/bbox.ts';
import type { Coordinates, RingSink } from '../rings/coordinates.ts';
import { newText, reserve } from './byte-writer.ts';
import { isAgainstRightHandRule } from './winding.ts';

/** A geometry as WKB. */
export interface WkbGeometry {
  wkb: Uint8Array;
  /** Its name in GeoJSON. */
  type: string;
  /** Least and greatest coordinates in degrees: also of a unit across 180 degrees west is not greater than east. */
  range: Readonly<Box>;
}

/** The types of WKB. */
const TYPES = { Polygon: 3, MultiPolygon: 6 } as const;
/** Byte order, type, number of members. */
const HEAD_BYTES = 9;
const COUNT_BYTES = 4;
const POSITION_BYTES = 16;

/** Writes the geometry of one unit after another from its rings, each exterior one before its holes. */
export class PolygonsWkb implements RingSink {
  readonly #scale: number;
  readonly #text = newText();
  #range = newBox();
  #polygons = 0;
  /** Where the head of the last polygon is. */
  #head = 0;
  /** Rings of the last polygon. */
  #rings = 0;

  /** @param precision decimals of a degree, whose whole numbers positions are */
  constructor(precision: number) {
    this.#scale = 10 ** precision;
  }

  /** Begins a unit. */
  begin(): void {
    // The head of a MultiPolygon is left out where there is none.
    this.#text.length = HEAD_BYTES;
    this.#range = newBox();
    this.#polygons = 0;
  }

  ring(positions: Coordinates, isHole: boolean, area: number): void {
    const { count } = positions;
    reserve(this.#text, HEAD_BYTES + COUNT_BYTES + POSITION_BYTES * count);
    if (!isHole) {
      this.#head = this.#text.length;
      this.#text.length += HEAD_BYTES;
      this.#polygons++;
      this.#rings = 0;
    }
    this.#writeHead(this.#head, TYPES.Polygon, ++this.#rings);
    const { bytes } = this.#text;
    let at = bytes.writeUInt32LE(count, this.#text.length);
    const isBackwards = isAgainstRightHandRule(area, isHole);
    for (let i = 0; i < count; i++) {
      const from = isBackwards ? count - 1 - i : i;
      const [x, y] = [this.#degrees(positions.x(from)), this.#degrees(positions.y(from))];
      grow(this.#range, x, y);
      at = bytes.writeDoubleLE(x, at);
      at = bytes.writeDoubleLE(y, at);
    }
    this.#text.length = at;
  }

  /** @returns a MultiPolygon if there are several polygons, or if `isMulti`; undefined if there is none */
  end(isMulti: boolean): WkbGeometry | undefined {
    if (this.#polygons === 0) return undefined;
    const type = isMulti || this.#polygons > 1 ? 'MultiPolygon' : 'Polygon';
    this.#writeHead(0, TYPES.MultiPolygon, this.#polygons);
    const { bytes, length } = this.#text;
    return { wkb: Buffer.from(bytes.subarray(type === 'Polygon' ? HEAD_BYTES : 0, length)), type, range: this.#range };
  }

  /** No -0: the text of a feature has none. */
  #degrees(scaled: number): number {
    return scaled / this.#scale + 0;
  }

  #writeHead(at: number, type: number, members: number): void {
    const { bytes } = this.#text;
    bytes[at] = 1;
    bytes.writeUInt32LE(type, at + 1);
    bytes.writeUInt32LE(members, at + 1 + COUNT_BYTES);
  }
}
