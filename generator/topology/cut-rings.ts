// Polygons that cross the antimeridian by a jump from one side of the map to the other or reach past it, cut there for
// simplified geometries: each part lies between -180 and 180 degrees (RFC 7946 section 3.1.9). A ring around a pole is
// closed by way of the pole.
import { numberAt } from '../../format/element-at.ts';
import { type Box, boxOf, holds } from '../rings/bbox.ts';
import { Coordinates, unrolled } from '../rings/coordinates.ts';
import { sideOf } from '../rings/predicates.ts';

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
  let rings: CutRing[] = [];
  return {
    isOpen: () => whole !== undefined,
    add(positions, isHole, jumps) {
      const ring = jumps ? unrolled(positions, full) : copyOf(positions);
      const box = boxOf(ring);
      if (whole === undefined || !isHole) whole = box;
      else shift(ring, full * Math.round((whole[0] + whole[2] - box[0] - box[2]) / 2 / full));
      rings.push({ ring, isHole });
    },
    end() {
      const parts = strips(rings, full);
      rings = [];
      whole = undefined;
      return parts;
    },
  };
}

/** The parts of a ring, each on the map. @param full 360 degrees in scaled degrees */
export function partsOf(ring: Coordinates, full: number): Coordinates[] {
  return strips([{ ring, isHole: false }], full).map((part) => part.ring);
}

/** The parts of a polygon between antimeridians, each moved onto the map. */
function strips(rings: readonly CutRing[], full: number): CutRing[] {
  const [exterior] = rings;
  if (exterior === undefined) return [];
  const [west, , east] = boxOf(exterior.ring);
  const first = Math.floor(west / full + 0.5);
  const last = Math.max(first, Math.ceil(east / full - 0.5));
  const parts: CutRing[] = [];
  for (let turn = first; turn <= last; turn++) {
    const middle = turn * full;
    for (const part of clipped(clipped(rings, middle - full / 2, 1), middle + full / 2, -1)) {
      const ring = copyOf(part.ring);
      shift(ring, -middle);
      parts.push({ ring, isHole: part.isHole });
    }
  }
  return parts;
}

/** A piece of a ring on one side of a meridian, as x and y. */
interface Piece {
  places: number[];
  /** The latitude at which it begins on the meridian; undefined where the ring begins. */
  entry: number | undefined;
  /** Where it ends there; undefined where the ring ends. */
  exit: number | undefined;
}

/**
 * The part of a polygon on one side of a meridian: as many polygons as it falls apart into. A hole that is cut becomes a
 * bay.
 * @param side 1 for the east, -1 for the west
 */
function clipped(rings: readonly CutRing[], meridian: number, side: 1 | -1): CutRing[] {
  const [outer] = rings;
  if (outer === undefined) return [];
  const direction = Math.sign(outer.ring.signedArea());
  const whole: CutRing[] = [];
  const pieces: Piece[] = [];
  for (const { ring, isHole } of rings) {
    const own = piecesOf(ring, meridian, side);
    if (own === undefined) {
      whole.push({ ring, isHole });
      continue;
    }
    const isAgainst = isHole === (Math.sign(ring.signedArea()) === direction);
    const along = own.length > 0 && isAgainst ? (piecesOf(reversed(ring), meridian, side) ?? []) : own;
    for (const piece of along) pieces.push(piece);
  }
  const all = [
    ...whole,
    ...joined(pieces).map((ring) => ({ ring, isHole: Math.sign(ring.signedArea()) !== direction })),
  ];
  return withHoles(
    all.filter(({ isHole }) => !isHole).map(({ ring }) => ring),
    all.filter(({ isHole }) => isHole).map(({ ring }) => ring),
  );
}

/** Each exterior ring and then the holes in it; a hole outside of all is the first one's. */
function withHoles(exteriors: readonly Coordinates[], holes: readonly Coordinates[]): CutRing[] {
  const polygons = exteriors.map((ring): CutRing[] => [{ ring, isHole: false }]);
  const known =
    polygons.length > 1 && holes.length > 0 ? exteriors.map((ring) => [boxOf(ring), openRing(ring)] as const) : [];
  for (const hole of holes) {
    const [x, y] = [hole.x(0), hole.y(0)];
    const owner = known.findIndex(([box, exterior]) => holds(box, [x, y, x, y]) && sideOf(x, y, exterior) === 1);
    polygons[Math.max(0, owner)]?.push({ ring: hole, isHole: true });
  }
  return polygons.flat();
}

/** The pieces of a closed ring on one side; undefined if it lies there as a whole, none if nothing does. */
function piecesOf(ring: Coordinates, meridian: number, side: 1 | -1): Piece[] | undefined {
  const pieces: Piece[] = [];
  let own: Piece | undefined;
  for (let i = 0; i < ring.count; i++) {
    const [x, y] = [ring.x(i), ring.y(i)];
    const isInside = side * (x - meridian) >= 0;
    if (i === 0 ? isInside : isInside !== (own !== undefined)) {
      const crossing = i === 0 ? undefined : latitudeAt(meridian, [ring.x(i - 1), ring.y(i - 1)], [x, y]);
      if (own === undefined) {
        own = { places: crossing === undefined ? [] : [meridian, crossing], entry: crossing, exit: undefined };
        pieces.push(own);
      } else if (crossing !== undefined) {
        own.places.push(meridian, crossing);
        own.exit = crossing;
        own = undefined;
      }
    }
    if (isInside) own?.places.push(x, y);
  }
  return pieces.length === 1 && pieces[0]?.entry === undefined && own !== undefined ? undefined : pieces;
}

/** The rings of pieces: from north to south the meridian is in and out of the polygon in turn. */
function joined(pieces: readonly Piece[]): Coordinates[] {
  const sorted = (end: 'entry' | 'exit'): Piece[] =>
    pieces.filter((piece) => piece[end] !== undefined).sort((a, b) => (a[end] ?? 0) - (b[end] ?? 0));
  const [entries, exits] = [sorted('entry'), sorted('exit')];
  const next = new Map(exits.map((piece, i) => [piece, entries[i]]));
  // A ring that begins on this side ends there, too.
  let begun: Piece | undefined;
  for (const piece of pieces) {
    if (piece.exit === undefined) next.set(piece, begun);
    if (piece.entry === undefined) begun = piece;
  }
  const left = new Set(pieces);
  const rings: Coordinates[] = [];
  for (const start of pieces) {
    const places: number[] = [];
    for (let piece: Piece | undefined = start; piece !== undefined && left.delete(piece); piece = next.get(piece)) {
      const from = places.length > 0 && piece.entry === undefined ? 2 : 0;
      for (let i = from; i < piece.places.length; i++) places.push(numberAt(piece.places, i));
    }
    if (places.length > 0) rings.push(ringOf(places));
  }
  return rings.filter((ring) => ring.signedArea() !== 0);
}

function ringOf(places: readonly number[]): Coordinates {
  const ring = new Coordinates(places.length / 2);
  ring.count = places.length / 2;
  for (let i = 0; i < ring.count; i++) ring.set(i, numberAt(places, 2 * i), numberAt(places, 2 * i + 1));
  ring.close();
  return ring;
}

function openRing(ring: Coordinates): number[] {
  return Array.from({ length: 2 * (ring.count - 1) }, (_, i) => (i % 2 === 0 ? ring.x(i / 2) : ring.y((i - 1) / 2)));
}

function reversed(ring: Coordinates): Coordinates {
  const other = new Coordinates(ring.count);
  other.count = ring.count;
  for (let i = 0; i < ring.count; i++) other.set(i, ring.x(ring.count - 1 - i), ring.y(ring.count - 1 - i));
  return other;
}

/** Where a segment crosses a meridian: the same for a neighbour, whose segment runs the other way. */
function latitudeAt(meridian: number, a: readonly [number, number], b: readonly [number, number]): number {
  const [[x1, y1], [x2, y2]] = a[0] < b[0] ? [a, b] : [b, a];
  return Math.round(y1 + ((meridian - x1) / (x2 - x1)) * (y2 - y1));
}

function copyOf(positions: Coordinates): Coordinates {
  const copy = new Coordinates(positions.count);
  copy.count = positions.count;
  for (let i = 0; i < positions.count; i++) copy.set(i, positions.x(i), positions.y(i));
  return copy;
}

/** Moves a ring east. */
function shift(positions: Coordinates, by: number): void {
  for (let i = 0; i < positions.count; i++) positions.set(i, positions.x(i) + by, positions.y(i));
}
