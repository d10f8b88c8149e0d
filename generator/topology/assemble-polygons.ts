// Makes polygons of rings that touch themselves or one another, as a coarse grid makes them: no position twice in a
// ring, holes inside of exteriors that lie side by side (OGC 06-103r4 section 6.1.11). Used for single units.
import { elementAt, i32At, numberAt } from '../../format/element-at.ts';
import { type Box, grow, newBox } from '../rings/bbox.ts';

/** A ring that is not closed: x and y, one after the other. Exterior rings run counter-clockwise, holes clockwise. */
export type OpenRing = readonly number[];

/** A polygon: its exterior ring and its holes. */
export type OpenPolygon = OpenRing[];

/** A directed edge. */
interface Edge {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/**
 * Takes rings apart and follows their edges anew: an edge there and back is none, and where rings touch, the way on is
 * the one around the same piece of land. No edge is added.
 */
export function retrace(rings: readonly OpenRing[]): OpenRing[] {
  const leaving = edgesOf(rings);
  const traced: OpenRing[] = [];
  for (const edges of leaving.values())
    for (let [start] = edges; start !== undefined; [start] = edges) {
      const walk: number[] = [];
      let edge: Edge | undefined = start;
      do {
        walk.push(edge.x1, edge.y1);
        edge = takeNext(leaving, edge);
      } while (edge !== undefined && edge !== start);
      if (edge === undefined) edges.shift();
      for (const loop of loopsOf(walk)) traced.push(loop);
    }
  return traced;
}

/** The edges by the position that they leave, without those that lead there and back. */
function edgesOf(rings: readonly OpenRing[]): Map<number, Edge[]> {
  const leaving = new Map<number, Edge[]>();
  const leadsTo = (x: number, y: number) => (edge: Edge) => edge.x2 === x && edge.y2 === y;
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      const after = (i + 2) % ring.length;
      const edge = {
        x1: numberAt(ring, i),
        y1: numberAt(ring, i + 1),
        x2: numberAt(ring, after),
        y2: numberAt(ring, after + 1),
      };
      const opposite = leaving.get(keyOf(edge.x2, edge.y2));
      const index = opposite?.findIndex(leadsTo(edge.x1, edge.y1)) ?? -1;
      if (index >= 0) {
        opposite?.splice(index, 1);
        continue;
      }
      const key = keyOf(edge.x1, edge.y1);
      const known = leaving.get(key);
      if (known === undefined) leaving.set(key, [edge]);
      else if (!known.some(leadsTo(edge.x2, edge.y2))) known.push(edge);
    }
  return leaving;
}

/** Takes the edge that follows another one: the first to the right of the way back, as the land is on the left. */
function takeNext(leaving: Map<number, Edge[]>, { x1, y1, x2, y2 }: Edge): Edge | undefined {
  const edges = leaving.get(keyOf(x2, y2)) ?? [];
  if (edges.length === 1) return edges.pop();
  let best: Edge | undefined;
  let least = Infinity;
  for (const edge of edges) {
    const [ax, ay, bx, by] = [x1 - x2, y1 - y2, edge.x2 - x2, edge.y2 - y2];
    const angle = Math.atan2(ay * bx - ax * by, ax * bx + ay * by);
    const turn = angle > 0 ? angle : angle + 2 * Math.PI;
    if (turn < least) [best, least] = [edge, turn];
  }
  if (best !== undefined) edges.splice(edges.indexOf(best), 1);
  return best;
}

/** Divides a closed way where it comes to a position again. */
function* loopsOf(walk: readonly number[]): Generator<OpenRing> {
  const open: number[] = [];
  const places = new Map<number, number>();
  for (let i = 0; i < walk.length; i += 2) {
    const [x, y] = [numberAt(walk, i), numberAt(walk, i + 1)];
    const key = keyOf(x, y);
    const place = places.get(key);
    if (place !== undefined) {
      const loop = open.splice(place);
      for (let k = 0; k < loop.length; k += 2) places.delete(keyOf(numberAt(loop, k), numberAt(loop, k + 1)));
      yield loop;
    }
    places.set(key, open.length);
    open.push(x, y);
  }
  yield open;
}

/** A ring that has its place: twice its area, negative for a hole, and the polygon that it is of. */
interface Nested {
  area: number;
  polygon: OpenPolygon;
}

/**
 * Gives each hole to the exterior around it. A ring that has come to lie on the wrong side of another is left out: an
 * island on land, a hole in the sea.
 */
export function nestRings(rings: readonly OpenRing[]): OpenPolygon[] {
  const polygons: OpenPolygon[] = [];
  const ordered = rings
    .map((ring) => ({ ring, area: doubledArea(ring) }))
    .filter(({ area }) => area !== 0)
    .sort((a, b) => Math.abs(b.area) - Math.abs(a.area));
  const all = ordered.map(({ ring }) => ring);
  const boxes = all.map(boxOfOpen);
  const ringsAround = newRingsAround(all, (other, i) => holds(elementAt(boxes, other), elementAt(boxes, i)));
  const nested: (Nested | undefined)[] = [];
  for (const [i, { ring, area }] of ordered.entries()) {
    // The smallest ring around it that has a place.
    const around = ringsAround(i)
      .filter((other) => nested[other] !== undefined)
      .reduce((a, b) => Math.max(a, b), -1);
    const outer = nested[around];
    if (area > 0 && (outer === undefined || outer.area < 0)) {
      const polygon = [ring];
      nested[i] = { area, polygon };
      polygons.push(polygon);
    } else if (area < 0 && outer !== undefined && outer.area > 0) {
      outer.polygon.push(ring);
      nested[i] = { area, polygon: outer.polygon };
    }
  }
  return polygons;
}

/** Edges of a strip, about. */
const STRIP_EDGES = 16;

/**
 * Makes a function that returns the rings around a ring, by index, of rings that do not cross, ordered by area: decided
 * by the first position that is not on the other one. Edges lie in strips, and a position is compared with those of its
 * own.
 * @param canHold may a ring be around another one, by their boxes?
 */
function newRingsAround(
  rings: readonly OpenRing[],
  canHold: (outer: number, inner: number) => boolean,
): (ring: number) => number[] {
  let [least, greatest, edges, heights] = [Infinity, -Infinity, 0, 0];
  const eachEdge = (take: (ring: number, i: number, y1: number, y2: number) => void): void => {
    for (const [n, ring] of rings.entries())
      for (let i = 0; i < ring.length; i += 2) take(n, i, numberAt(ring, i + 1), numberAt(ring, (i + 3) % ring.length));
  };
  eachEdge((_, __, y1, y2) => {
    least = Math.min(least, y1);
    greatest = Math.max(greatest, y1);
    edges++;
    heights += Math.abs(y2 - y1);
  });
  // An edge lies in two or three strips, taken together.
  const height = Math.max(heights / edges, ((greatest - least) * STRIP_EDGES) / edges, 1);
  const stripOf = (y: number): number => Math.floor((y - least) / height);
  const ends = new Int32Array(edges === 0 ? 0 : stripOf(greatest) + 1);
  const eachStrip = (y1: number, y2: number, take: (strip: number) => void): void => {
    for (let strip = stripOf(Math.min(y1, y2)); strip <= stripOf(Math.max(y1, y2)); strip++) take(strip);
  };
  eachEdge((_, __, y1, y2) => eachStrip(y1, y2, (strip) => (ends[strip] = i32At(ends, strip) + 1)));
  for (let strip = 1; strip < ends.length; strip++) ends[strip] = i32At(ends, strip) + i32At(ends, strip - 1);
  const owners = new Int32Array(ends.at(-1) ?? 0);
  const places = new Int32Array(owners.length);
  // Filled from the end of each strip, whose end becomes its begin.
  eachEdge((ring, i, y1, y2) =>
    eachStrip(y1, y2, (strip) => {
      const slot = i32At(ends, strip) - 1;
      ends[strip] = slot;
      owners[slot] = ring;
      places[slot] = i;
    }),
  );
  /** Of the larger rings that have edges in the strip of a position: whether it is inside; undefined for on it. */
  const sidesOf = (x: number, y: number, own: number): Map<number, boolean | undefined> => {
    const sides = new Map<number, boolean | undefined>();
    const strip = stripOf(y);
    for (let slot = i32At(ends, strip); slot < (ends[strip + 1] ?? owners.length); slot++) {
      const other = i32At(owners, slot);
      if (other >= own || !canHold(other, own) || (sides.has(other) && sides.get(other) === undefined)) continue;
      const side = sideOfEdge(x, y, elementAt(rings, other), i32At(places, slot));
      if (side === 0) sides.set(other, undefined);
      else if (side > 0) sides.set(other, !sides.get(other));
    }
    return sides;
  };
  return (own) => {
    const ring = elementAt(rings, own);
    const around: number[] = [];
    // Those decided by a later position, as the first ones are on them.
    let doubtful: Set<number> | undefined;
    for (let i = 0; i < ring.length && doubtful?.size !== 0; i += 2) {
      const sides = [...sidesOf(numberAt(ring, i), numberAt(ring, i + 1), own)].filter(
        ([other]) => doubtful?.has(other) ?? true,
      );
      for (const [other, isIn] of sides) if (isIn) around.push(other);
      doubtful = new Set(sides.filter(([, isIn]) => isIn === undefined).map(([other]) => other));
    }
    return around;
  };
}

/** Twice the area of a ring; negative if it runs clockwise. */
export function doubledArea(ring: OpenRing): number {
  const [x0, y0] = [numberAt(ring, 0), numberAt(ring, 1)];
  let area = 0;
  for (let i = 2; i + 3 < ring.length; i += 2)
    area +=
      (numberAt(ring, i) - x0) * (numberAt(ring, i + 3) - y0) -
      (numberAt(ring, i + 2) - x0) * (numberAt(ring, i + 1) - y0);
  return area;
}

/** The box of a ring. */
export function boxOfOpen(ring: OpenRing): Box {
  const box = newBox();
  for (let i = 0; i < ring.length; i += 2) grow(box, numberAt(ring, i), numberAt(ring, i + 1));
  return box;
}

function holds(outer: Box, inner: Box): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}

/** The positions of a ring as GeoJSON and TopoJSON have them, the first one also at the end. */
export function closedRing(ring: OpenRing): [x: number, y: number][] {
  const closed: [number, number][] = [];
  for (let i = 0; i < ring.length; i += 2) closed.push([numberAt(ring, i), numberAt(ring, i + 1)]);
  closed.push(elementAt(closed, 0));
  return closed;
}

/** Is a position inside of a ring (1), outside (-1) or on it (0)? Even-odd, exact for whole numbers. */
export function sideOf(x: number, y: number, ring: OpenRing): -1 | 0 | 1 {
  let isIn = false;
  for (let i = 0; i < ring.length; i += 2) {
    const side = sideOfEdge(x, y, ring, i);
    if (side === 0) return 0;
    if (side > 0) isIn = !isIn;
  }
  return isIn ? 1 : -1;
}

/**
 * Does the way east from a position cross the edge that begins at an index of a ring (1), or not (-1), or is it on it
 * (0)?
 */
function sideOfEdge(x: number, y: number, ring: OpenRing, i: number): -1 | 0 | 1 {
  const after = i + 2 === ring.length ? 0 : i + 2;
  const [y1, y2] = [numberAt(ring, i + 1), numberAt(ring, after + 1)];
  if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) return -1;
  const [x1, x2] = [numberAt(ring, i), numberAt(ring, after)];
  if (x1 < x && x2 < x) return -1;
  const turn = turnOf(x2 - x1, y2 - y1, x - x1, y - y1);
  if (turn === 0 && Math.min(x1, x2) <= x) return 0;
  return y1 > y !== y2 > y && turn > 0 === y2 > y1 ? 1 : -1;
}

/** A number with the sign of the turn from one vector to another; positive to the left. */
function turnOf(ax: number, ay: number, bx: number, by: number): number {
  const [left, right] = [ax * by, ay * bx];
  const turn = left - right;
  // Products beyond 2^53 are rounded by at most 2^-53 of themselves.
  if (Math.abs(left) <= Number.MAX_SAFE_INTEGER || Math.abs(turn) > Math.abs(left) * Number.EPSILON * 2) return turn;
  return Number(BigInt(ax) * BigInt(by) - BigInt(ay) * BigInt(bx));
}

/** A position as one number: exact, as coordinates are below 2^25. */
export function keyOf(x: number, y: number): number {
  return x * 2 ** 26 + y;
}
