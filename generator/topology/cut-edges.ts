// Takes edges there and back out of the polygons of a unit: along the lines at which it was cut, where pieces of it
// hang together, and inside, where the grid has closed a strait or a neck of land. What it has there is no area, and
// its neighbours have the edge in common.
import { elementAt, i32At, numberAt } from '../../format/element-at.ts';
import type { OpenPolygon, OpenRing } from '../rings/open-rings.ts';
import { nestRings } from './nest-rings.ts';
import { type Divided, relink } from './retrace.ts';

/** A column (axis 0) or a row (axis 1). */
export interface CutLine {
  axis: 0 | 1;
  at: number;
}

/** Polygons whose pieces are polygons of their own; those that have no edge there and back stay as they are. */
export function withoutDoubledEdges(
  polygons: readonly OpenPolygon[],
  lines: readonly CutLine[],
): readonly OpenPolygon[] {
  const rings = polygons.flat();
  const isCut = lines.some((line) => isDoubled(rings, line));
  const left = relink(isCut ? withCommonPlaces(rings, lines) : { rings, isGone: [] });
  return left === undefined ? polygons : nestRings(left);
}

/** The polygons of rings, of which edges there and back are none: along some lines wherever they begin and end. */
export function joinedAlong(rings: readonly OpenRing[], lines: readonly CutLine[]): OpenPolygon[] {
  const divided = withCommonPlaces(rings, lines);
  return nestRings(relink(divided) ?? divided.rings);
}

/** Do edges along a line overlap? */
function isDoubled(rings: readonly OpenRing[], line: CutLine): boolean {
  const runs: [from: number, to: number][] = [];
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      if (!isAlong(ring, i, line)) continue;
      const { from, to } = runOf(ring, i, line);
      runs.push(from < to ? [from, to] : [to, from]);
    }
  runs.sort(([a], [b]) => a - b);
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of runs) {
    if (from < end) return true;
    end = Math.max(end, to);
  }
  return false;
}

/**
 * All edges along a line get the places of the others, so that what overlaps is the same edge, and edges there and back
 * are found: of those that lie side by side the last ones are left. What is gone stays in one piece: a ring that leaves
 * a tile at a thousand places would have a million.
 */
function withCommonPlaces(rings: readonly OpenRing[], lines: readonly CutLine[]): Divided {
  const left = lines.map((line) => piecesLeft(rings, line).values());
  const isGone: number[] = [];
  let own: number[] = [];
  const add = (x: number, y: number, gone: 0 | 1): void => {
    own.push(x, y);
    isGone.push(gone);
  };
  const addAt = ({ axis, at }: CutLine, place: number, gone: 0 | 1): void =>
    axis === 0 ? add(at, place, gone) : add(place, at, gone);
  const divided = rings.map((ring) => {
    own = [];
    for (let i = 0; i < ring.length; i += 2) {
      const k = lines.findIndex((line) => isAlong(ring, i, line));
      const line = lines[k];
      if (line === undefined) {
        add(numberAt(ring, i), numberAt(ring, i + 1), 0);
        continue;
      }
      const run = runOf(ring, i, line);
      let place = run.from;
      for (const { from, to } of left[k]?.next().value ?? []) {
        if (place !== from) addAt(line, place, 1);
        addAt(line, from, 0);
        place = to;
      }
      if (place !== run.to) addAt(line, place, 1);
    }
    return own;
  });
  return { rings: divided, isGone };
}

/** A part of a line, in the direction of the edge that is there. */
interface Run {
  from: number;
  to: number;
}

/** Does the edge at a place of a ring lie along a line? */
function isAlong(ring: OpenRing, i: number, { axis, at }: CutLine): boolean {
  if (ring[i + axis] !== at) return false;
  const next = (i + 2) % ring.length;
  return ring[next + axis] === at && ring[next + 1 - axis] !== ring[i + 1 - axis];
}

function runOf(ring: OpenRing, i: number, { axis }: CutLine): Run {
  return { from: numberAt(ring, i + 1 - axis), to: numberAt(ring, ((i + 2) % ring.length) + 1 - axis) };
}

/** For each edge along a line, in the order of the rings, what is left of it: divided where others begin or end. */
function piecesLeft(rings: readonly OpenRing[], line: CutLine): Run[][] {
  const { axis, at } = line;
  const own = new Set<number>();
  const runs: Run[] = [];
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      if (ring[i + axis] === at) own.add(numberAt(ring, i + 1 - axis));
      if (isAlong(ring, i, line)) runs.push(runOf(ring, i, line));
    }
  const places = [...own].sort((a, b) => a - b);
  const numbers = new Map(places.map((place, number) => [place, number]));
  const ends = runs.map(({ from, to }) => {
    const [first, last] = [numbers.get(from) ?? 0, numbers.get(to) ?? 0];
    return first < last ? { first, end: last, sign: 1 } : { first: last, end: first, sign: -1 };
  });
  // How many more there are in one direction than in the other, between each place and the next.
  const more = new Int32Array(places.length + 1);
  for (const { first, end, sign } of ends) {
    more[first] = i32At(more, first) + sign;
    more[end] = i32At(more, end) - sign;
  }
  const left = runs.map((): Run[] => []);
  for (let number = 0, net = 0; number + 1 < places.length; number++) {
    net += i32At(more, number);
    const sign = Math.sign(net);
    for (let i = ends.length - 1, found = 0, sum = 0; found < Math.abs(net); i--) {
      const run = elementAt(ends, i);
      if (number < run.first || number >= run.end) continue;
      sum += sign * run.sign;
      if (sum <= found) continue;
      found++;
      const [low, high] = [numberAt(places, number), numberAt(places, number + 1)];
      elementAt(left, i).push(sign === 1 ? { from: low, to: high } : { from: high, to: low });
    }
  }
  for (const [i, pieces] of left.entries()) if (elementAt(ends, i).sign === -1) pieces.reverse();
  return left;
}
