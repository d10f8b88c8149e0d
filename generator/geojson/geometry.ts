// Converts ISO WKB to the bytes of a GeoJSON geometry (RFC 7946) and its bounding box.
// The hot path of reading a dataset: coordinates never become strings or objects, and `?? 0` only satisfies the compiler,
// because every index is within what was read.
import type { Box } from './bbox.ts';
import { boxFrom, type Extent, newExtent } from './bbox.ts';
import { COMMA, NUMBER_BYTES, newText, reserve, type Text, writeAscii, writeScaled } from './byte-writer.ts';

/** A geometry that cannot be written. The message says what is wrong; the caller adds the feature. */
export class GeometryError extends Error {}

/** A written geometry. */
export interface Written {
  /** Its bytes, valid until the next geometry is written; undefined if it is empty. */
  json: Buffer | undefined;
  /** Its bounding box; undefined if `json` is. */
  box: Box | undefined;
  /** Number of rings without area at this precision. Rings of fewer than four positions are left out. */
  collapsed: number;
  /** Does the geometry have rings, none of them with an area? */
  isCollapsed: boolean;
}

/** Writes one geometry. */
export type GeometryWriter = (wkb: Buffer) => Written;

/** Maximum decimals: with more, scaled degrees of longitude exceed the 53 bits of a double. */
export const MAX_PRECISION = 12;

const OPEN = 0x5b;
const CLOSE = 0x5d;
const NAMES: Readonly<Record<number, string>> = {
  1: 'Point',
  2: 'LineString',
  3: 'Polygon',
  4: 'MultiPoint',
  5: 'MultiLineString',
  6: 'MultiPolygon',
  7: 'GeometryCollection',
};
const LINE = 2;
const POLYGON = 3;
const COLLECTION = 7;
const POSITION_BYTES = 2 * NUMBER_BYTES + 4;
const MIN_RING_POSITIONS = 4;

/**
 * Makes a writer. Coordinates are rounded to `precision` decimals of a degree; Z and M are left out; exterior rings run
 * counter-clockwise and interior ones clockwise (section 3.1.6); open rings are closed; empty parts are left out.
 * @param precision decimals, 0 to MAX_PRECISION
 * @returns a function that throws GeometryError for coordinates that are not WGS 84 positions and for types without a
 *   GeoJSON form
 */
export function newGeometryWriter(precision: number): GeometryWriter {
  const scale = 10 ** precision;
  const text: Text = newText();
  let ring = new Float64Array(1 << 12);
  let extent: Extent = newExtent();
  let collapsed = 0;
  let solid = 0;
  let wkb: Buffer = Buffer.alloc(0);
  let at = 0;

  function readUInt32(): number {
    const value = wkb.readUInt32LE(at);
    at += 4;
    return value;
  }

  /** Reads byte order and type; returns the flat type and the doubles per position. */
  function readType(): { type: number; dimensions: number } {
    if (wkb.readUInt8(at++) !== 1) throw new GeometryError('WKB is not little-endian');
    const iso = readUInt32();
    const type = iso % 1000;
    const dimensions = [2, 3, 3, 4][Math.floor(iso / 1000)];
    if (dimensions === undefined || NAMES[type] === undefined)
      throw new GeometryError(`WKB type ${iso} has no GeoJSON form`);
    return { type, dimensions };
  }

  /** Reads `count` positions into `ring`, rounded and scaled to whole numbers. */
  function readPositions(count: number, dimensions: number): void {
    if (ring.length < count * 2 + 2) ring = new Float64Array(count * 3);
    const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
    const stride = dimensions * 8;
    for (let i = 0; i < count * 2; i += 2) {
      const x = Math.round(view.getFloat64(at, true) * scale);
      const y = Math.round(view.getFloat64(at + 8, true) * scale);
      // Not (a <= b) is also true of NaN.
      if (!(Math.abs(y) <= 90 * scale && Math.abs(x) <= 360 * scale)) throw badPosition(view, at);
      ring[i] = x;
      ring[i + 1] = y;
      at += stride;
    }
  }

  function badPosition(view: DataView, offset: number): GeometryError {
    const position = `[${view.getFloat64(offset, true)}, ${view.getFloat64(offset + 8, true)}]`;
    return new GeometryError(
      `${position} is not a longitude and latitude in degrees; check the declared CRS of the layer`,
    );
  }

  function writePosition(i: number): void {
    text.bytes[text.length++] = OPEN;
    writeScaled(text, ring[i] ?? 0, scale, precision);
    text.bytes[text.length++] = COMMA;
    writeScaled(text, ring[i + 1] ?? 0, scale, precision);
    text.bytes[text.length++] = CLOSE;
  }

  /** Writes the first `count` positions of `ring` as an array, from last to first if `backwards`. */
  function writePositions(count: number, backwards: boolean): void {
    reserve(text, count * POSITION_BYTES + 2);
    text.bytes[text.length++] = OPEN;
    for (let i = 0; i < count; i++) {
      if (i > 0) text.bytes[text.length++] = COMMA;
      writePosition((backwards ? count - 1 - i : i) * 2);
    }
    text.bytes[text.length++] = CLOSE;
  }

  /** Twice the signed area of the ring in scaled degrees; positive if it runs counter-clockwise. */
  function signedArea(count: number): number {
    const x0 = ring[0] ?? 0;
    const y0 = ring[1] ?? 0;
    let area = 0;
    let x1 = 0;
    let y1 = 0;
    for (let i = 2; i < count * 2; i += 2) {
      const x2 = (ring[i] ?? 0) - x0;
      const y2 = (ring[i + 1] ?? 0) - y0;
      area += x1 * y2 - x2 * y1;
      x1 = x2;
      y1 = y2;
    }
    return area;
  }

  function closeRing(count: number): number {
    const last = (count - 1) * 2;
    if (ring[0] === ring[last] && ring[1] === ring[last + 1]) return count;
    ring[last + 2] = ring[0] ?? 0;
    ring[last + 3] = ring[1] ?? 0;
    return count + 1;
  }

  /** Writes a polygon's rings; returns false and writes nothing if it has no exterior ring. */
  function writePolygon(dimensions: number): boolean {
    const rings = readUInt32();
    const start = text.length;
    let written = 0;
    let exteriorLost = false;
    for (let i = 0; i < rings; i++) {
      const count = readUInt32();
      if (count === 0) {
        exteriorLost ||= i === 0;
        continue;
      }
      readPositions(count, dimensions);
      const closed = closeRing(count);
      const area = signedArea(closed);
      if (area === 0) collapsed++;
      else solid++;
      if (closed < MIN_RING_POSITIONS) {
        exteriorLost ||= i === 0;
        continue;
      }
      if (exteriorLost) continue;
      separate(written++);
      writePositions(closed, i === 0 ? area < 0 : area > 0);
      if (i === 0) extent.addPart(ring, closed);
    }
    if (written === 0) {
      text.length = start;
      return false;
    }
    closeArray();
    return true;
  }

  function separate(written: number): void {
    reserve(text, 1);
    text.bytes[text.length++] = written === 0 ? OPEN : COMMA;
  }

  function closeArray(): void {
    reserve(text, 1);
    text.bytes[text.length++] = CLOSE;
  }

  /** Writes one member of a multi-geometry, or the coordinates of a simple one; false if it is empty. */
  function writeCoordinates(type: number, dimensions: number): boolean {
    if (type === POLYGON) return writePolygon(dimensions);
    if (type === LINE) {
      const count = readUInt32();
      if (count === 0) return false;
      readPositions(count, dimensions);
      writePositions(count, false);
      extent.addPart(ring, count);
      return true;
    }
    // WKB writes an empty point as NaN.
    if (Number.isNaN(wkb.readDoubleLE(at))) {
      at += dimensions * 8;
      return false;
    }
    readPositions(1, dimensions);
    reserve(text, POSITION_BYTES);
    writePosition(0);
    extent.addPart(ring, 1);
    return true;
  }

  /** Writes a geometry object; returns false and writes nothing if it is empty. */
  function writeGeometry(): boolean {
    const { type, dimensions } = readType();
    const start = text.length;
    const member = type === COLLECTION ? 'geometries' : 'coordinates';
    writeAscii(text, `{"type":"${NAMES[type]}","${member}":`);
    const filled = type <= POLYGON ? writeCoordinates(type, dimensions) : writeMembers(type);
    if (!filled) {
      text.length = start;
      return false;
    }
    writeAscii(text, '}');
    return true;
  }

  function writeMembers(type: number): boolean {
    const members = readUInt32();
    let written = 0;
    for (let i = 0; i < members; i++) {
      const before = text.length;
      separate(written);
      const filled = type === COLLECTION ? writeGeometry() : writeMember();
      if (filled) written++;
      else text.length = before;
    }
    if (written > 0) closeArray();
    return written > 0;
  }

  function writeMember(): boolean {
    const { type, dimensions } = readType();
    return writeCoordinates(type, dimensions);
  }

  return (input) => {
    wkb = input;
    at = 0;
    text.length = 0;
    extent = newExtent();
    collapsed = 0;
    solid = 0;
    const written = writeGeometry() ? { json: text.bytes.subarray(0, text.length), box: boxFrom(extent, scale) } : {};
    return { json: undefined, box: undefined, ...written, collapsed, isCollapsed: collapsed > 0 && solid === 0 };
  };
}
