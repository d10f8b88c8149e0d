// Polygons that cross the antimeridian by a jump from one side of the map to the other or reach past it, cut there for
// simplified geometries: each part lies between -180 and 180 degrees (RFC 7946 section 3.1.9). A ring around a pole is
// closed by way of the pole.
import { type Box, boxOf } from '../rings/bbox.ts';
import { Coordinates, unrolled } from '../rings/coordinates.ts';

/** A ring of a part of a polygon; its holes follow an exterior ring. */
export interface CutRing {
  ring: Coordinates;
  isHole: boolean;
}

/** Takes the rings of one polygon at a time: the exterior one, then its holes. */
export interface CutRings {
  /** Has an exterior ring been taken since the last end? */
  isOpen(): boolean;
  /** @param jumps does this ring jump itself? */
  add(positions: Coordinates, isHole: boolean, jumps: boolean): void;
  /** Ends the polygon. */
  end(): CutRing[];
}

/** @param full 360 degrees in scaled degrees */
export function newCutRings(full: number): CutRings {
  let whole: Box | undefined;
  /** By number of turns east of the map. */
  const parts = new Map<number, CutRing[]>();
  return {
    isOpen: () => whole !== undefined,
    add(positions, isHole, jumps) {
      const ring = jumps ? unrolled(positions, full) : copyOf(positions);
      const box = boxOf(ring);
      if (whole === undefined || !isHole) whole = box;
      else shift(ring, full * Math.round((whole[0] + whole[2] - box[0] - box[2]) / 2 / full));
      for (const [turn, part] of strips(ring, full)) {
        const known = parts.get(turn);
        if (known !== undefined) known.push({ ring: part, isHole });
        else if (!isHole) parts.set(turn, [{ ring: part, isHole }]);
      }
    },
    end() {
      const rings = [...parts.values()].flat();
      parts.clear();
      whole = undefined;
      return rings;
    },
  };
}

/** The parts of a ring, each on the map. @param full 360 degrees in scaled degrees */
export function partsOf(ring: Coordinates, full: number): Coordinates[] {
  return Array.from(strips(ring, full), ([, part]) => part);
}

/** The parts of a ring between antimeridians, each moved onto the map. */
function* strips(ring: Coordinates, full: number): Generator<[turn: number, part: Coordinates]> {
  const [west, , east] = boxOf(ring);
  const first = Math.floor(west / full + 0.5);
  const last = Math.max(first, Math.ceil(east / full - 0.5));
  for (let turn = first; turn <= last; turn++) {
    const middle = turn * full;
    const part = clipped(clipped(ring, middle - full / 2, 1), middle + full / 2, -1);
    if (part.count === 0) continue;
    part.close();
    shift(part, -middle);
    yield [turn, part];
  }
}

/**
 * The part of a ring on one side of a meridian (Sutherland and Hodgman).
 * @param side 1 for the east, -1 for the west
 */
function clipped(ring: Coordinates, meridian: number, side: 1 | -1): Coordinates {
  const part = new Coordinates();
  part.resize(2 * ring.count);
  let count = 0;
  for (let i = 0; i < ring.count; i++) {
    const [x1, y1] = i === 0 ? [ring.x(0), ring.y(0)] : [ring.x(i - 1), ring.y(i - 1)];
    const [x2, y2] = [ring.x(i), ring.y(i)];
    const wasInside = side * (x1 - meridian) >= 0;
    const isInside = side * (x2 - meridian) >= 0;
    if (wasInside !== isInside) part.set(count++, meridian, latitudeAt(meridian, [x1, y1], [x2, y2]));
    if (isInside) part.set(count++, x2, y2);
  }
  part.count = count;
  return part;
}

/** Where a segment crosses a meridian: the same for a neighbour, whose segment runs the other way. */
function latitudeAt(meridian: number, a: readonly [number, number], b: readonly [number, number]): number {
  const [[x1, y1], [x2, y2]] = a[0] < b[0] ? [a, b] : [b, a];
  return Math.round(y1 + ((meridian - x1) / (x2 - x1)) * (y2 - y1));
}

function copyOf(positions: Coordinates): Coordinates {
  const copy = new Coordinates();
  copy.resize(positions.count);
  for (let i = 0; i < positions.count; i++) copy.set(i, positions.x(i), positions.y(i));
  return copy;
}

/** Moves a ring east. */
function shift(positions: Coordinates, by: number): void {
  for (let i = 0; i < positions.count; i++) positions.set(i, positions.x(i) + by, positions.y(i));
}
