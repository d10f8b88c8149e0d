// The geometries `medium` and `low` of a level: simplified polygons of every unit, and their GeoJSON. Used in a child
// process, one level at a time, from the rings that were collected while the level was read.
import {
  COMMA,
  NUMBER_BYTES,
  newText,
  reserve,
  type Text,
  writeAscii,
  writeByte,
  writeScaled,
} from '../geojson/byte-writer.ts';
import type { OpenPolygon, OpenRing } from './assemble-polygons.ts';
import type { LevelRings } from './level-rings.ts';
import { limitOf, newSimplifier } from './simplify-level.ts';

/** A simplified geometry by its name in requests. */
export type SimplifiedName = 'medium' | 'low';

/** Decimals of the coordinates, and the tolerance in metres. */
const DETAIL: Readonly<Record<SimplifiedName, { decimals: number; tolerance: number }>> = {
  medium: { decimals: 4, tolerance: 100 },
  low: { decimals: 3, tolerance: 1000 },
};

/** The most by which the area of a ring that stays may change, as a share of it: small units remain recognisable. */
const CHANGE_MAX = 0.1;

/** The simplified units of a level. */
export interface SimplifiedUnits {
  /** Decimals of their coordinates. */
  decimals: number;
  /**
   * The polygons of the unit at a position, in whole units of the last decimal: rings that are not closed, exterior
   * ones counter-clockwise, holes clockwise. Empty if it has no polygon with an area: then its full geometry serves.
   */
  polygons(position: number): OpenPolygon[];
  /** Units that are not valid (OGC 06-103r4). */
  invalid: number;
}

/** Simplifies a level. */
export function simplifyUnits(rings: LevelRings, name: SimplifiedName): SimplifiedUnits {
  const { scale } = rings;
  const { tolerance } = DETAIL[name];
  const decimals = Math.min(DETAIL[name].decimals, Math.round(Math.log10(scale)));
  const perDegree = 10 ** decimals;
  const [right, top] = [180 * perDegree, 90 * perDegree];
  const grid = { cell: scale / perDegree, scale, left: -right, bottom: -top, right, top };
  const { polygons, mend } = newSimplifier([rings], grid, CHANGE_MAX)(limitOf(tolerance, grid));
  const invalid = mend(false);
  const moved = (ring: OpenRing): number[] => ring.map((place, i) => place - (i % 2 === 0 ? right : top));
  return {
    decimals,
    polygons: (position) => polygons(position).map((polygon) => polygon.map(moved)),
    invalid,
  };
}

/** Maximum bytes of a position, with brackets and commas. */
const POSITION_BYTES = 2 * NUMBER_BYTES + 4;

/** ASCII codes of the brackets of an array. */
const OPEN = 0x5b;
const CLOSE = 0x5d;

/**
 * Makes a function that writes polygons as a GeoJSON geometry, valid until the next one is written: a MultiPolygon if
 * there are several, or if `isMulti`.
 */
export function newPolygonWriter(decimals: number): (polygons: readonly OpenPolygon[], isMulti: boolean) => Buffer {
  const text = newText();
  const scale = 10 ** decimals;
  const position = (ring: OpenRing, i: number): void => {
    text.bytes[text.length++] = OPEN;
    writeScaled(text, ring[i] ?? NaN, scale, decimals);
    text.bytes[text.length++] = COMMA;
    writeScaled(text, ring[i + 1] ?? NaN, scale, decimals);
    text.bytes[text.length++] = CLOSE;
  };
  const writeRing = (ring: OpenRing): void => {
    reserve(text, (ring.length / 2 + 1) * POSITION_BYTES);
    for (let i = 0; i < ring.length; i += 2) {
      position(ring, i);
      text.bytes[text.length++] = COMMA;
    }
    position(ring, 0);
  };
  return (polygons, isMulti) => {
    const isSeveral = isMulti || polygons.length > 1;
    text.length = 0;
    writeAscii(text, `{"type":"${isSeveral ? 'MultiPolygon' : 'Polygon'}","coordinates":`);
    if (isSeveral) writeByte(text, OPEN);
    for (const [i, polygon] of polygons.entries()) {
      if (i > 0) writeByte(text, COMMA);
      writeArray(text, polygon, (ring) => writeArray(text, [ring], writeRing));
    }
    if (isSeveral) writeByte(text, CLOSE);
    writeAscii(text, '}');
    return text.bytes.subarray(0, text.length);
  };
}

function writeArray<Item>(text: Text, items: readonly Item[], write: (item: Item) => void): void {
  writeByte(text, OPEN);
  for (const [i, item] of items.entries()) {
    if (i > 0) writeByte(text, COMMA);
    write(item);
  }
  writeByte(text, CLOSE);
}
