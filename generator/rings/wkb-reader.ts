// Reads ISO WKB (OGC 06-103r4 section 8) for the geometry writer: types, counts and rounded positions.
import type { Coordinates } from './coordinates.ts';

/** A geometry that cannot be written. The message says what is wrong; the caller adds the feature. */
export class GeometryError extends Error {}

/** A position far beyond the range of longitudes and latitudes: the layer has no CRS, or a wrong one. */
export class NotDegrees extends GeometryError {}

/** Names of the types that have a GeoJSON form, by WKB type. */
export const GEOJSON_TYPES: Readonly<Record<number, string>> = {
  1: 'Point',
  2: 'LineString',
  3: 'Polygon',
  4: 'MultiPoint',
  5: 'MultiLineString',
  6: 'MultiPolygon',
  7: 'GeometryCollection',
};

/** Names of the types that have none. */
const OTHER_TYPES: Readonly<Record<number, string>> = {
  8: 'CircularString',
  9: 'CompoundCurve',
  10: 'CurvePolygon',
  11: 'MultiCurve',
  12: 'MultiSurface',
  13: 'Curve',
  14: 'Surface',
  15: 'PolyhedralSurface',
  16: 'TIN',
  17: 'Triangle',
};

const LITTLE_ENDIAN = 1;
const COUNT_BYTES = 4;
const DOUBLE_BYTES = 8;

/** Doubles per position, by the thousands of an ISO WKB type: XY, XYZ, XYM, XYZM. */
const DIMENSIONS = [2, 3, 3, 4];

/** The head of a WKB geometry. */
export interface WkbType {
  /** Without its dimensions: a key of GEOJSON_TYPES. */
  type: number;
  /** Doubles per position. */
  dimensions: number;
}

/** Reads a geometry from its first byte to its last. */
export class WkbReader {
  /** Has a position been read, of this geometry, beyond longitude ±180 or latitude ±90 before it was rounded? */
  outOfRange = false;
  readonly #scale: number;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;

  /** @param scale scaled units per degree */
  constructor(scale: number) {
    this.#scale = scale;
  }

  /** Begins a geometry. */
  open(wkb: Buffer): void {
    this.#view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
    this.#at = 0;
    this.outOfRange = false;
  }

  /** @throws GeometryError for a type without a GeoJSON form */
  readType(): WkbType {
    if (this.#view.getUint8(this.#at++) !== LITTLE_ENDIAN) throw new GeometryError('WKB is not little-endian');
    const iso = this.readCount();
    const type = iso % 1000;
    const dimensions = DIMENSIONS[Math.floor(iso / 1000)];
    if (dimensions === undefined || GEOJSON_TYPES[type] === undefined)
      throw unsupportedType(OTHER_TYPES[type] ?? `${iso} (WKB)`);
    return { type, dimensions };
  }

  /** The number of members, rings or positions that follow. */
  readCount(): number {
    const count = this.#view.getUint32(this.#at, true);
    this.#at += COUNT_BYTES;
    return count;
  }

  /** Does an empty point follow? WKB writes it as NaN. If so, it is read. */
  skipEmptyPoint(dimensions: number): boolean {
    if (!Number.isNaN(this.#view.getFloat64(this.#at, true))) return false;
    this.#at += dimensions * DOUBLE_BYTES;
    return true;
  }

  /**
   * Reads `count` positions, rounded to whole scaled degrees.
   * @throws GeometryError for positions that are not in degrees
   */
  readPositions(into: Coordinates, count: number, dimensions: number): void {
    const view = this.#view;
    const scale = this.#scale;
    const stride = dimensions * DOUBLE_BYTES;
    let at = this.#at;
    into.resize(count);
    for (let i = 0; i < count; i++) {
      const x = view.getFloat64(at, true);
      const y = view.getFloat64(at + DOUBLE_BYTES, true);
      // Not (a <= b) is also true of NaN.
      if (!(Math.abs(x) <= 180 && Math.abs(y) <= 90)) this.#checkOutOfRange(x, y);
      into.set(i, Math.round(x * scale), Math.round(y * scale));
      at += stride;
    }
    this.#at = at;
  }

  /** Accepts longitudes to ±360, and latitudes that round to at most ±90. */
  #checkOutOfRange(x: number, y: number): void {
    const scale = this.#scale;
    this.outOfRange = true;
    if (Math.abs(Math.round(y * scale)) <= 90 * scale && Math.abs(Math.round(x * scale)) <= 360 * scale) return;
    throw new NotDegrees(`[${x}, ${y}] is not a longitude and latitude in degrees`);
  }
}

/** The error for a type without a GeoJSON form. */
export function unsupportedType(name: string): GeometryError {
  return new GeometryError(`geometries of type ${name} have no GeoJSON form`);
}
