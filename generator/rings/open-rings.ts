// The rings of single units as lists of numbers, where rings are taken apart and made anew; those of whole levels are in
// flat arrays (topology/level-rings.ts).
import { elementAt, numberAt } from '../../format/element-at.ts';
import { type Box, grow, newBox } from './bbox.ts';
import type { Coordinates, RingSink } from './coordinates.ts';
import { turn } from './predicates.ts';

/** A ring that is not closed: x and y, one after the other. Exterior rings run counter-clockwise, holes clockwise. */
export type OpenRing = readonly number[];

/** A polygon: its exterior ring and its holes. */
export type OpenPolygon = OpenRing[];

/** Gathers rings into polygons: each exterior one comes before its holes. */
export class OpenPolygons implements RingSink {
  #polygons: OpenPolygon[] = [];

  add(ring: OpenRing, isHole: boolean): void {
    if (isHole) this.#polygons.at(-1)?.push(ring);
    else this.#polygons.push([ring]);
  }

  ring(positions: Coordinates, isHole: boolean): void {
    const ring: number[] = [];
    for (let i = 0; i < positions.count - 1; i++) ring.push(positions.x(i), positions.y(i));
    this.add(ring, isHole);
  }

  /** The polygons since the last call. */
  take(): OpenPolygon[] {
    const polygons = this.#polygons;
    this.#polygons = [];
    return polygons;
  }
}

/** Calls a function with each edge of a ring. */
export function eachEdge(ring: OpenRing, use: (x1: number, y1: number, x2: number, y2: number) => void): void {
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    use(numberAt(ring, i), numberAt(ring, i + 1), numberAt(ring, next), numberAt(ring, next + 1));
  }
}

/** Twice the area of a ring, which may be empty; negative if it runs clockwise. */
export function doubledArea(ring: OpenRing): number {
  if (ring.length === 0) return 0;
  const [x0, y0] = [numberAt(ring, 0), numberAt(ring, 1)];
  let area = 0;
  for (let i = 2; i + 3 < ring.length; i += 2)
    area += turn(x0, y0, numberAt(ring, i), numberAt(ring, i + 1), numberAt(ring, i + 2), numberAt(ring, i + 3));
  return area;
}

/** The box of a ring. */
export function boxOfOpen(ring: OpenRing): Box {
  const box = newBox();
  for (let i = 0; i < ring.length; i += 2) grow(box, numberAt(ring, i), numberAt(ring, i + 1));
  return box;
}

/** The positions of a ring as GeoJSON and TopoJSON have them, the first one also at the end. */
export function closedRing(ring: OpenRing): [x: number, y: number][] {
  const closed: [number, number][] = [];
  for (let i = 0; i < ring.length; i += 2) closed.push([numberAt(ring, i), numberAt(ring, i + 1)]);
  closed.push(elementAt(closed, 0));
  return closed;
}

/** A position as one number: exact, as places on a grid are below 2^25. */
export function keyOf(x: number, y: number): number {
  return x * 2 ** 26 + y;
}
