// Takes edges there and back out of the polygons of a unit: along the lines at which it was cut, where pieces of it
// hang together, and inside, where the grid has closed a strait or a neck of land. What it has there is no area, and
// its neighbours have the edge in common.
import { elementAt, i32At, numberAt } from '../../format/element-at.ts';
import { keyOf, nestRings, type OpenPolygon, type OpenRing } from './assemble-polygons.ts';

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
  const left = relinked(isCut ? withCommonPlaces(rings, lines) : { rings, isGone: [] });
  return left === undefined ? polygons : nestRings(left);
}

/** The polygons of rings, of which edges there and back are none: along some lines wherever they begin and end. */
export function joinedAlong(rings: readonly OpenRing[], lines: readonly CutLine[]): OpenPolygon[] {
  const divided = withCommonPlaces(rings, lines);
  return nestRings(relinked(divided) ?? divided.rings);
}

/** Rings, of which edges may be known to go there and back. */
interface Divided {
  rings: readonly OpenRing[];
  /** 1 for those, ring by ring; what is not there is 0. */
  isGone: readonly number[];
}

/** The places that rings have more than once, as `keyOf` numbers them. */
function repeatedPlaces(rings: readonly OpenRing[]): Set<number> {
  const known = new Set<number>();
  const repeated = new Set<number>();
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const key = keyOf(numberAt(ring, i), numberAt(ring, i + 1));
      if (known.has(key)) repeated.add(key);
      else known.add(key);
    }
  return repeated;
}

/**
 * Takes edges there and back out of rings, and goes on from where they ended. All other edges stay, also where rings
 * touch themselves.
 * @returns undefined if there are none
 */
function relinked({ rings, isGone: known }: Divided): OpenRing[] | undefined {
  const repeated = repeatedPlaces(rings);
  if (repeated.size === 0 && !known.includes(1)) return undefined;
  const places = rings.flat();
  // The edge i begins at place i.
  const next: number[] = [];
  for (const ring of rings) {
    const first = next.length;
    for (let i = 0; i < ring.length / 2; i++) next.push(first + ((i + 1) % (ring.length / 2)));
  }
  const x = (place: number): number => numberAt(places, 2 * place);
  const y = (place: number): number => numberAt(places, 2 * place + 1);
  const isRepeated = (place: number): boolean => repeated.has(keyOf(x(place), y(place)));
  const isGone = new Uint8Array(next.length);
  isGone.set(known);
  const waiting = new Map<string, number[]>();
  for (const [edge, to] of next.entries()) {
    // The tip of a spike is there once.
    if (isGone[edge] === 1 || (!isRepeated(edge) && !isRepeated(to))) continue;
    const [here, there] = [`${x(edge)},${y(edge)}`, `${x(to)},${y(to)}`];
    const opposite = waiting.get(`${there} ${here}`)?.pop();
    if (opposite === undefined) add(waiting, `${here} ${there}`, edge);
    else isGone[opposite] = isGone[edge] = 1;
  }
  if (!isGone.includes(1)) return undefined;
  // Where edges are gone as many others end as begin.
  const beginning = new Map<string, number[]>();
  for (const [edge, to] of next.entries())
    if (isGone[edge] === 1 && isGone[to] === 0) add(beginning, `${x(to)},${y(to)}`, to);
  const following = next.slice();
  for (const [edge, to] of next.entries()) {
    if (isGone[edge] === 1 || isGone[to] === 0) continue;
    const others = beginning.get(`${x(to)},${y(to)}`) ?? [];
    const best = others.toSorted((a, b) => turnAt(edge, to, a) - turnAt(edge, to, b))[0] ?? -1;
    following[edge] = best;
    others.splice(others.indexOf(best), 1);
  }
  const traced: OpenRing[] = [];
  for (const start of next.keys()) {
    const ring: number[] = [];
    for (let edge = start; edge !== -1 && isGone[edge] === 0; edge = following[edge] ?? -1) {
      isGone[edge] = 1;
      ring.push(x(edge), y(edge));
    }
    if (ring.length > 4) traced.push(ring);
  }
  return traced;

  /** The angle from the way back to an edge: the land is on the side of the least. */
  function turnAt(edge: number, to: number, other: number): number {
    const end = numberAt(next, other);
    const [ax, ay] = [x(edge) - x(to), y(edge) - y(to)];
    const [bx, by] = [x(end) - x(other), y(end) - y(other)];
    const angle = Math.atan2(ay * bx - ax * by, ax * bx + ay * by);
    return angle > 0 ? angle : angle + 2 * Math.PI;
  }
}

function add(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Do edges along a line overlap? */
function isDoubled(rings: readonly OpenRing[], { axis, at }: CutLine): boolean {
  const runs: [from: number, to: number][] = [];
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const next = (i + 2) % ring.length;
      if (ring[i + axis] !== at || ring[next + axis] !== at) continue;
      const [a, b] = [numberAt(ring, i + 1 - axis), numberAt(ring, next + 1 - axis)];
      runs.push(a < b ? [a, b] : [b, a]);
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
