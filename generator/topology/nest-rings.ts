// Gives rings that lie side by side or within one another their places: holes inside of exteriors (OGC 06-103r4 section
// 6.1.11). Used for single units.
import { elementAt, i32At, numberAt } from '../../format/element-at.ts';
import { holds } from '../rings/bbox.ts';
import { NumberGroups } from '../rings/number-groups.ts';
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
  const count = rings.reduce((sum, ring) => sum + ring.length / 2, 0);
  /** Of each edge the ring, and where it begins there. */
  const [owners, places] = [new Int32Array(count), new Int32Array(count)];
  let [edge, least, greatest, heights] = [0, Infinity, -Infinity, 0];
  for (const [owner, ring] of rings.entries())
    for (let i = 0; i < ring.length; i += 2) {
      const [y1, y2] = [numberAt(ring, i + 1), numberAt(ring, (i + 3) % ring.length)];
      least = Math.min(least, y1);
      greatest = Math.max(greatest, y1);
      heights += Math.abs(y2 - y1);
      owners[edge] = owner;
      places[edge++] = i;
    }
  // An edge lies in two or three strips, taken together.
  const height = Math.max(heights / count, ((greatest - least) * STRIP_EDGES) / count, 1);
  const stripOf = (y: number): number => Math.floor((y - least) / height);
  const strips = new NumberGroups(count === 0 ? 0 : stripOf(greatest) + 1, (take) => {
    for (let own = 0; own < count; own++) {
      const [ring, i] = [elementAt(rings, i32At(owners, own)), i32At(places, own)];
      const [a, b] = [stripOf(numberAt(ring, i + 1)), stripOf(numberAt(ring, (i + 3) % ring.length))];
      for (let strip = Math.min(a, b); strip <= Math.max(a, b); strip++) take(strip, own);
    }
  });
  /** Of the larger rings that have edges in the strip of a position: whether it is inside; undefined for on it. */
  const sidesOf = (x: number, y: number, own: number): Map<number, boolean | undefined> => {
    const sides = new Map<number, boolean | undefined>();
    for (const near of strips.of(stripOf(y))) {
      const other = i32At(owners, near);
      if (other >= own || !canHold(other, own) || (sides.has(other) && sides.get(other) === undefined)) continue;
      const side = sideOfEdge(x, y, elementAt(rings, other), i32At(places, near));
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
