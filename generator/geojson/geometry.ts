// Converts ISO WKB to the bytes of a GeoJSON geometry (RFC 7946 section 3.1) and its bounding box, for the feature
// writer. The hot path of reading a dataset: coordinates never become strings or objects.
import { type Box, Extent } from '../rings/bbox.ts';
import { Coordinates, type RingSink, unrolled } from '../rings/coordinates.ts';
import { GEOJSON_TYPES, WkbReader } from '../rings/wkb-reader.ts';
import { COMMA, newText, reserve, type Text, writeAscii, writeByte } from './byte-writer.ts';
import { CLOSE, OPEN, POSITION_BYTES, writePosition, writePositions } from './polygons-text.ts';
import { isAgainstRightHandRule } from './winding.ts';

/** Properties of a geometry that a check of the data needs. */
export interface GeometryQuality {
  /** Has it no positions, so that nothing is written? */
  isEmpty: boolean;
  /** Is it a Polygon or a MultiPolygon? */
  isPolygonal: boolean;
  /** Is it a MultiPolygon? */
  isMulti: boolean;
  /** Number of rings without area at this precision. Rings of fewer than four positions are left out. */
  collapsed: number;
  /** Positions of the rings that are written, the first of each once. */
  ringPositions: number;
  /** Does it have rings, none of them with an area? */
  isCollapsed: boolean;
  /** Does it have a position beyond longitude ±180 or latitude ±90, before rounding? */
  outOfRange: boolean;
  /**
   * Does a ring cross the antimeridian by a segment from one side of the map to the other, instead of being cut there?
   */
  jumps: boolean;
}

/** A written geometry. */
export interface WrittenGeometry {
  /** Its bytes, valid until the next geometry is written; undefined if it is empty. */
  json: Buffer | undefined;
  /** Its bounding box; undefined if `json` is. */
  box: Box | undefined;
  quality: GeometryQuality;
}

/** Maximum decimals: with more, scaled degrees of longitude exceed the 53 bits of a double. */
export const MAX_PRECISION = 12;

const LINE = 2;
const POLYGON = 3;
const MULTI_POLYGON = 6;
const COLLECTION = 7;
const MIN_RING_POSITIONS = 4;

/**
 * Writes geometries one by one. Coordinates are rounded; Z and M are left out; exterior rings run counter-clockwise and
 * interior ones clockwise (section 3.1.6); open rings are closed; empty parts are left out, and of a ring with an area
 * positions that repeat the one before.
 */
export class GeometryWriter {
  readonly #precision: number;
  readonly #scale: number;
  readonly #wkb: WkbReader;
  readonly #text: Text = newText();
  readonly #positions = new Coordinates();
  /** The ring that was read last, with continuous longitudes. */
  #continuous = this.#positions;
  readonly #rings: RingSink | undefined;
  #extent = new Extent();
  #ringPositions = 0;
  #collapsed = 0;
  #solid = 0;
  #jumps = false;

  /**
   * @param precision decimals of a degree, 0 to MAX_PRECISION
   * @param rings receives the rings of all polygons that are written
   */
  constructor(precision: number, rings?: RingSink) {
    this.#precision = precision;
    this.#scale = 10 ** precision;
    this.#rings = rings;
    this.#wkb = new WkbReader(this.#scale);
  }

  /**
   * Writes one geometry.
   * @param wkb little-endian ISO WKB in WGS 84, longitude first; null for none
   * @throws GeometryError for coordinates that are not WGS 84 positions and for types without a GeoJSON form
   */
  write(wkb: Buffer | null): WrittenGeometry {
    this.#wkb.open(wkb ?? Buffer.alloc(0));
    this.#text.length = 0;
    this.#extent = new Extent();
    this.#ringPositions = 0;
    this.#collapsed = 0;
    this.#solid = 0;
    this.#jumps = false;
    const { type, isFilled } = wkb === null ? { type: 0, isFilled: false } : this.#writeGeometry();
    return {
      json: isFilled ? this.#text.bytes.subarray(0, this.#text.length) : undefined,
      box: isFilled ? this.#extent.box(this.#scale) : undefined,
      quality: {
        isEmpty: !isFilled,
        isPolygonal: type === POLYGON || type === MULTI_POLYGON,
        isMulti: type === MULTI_POLYGON,
        ringPositions: this.#ringPositions,
        collapsed: this.#collapsed,
        isCollapsed: this.#collapsed > 0 && this.#solid === 0,
        outOfRange: this.#wkb.outOfRange,
        jumps: this.#jumps,
      },
    };
  }

  /** Writes a geometry object, or nothing if it is empty. */
  #writeGeometry(): { type: number; isFilled: boolean } {
    const { type, dimensions } = this.#wkb.readType();
    const start = this.#text.length;
    const member = type === COLLECTION ? 'geometries' : 'coordinates';
    writeAscii(this.#text, `{"type":"${GEOJSON_TYPES[type]}","${member}":`);
    const isFilled = type <= POLYGON ? this.#writeCoordinates(type, dimensions) : this.#writeMembers(type);
    if (isFilled) writeAscii(this.#text, '}');
    else this.#text.length = start;
    return { type, isFilled };
  }

  /** Writes the members of a multi-geometry or collection; returns false if all are empty. */
  #writeMembers(type: number): boolean {
    const members = this.#wkb.readCount();
    let written = 0;
    for (let i = 0; i < members; i++) {
      const before = this.#text.length;
      writeByte(this.#text, written === 0 ? OPEN : COMMA);
      const isFilled = type === COLLECTION ? this.#writeGeometry().isFilled : this.#writeMember();
      if (isFilled) written++;
      else this.#text.length = before;
    }
    if (written > 0) writeByte(this.#text, CLOSE);
    return written > 0;
  }

  #writeMember(): boolean {
    const { type, dimensions } = this.#wkb.readType();
    return this.#writeCoordinates(type, dimensions);
  }

  /** Writes the coordinates of a member of a multi-geometry, or of a simple one; returns false if it is empty. */
  #writeCoordinates(type: number, dimensions: number): boolean {
    if (type === POLYGON) return this.#writePolygon(dimensions);
    if (type === LINE) return this.#writeLine(dimensions);
    return this.#writePoint(dimensions);
  }

  #writePoint(dimensions: number): boolean {
    if (this.#wkb.skipEmptyPoint(dimensions)) return false;
    this.#wkb.readPositions(this.#positions, 1, dimensions);
    reserve(this.#text, POSITION_BYTES);
    writePosition(this.#text, this.#positions, 0, this.#scale, this.#precision);
    this.#extent.addPart(this.#positions);
    return true;
  }

  #writeLine(dimensions: number): boolean {
    const count = this.#wkb.readCount();
    if (count === 0) return false;
    this.#wkb.readPositions(this.#positions, count, dimensions);
    writePositions(this.#text, this.#positions, false, this.#scale, this.#precision);
    this.#extent.addPart(this.#positions);
    return true;
  }

  /** Writes a polygon's rings; returns false and writes nothing if it has no exterior ring. */
  #writePolygon(dimensions: number): boolean {
    const rings = this.#wkb.readCount();
    const start = this.#text.length;
    let written = 0;
    let exteriorLost = false;
    for (let i = 0; i < rings; i++) {
      const area = this.#readRing(dimensions);
      if (this.#positions.count < MIN_RING_POSITIONS) {
        exteriorLost ||= i === 0;
        continue;
      }
      if (exteriorLost) continue;
      writeByte(this.#text, written++ === 0 ? OPEN : COMMA);
      const isBackwards = isAgainstRightHandRule(area, i > 0);
      writePositions(this.#text, this.#positions, isBackwards, this.#scale, this.#precision);
      this.#extent.addPart(this.#continuous);
      this.#ringPositions += this.#positions.count - 1;
      this.#rings?.ring(this.#positions, i > 0, area);
    }
    if (written > 0) writeByte(this.#text, CLOSE);
    else this.#text.length = start;
    return written > 0;
  }

  /** Reads a ring, closes and checks it; returns twice its signed area. */
  #readRing(dimensions: number): number {
    const ring = this.#positions;
    this.#wkb.readPositions(ring, this.#wkb.readCount(), dimensions);
    if (ring.count === 0) return 0;
    ring.close();
    const short = ring.jumps(this.#scale) ? unrolled(ring, 360 * this.#scale) : undefined;
    this.#jumps ||= short !== undefined;
    // A band around the globe has no area by the short way: it is taken as it lies.
    this.#continuous = short === undefined || short.signedArea() === 0 ? ring : short;
    const area = this.#continuous.signedArea();
    if (area === 0) this.#collapsed++;
    else {
      this.#solid++;
      // One without area may have nothing else.
      ring.dropRepeats();
    }
    return area;
  }
}
