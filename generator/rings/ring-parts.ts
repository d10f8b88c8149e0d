// The parts of a unit: boxes that cover the rings of its polygons, by which a box on the map is compared with each
// island instead of the extent of all.
import { elementAt, i32At, u8At } from '../../format/element-at.ts';
import { PARTS_MAX } from '../../format/level-index.ts';
import { type Box, grow, holds, indexBox, newBox } from './bbox.ts';
import { type Coordinates, unrolled } from './coordinates.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { EdgeTable } from './edge-table.ts';
import { NumberList } from './number-list.ts';

/** A ring of the unit: its box in scaled degrees, and its edges among all. */
interface Ring {
  box: Box;
  isHole: boolean;
  /** The number of its first position, and that after its last. */
  first: number;
  end: number;
}

/** Collects the rings of one unit after the other. */
export class RingParts {
  readonly #scale: number;
  readonly #flat = new NumberList(Float64Array);
  #rings: Ring[] = [];

  /** @param precision decimals of the coordinates */
  constructor(precision: number) {
    this.#scale = 10 ** precision;
  }

  /** Adds a ring, closed, in scaled degrees. */
  add(positions: Coordinates, isHole: boolean): void {
    const ring = positions.jumps(this.#scale) ? unrolled(positions, 360 * this.#scale) : positions;
    const box = newBox();
    const first = this.#flat.length / 2;
    for (let i = 0; i < ring.count; i++) {
      grow(box, ring.x(i), ring.y(i));
      this.#flat.push(ring.x(i));
      this.#flat.push(ring.y(i));
    }
    this.#rings.push({ box, isHole, first, end: first + ring.count });
  }

  /** The parts of the unit, in units of the index; none if it has only one. The next ring is of the next unit. */
  finish(): Box[] {
    const boxes = this.#rings.length > 1 ? this.#boxes() : [];
    this.#rings = [];
    this.#flat.length = 0;
    if (boxes.length <= 1) return [];
    return nearOnesTogether(boxes).map((box) => indexBox(boxOnMap(box, this.#scale), this.#scale));
  }

  /**
   * A box for each polygon: of its edges that the unit has an odd number of times, as the others bound nothing.
   * Polygons with an edge in common are one.
   */
  #boxes(): Box[] {
    const flat = this.#flat;
    const edges = new EdgeTable(flat.length / 2);
    const polygons = new DisjointSets(this.#rings.length);
    /** Of each edge the first ring, and whether the unit has it an odd number of times. */
    const ringOf = new Int32Array(flat.length);
    const isOdd = new Uint8Array(flat.length);
    let isAnyEven = false;
    for (const [number, { first, end }] of this.#rings.entries())
      for (let i = 2 * first; i < 2 * end - 2; i += 2) {
        const [x1, y1, x2, y2] = [flat.at(i), flat.at(i + 1), flat.at(i + 2), flat.at(i + 3)];
        const { size } = edges;
        // A ring may have none but edges without length.
        const edge = x1 === x2 && y1 === y2 ? undefined : edges.add(x1, y1, x2, y2);
        isAnyEven ||= edges.size === size;
        if (edge === undefined) continue;
        if (edges.size > size) ringOf[edge] = number;
        else polygons.join(number, i32At(ringOf, edge));
        isOdd[edge] = 1 - u8At(isOdd, edge);
      }
    if (!isAnyEven) {
      // What a hole adds to the box of its polygon, it adds as a part.
      let outer = newBox();
      return this.#rings.flatMap(({ box, isHole }) => {
        if (isHole && holds(outer, box)) return [];
        if (!isHole) outer = box;
        return [box];
      });
    }
    const boxes = new Map<number, Box>();
    for (let edge = 0; edge < edges.points; edge++) {
      if (isOdd[edge] === 0) continue;
      const polygon = polygons.rootOf(i32At(ringOf, edge));
      const box = boxes.get(polygon) ?? newBox();
      boxes.set(polygon, box);
      for (const point of [edge, edge + 1]) grow(box, edges.x(point), edges.y(point));
    }
    return [...boxes.values()];
  }
}

/** A box with longitudes from -180 to 180: west > east across the antimeridian. */
export function boxOnMap([west, south, east, north]: Box, scale: number): Box {
  const [half, full] = [180 * scale, 360 * scale];
  if (east - west >= full) return [-half, south, half, north];
  const turn = west >= half ? -full : west < -half ? full : 0;
  return [west + turn, south, east + turn > half ? east + turn - full : east + turn, north];
}

/** At most PARTS_MAX boxes: the widest group is divided at its widest gap, again and again. */
function nearOnesTogether(boxes: Box[]): Box[] {
  const groups = [boxes];
  while (groups.length < Math.min(PARTS_MAX, boxes.length)) {
    const widths = groups.map((group) => (group.length === 1 ? -1 : Math.max(...sizeOf(around(group)))));
    const widest = widths.indexOf(Math.max(...widths));
    groups.splice(widest, 1, ...divided(elementAt(groups, widest)));
  }
  return groups.map(around);
}

/** Two groups of boxes, with the widest gap between them along the longer side. */
function divided(group: readonly Box[]): [Box[], Box[]] {
  const [width, height] = sizeOf(around(group));
  const axis = width >= height ? 0 : 1;
  const sorted = group.toSorted((a, b) => elementAt(a, axis) - elementAt(b, axis));
  let [end, at, widest] = [Number.NEGATIVE_INFINITY, 1, Number.NEGATIVE_INFINITY];
  for (const [i, box] of sorted.entries()) {
    const gap = elementAt(box, axis) - end;
    if (i > 0 && gap > widest) [at, widest] = [i, gap];
    end = Math.max(end, elementAt(box, axis + 2));
  }
  return [sorted.slice(0, at), sorted.slice(at)];
}

function sizeOf([west, south, east, north]: Box): [width: number, height: number] {
  return [east - west, north - south];
}

/** The box around boxes. */
function around(boxes: readonly Box[]): Box {
  const all = newBox();
  for (const [west, south, east, north] of boxes) {
    grow(all, west, south);
    grow(all, east, north);
  }
  return all;
}
