// The parts of a unit: boxes that cover the rings of its polygons, by which a box on the map is compared with each
// island instead of the extent of all.
import { elementAt, i32At } from '../../format/element-at.ts';
import { PARTS_MAX } from '../../format/level-index.ts';
import { type Box, grow, type IndexBox, indexBox, newBox } from './bbox.ts';
import { type Coordinates, unrolled } from './coordinates.ts';
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
  finish(): IndexBox[] {
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
    const twice = this.#edgesTwice();
    if (twice === undefined) {
      // What a hole adds to the box of its polygon, it adds as a part.
      let outer = newBox();
      return this.#rings.flatMap(({ box, isHole }) => {
        if (isHole && isIn(box, outer)) return [];
        if (!isHole) outer = box;
        return [box];
      });
    }
    const { owner, isEven } = twice;
    const boxes = new Map<number, Box>();
    for (const [number, { first, end }] of this.#rings.entries())
      for (let i = first; i + 1 < end; i++) {
        if (isEven[i] === 1) continue;
        const group = rootOf(owner, number);
        const box = boxes.get(group) ?? newBox();
        boxes.set(group, box);
        grow(box, this.#x(i), this.#y(i));
        grow(box, this.#x(i + 1), this.#y(i + 1));
      }
    return [...boxes.values()];
  }

  /**
   * Which edges the unit has an even number of times, by their first positions, and for each ring another one that it
   * has an edge in common with, or itself. Undefined if it has no edge twice and none without length.
   */
  #edgesTwice(): { owner: number[]; isEven: Uint8Array } | undefined {
    const positions = this.#flat.length / 2;
    const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * positions)));
    const ringOf = new Int32Array(positions);
    const isEven = new Uint8Array(positions);
    const owner = this.#rings.map((_, number) => number);
    let isTwice = false;
    for (const [number, { first, end }] of this.#rings.entries())
      for (let i = first; i + 1 < end; i++) {
        ringOf[i] = number;
        if (this.#x(i) === this.#x(i + 1) && this.#y(i) === this.#y(i + 1)) {
          // A ring may have no others.
          isTwice = true;
          isEven[i] = 1;
          continue;
        }
        let slot = this.#hash(i) & (table.length - 1);
        while (i32At(table, slot) !== 0 && !this.#isSame(i32At(table, slot) - 1, i))
          slot = (slot + 1) & (table.length - 1);
        const known = i32At(table, slot) - 1;
        if (known === -1) {
          table[slot] = i + 1;
          continue;
        }
        // The first one stands for all: it is left where their number is odd.
        isTwice = true;
        isEven[i] = 1;
        isEven[known] = isEven[known] === 1 ? 0 : 1;
        owner[rootOf(owner, number)] = rootOf(owner, i32At(ringOf, known));
      }
    return isTwice ? { owner, isEven } : undefined;
  }

  /** Are two edges the same, in either direction? */
  #isSame(a: number, b: number): boolean {
    const [x1, y1, x2, y2] = [this.#x(b), this.#y(b), this.#x(b + 1), this.#y(b + 1)];
    if (this.#x(a) === x1 && this.#y(a) === y1 && this.#x(a + 1) === x2 && this.#y(a + 1) === y2) return true;
    return this.#x(a) === x2 && this.#y(a) === y2 && this.#x(a + 1) === x1 && this.#y(a + 1) === y1;
  }

  /** The same in both directions. */
  #hash(i: number): number {
    const x = this.#x(i) + this.#x(i + 1);
    const y = this.#y(i) + this.#y(i + 1);
    const mixed = Math.imul((x % 0x7fffffff) | 0, 0x9e3779b1) ^ Math.imul((y % 0x7fffffff) | 0, 0x85ebca77);
    return mixed ^ (mixed >>> 15);
  }

  #x(position: number): number {
    return this.#flat.at(2 * position);
  }

  #y(position: number): number {
    return this.#flat.at(2 * position + 1);
  }
}

function isIn(box: Box, other: Box): boolean {
  return box[0] >= other[0] && box[1] >= other[1] && box[2] <= other[2] && box[3] <= other[3];
}

/** The ring that stands for all that it has edges in common with. */
function rootOf(owner: number[], number: number): number {
  let root = number;
  while (elementAt(owner, root) !== root) {
    owner[root] = elementAt(owner, elementAt(owner, root));
    root = elementAt(owner, root);
  }
  return root;
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
