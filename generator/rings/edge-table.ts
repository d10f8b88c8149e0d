// Which edges occur twice: edges by number, in the order in which they were first added, each the same in both
// directions. In typed arrays, some 30 bytes for each different one.
import { f64At, u32At } from '../../format/element-at.ts';

const EDGES_MIN = 1 << 4;
const GROWTH = 1.5;

/** Edges that were added once or more. The edge i goes from point i to i + 1: of edges in a row each point is there once. */
export class EdgeTable {
  /** How many different ones there are. */
  size = 0;
  // An array of its own, which every division of a cell reads: a list of any kind of numbers takes twice as long.
  /** Points as x, y, x, y. */
  #flat: Float64Array;
  #points = 0;
  /** Number + 1 of the edges by their hash; 0 is free. At most half is in use. */
  #slots: Uint32Array;

  /** @param edges how many there may be; with more it grows */
  constructor(edges = EDGES_MIN) {
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * (edges + 1))));
    this.#flat = new Float64Array(2 * (edges + 1));
  }

  /** Adds an edge, whose ends are whole numbers, unless it is there in either direction. @returns its number */
  add(x1: number, y1: number, x2: number, y2: number): number {
    if (2 * (this.size + 1) > this.#slots.length) this.#growSlots();
    const slot = this.#slotOf(x1, y1, x2, y2);
    const found = u32At(this.#slots, slot) - 1;
    if (found >= 0) return found;
    const last = this.#points - 1;
    if (last < 0 || this.x(last) !== x1 || this.y(last) !== y1) this.#addPoint(x1, y1);
    const edge = this.#points - 1;
    this.#addPoint(x2, y2);
    this.#slots[slot] = edge + 1;
    this.size++;
    return edge;
  }

  /** The number of an edge, in either direction; -1 if it was not added. */
  find(x1: number, y1: number, x2: number, y2: number): number {
    return u32At(this.#slots, this.#slotOf(x1, y1, x2, y2)) - 1;
  }

  /** The numbers of all edges, in no order. */
  *all(): Generator<number> {
    for (const slot of this.#slots) if (slot > 0) yield slot - 1;
  }

  /** Number of points: edges have lower numbers. */
  get points(): number {
    return this.#points;
  }

  x(point: number): number {
    return f64At(this.#flat, 2 * point);
  }

  y(point: number): number {
    return f64At(this.#flat, 2 * point + 1);
  }

  /** Nothing is added or found any more: frees memory. */
  end(): void {
    this.#slots = new Uint32Array(0);
  }

  #addPoint(x: number, y: number): void {
    if (2 * this.#points === this.#flat.length) {
      const flat = this.#flat;
      this.#flat = new Float64Array(2 * Math.ceil(GROWTH * this.#points));
      this.#flat.set(flat);
    }
    this.#flat[2 * this.#points] = x;
    this.#flat[2 * this.#points++ + 1] = y;
  }

  /** The slot of an edge, in either direction, or the free one where it would be. */
  #slotOf(x1: number, y1: number, x2: number, y2: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOfEdge(x1, y1, x2, y2) & mask; ; slot = (slot + 1) & mask) {
      const edge = u32At(this.#slots, slot) - 1;
      if (edge < 0) return slot;
      const [x, y] = [this.x(edge), this.y(edge)];
      if (x === x1 && y === y1 && this.x(edge + 1) === x2 && this.y(edge + 1) === y2) return slot;
      if (x === x2 && y === y2 && this.x(edge + 1) === x1 && this.y(edge + 1) === y1) return slot;
    }
  }

  #growSlots(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    const mask = this.#slots.length - 1;
    for (const number of old) {
      if (number === 0) continue;
      const edge = number - 1;
      let slot = hashOfEdge(this.x(edge), this.y(edge), this.x(edge + 1), this.y(edge + 1)) & mask;
      while (u32At(this.#slots, slot) !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}

/** 32 bits, the same for both directions of an edge. */
export function hashOfEdge(x1: number, y1: number, x2: number, y2: number): number {
  const sum = hashOf(x1, y1) + hashOf(x2, y2);
  return sum ^ (sum >>> 15);
}

/** 32 bits of two whole numbers: multiplicative hashing with odd constants, the golden ratio of 2^32 among them. */
export function hashOf(x: number, y: number): number {
  const both = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b);
  return Math.imul(both ^ (both >>> 15), 0xc2b2ae35);
}
