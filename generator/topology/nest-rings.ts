// Gives rings that lie side by side or within one another their places: holes inside of exteriors (OGC 06-103r4 section
// 6.1.11). Used for single units.
import { elementAt, i32At, numberAt } from '../../format/element-at.ts';
import type { Box } from '../rings/bbox.ts';
import { boxOfOpen, doubledArea, type OpenPolygon, type OpenRing } from '../rings/open-rings.ts';
import { sideOfEdge } from '../rings/predicates.ts';

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

function holds(outer: Box, inner: Box): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}
