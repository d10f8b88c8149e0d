// Bounding boxes (RFC 7946 section 5): of a unit that crosses the antimeridian, west is greater than east.
import { INDEX_SCALE } from '../../format/boxes.ts';
import { elementAt } from '../../format/element-at.ts';
import type { Coordinates } from './coordinates.ts';

/** `[west, south, east, north]` in scaled degrees (whole numbers), or in units of 1e-7 degrees as in an index. */
export type Box = [west: number, south: number, east: number, north: number];

/** The box of no position. */
export function newBox(): Box {
  return [Infinity, Infinity, -Infinity, -Infinity];
}

/** Makes a box hold a position. */
export function grow(box: Box, x: number, y: number): void {
  if (x < box[0]) box[0] = x;
  if (y < box[1]) box[1] = y;
  if (x > box[2]) box[2] = x;
  if (y > box[3]) box[3] = y;
}

/** The box of the positions of a point, line or ring. */
export function boxOf(positions: Coordinates): Box {
  const box = newBox();
  for (let i = 0; i < positions.count; i++) grow(box, positions.x(i), positions.y(i));
  return box;
}

/** Is a box within another one? */
export function holds(outer: Box, inner: Box): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}

/** Have two boxes a position in common? */
export function doOverlap(a: Box, b: Box): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * A box as the index of a level has it: in units of 1e-7 degrees, rounded outward; south > north without geometry.
 * @param scale scaled units per degree
 */
export function indexBox(box: Box | undefined, scale: number): Box {
  if (box === undefined) return [0, 1, 0, 0];
  const [west, south, east, north] = outward(box, scale, INDEX_SCALE);
  const within = (units: number): number => Math.min(Math.max(units, -INT32_MAX), INT32_MAX);
  return [within(west), within(south), within(east), within(north)];
}

/** A box in other units of a degree, rounded outward. */
export function outward([west, south, east, north]: Readonly<Box>, from: number, to: number): Box {
  const scaled = (value: number): number => (from > to ? value / (from / to) : value * (to / from));
  return [Math.floor(scaled(west)), Math.floor(scaled(south)), Math.ceil(scaled(east)), Math.ceil(scaled(north))];
}

/** The box of the unit at a position, in the array `box` of an index. */
export function indexBoxAt(boxes: Int32Array, position: number): Readonly<Box> {
  const [west = 0, south = 1, east = 0, north = 0] = boxes.subarray(4 * position, 4 * position + 4);
  return [west, south, east, north];
}

/** Collects the extents of a geometry's parts, in scaled degrees. */
export class Extent {
  /** West and east of every part. */
  readonly #spans: [west: number, east: number][] = [];
  #south = Infinity;
  #north = -Infinity;

  /** Adds a part: a point, a line or an exterior ring. */
  addPart(positions: Coordinates): void {
    const [west, south, east, north] = boxOf(positions);
    this.#spans.push([west, east]);
    this.#south = Math.min(this.#south, south);
    this.#north = Math.max(this.#north, north);
  }

  /**
   * The box around all parts. It crosses the antimeridian where parts touch it from both sides (section 3.1.9 cuts
   * geometries there), where a part reaches past it, or where the box across it is narrower than half the globe
   * (islands on either side, the Fiji of section 5.2); otherwise west is the least and east the greatest longitude.
   * @param scale scaled units per degree
   */
  box(scale: number): Box {
    const half = 180 * scale;
    const full = 360 * scale;
    const spans: [number, number][] = [];
    for (const [west, east] of this.#spans) {
      // A part that reaches past the antimeridian is taken as two, one on each side.
      if (east - west >= full) spans.push([-half, half]);
      else if (east > half && west < half) spans.push([west, half], [-half, east - full]);
      else if (west < -half && east > -half) spans.push([west + full, half], [-half, east]);
      else if (west >= half && east > half) spans.push([west - full, east - full]);
      else if (east <= -half && west < -half) spans.push([west + full, east + full]);
      else spans.push([west, east]);
    }
    spans.sort((a, b) => a[0] - b[0]);
    const [west] = elementAt(spans, 0);
    let east = west;
    // The widest range of longitudes between two parts that no part covers.
    let gap = { from: 0, to: 0 };
    for (const span of spans) {
      if (span[0] - east > gap.to - gap.from) gap = { from: east, to: span[0] };
      east = Math.max(east, span[1]);
    }
    const across = full - (gap.to - gap.from);
    const touches = west === -half && east === half;
    const crosses = across < east - west && (touches || across < half);
    return crosses ? [gap.to, this.#south, gap.from, this.#north] : [west, this.#south, east, this.#north];
  }
}
