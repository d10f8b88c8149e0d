// The borders of a level's units for its cells and neighbours: each edge once, with the set of units that it bounds. In
// typed arrays, some 30 bytes for each different edge. level-borders.ts fills them.
import { f64At, u32At } from '../../format/element-at.ts';
import { NumberList } from '../rings/number-list.ts';

/** The set without units. An edge that bounds none is no border. */
export const NO_UNITS = 0;

const INITIAL_SLOTS = 1 << 13;
const INITIAL_POINTS = 1 << 12;
const GROWTH = 1.5;

/** More than the units of a level. Sets times units are below 2^53: an edge makes at most one set. */
const UNITS_MAX = 1 << 24;

/**
 * Edges that were added once or more, by number, in the order of the first time. The edge i goes from point i to i + 1.
 */
export class Borders {
  /**
   * Sets as a tree: each is the one that lacks its last unit, and that unit. Units come in ascending order, so a set
   * has one place in it; of thousands of units with one border each set takes as much as any other.
   */
  readonly #without = new NumberList(Uint32Array);
  readonly #last = new NumberList(Uint32Array);
  readonly #setNumbers = new Map<number, number>();
  /** The units of the sets that were asked for, ascending. */
  readonly #units = new Map<number, readonly number[]>([[NO_UNITS, []]]);
  // Two arrays of their own, which every division of a cell reads: a list of any kind of numbers takes twice as long.
  /** Points as x, y, x, y. */
  #flat = new Float64Array(2 * INITIAL_POINTS);
  /** Of the edge from each point to the next; NO_UNITS where the next begins anew. */
  #set = new Uint32Array(INITIAL_POINTS);
  #points = 0;
  /** Number + 1 of the edges by their hash; 0 is free. At most half is in use. */
  #table = new Uint32Array(INITIAL_SLOTS);
  #edges = 0;
  /** The step between sets that was taken last: most edges repeat it. */
  #step = { from: -1, unit: -1, to: NO_UNITS };
  #first = { unit: -1, to: NO_UNITS };

  constructor() {
    for (const list of [this.#without, this.#last]) list.push(NO_UNITS);
  }

  /** Adds an edge of a unit, the units in ascending order. One that the unit has twice is no border of it. */
  add(x1: number, y1: number, x2: number, y2: number, unit: number): void {
    if (x1 === x2 && y1 === y2) return;
    if (2 * (this.#edges + 1) > this.#table.length) this.#growTable();
    const slot = this.#slotOf(x1, y1, x2, y2);
    const found = u32At(this.#table, slot) - 1;
    if (found >= 0) {
      this.#set[found] = this.#toggled(this.setOf(found), unit);
      return;
    }
    const last = this.#points - 1;
    if (last < 0 || this.x(last) !== x1 || this.y(last) !== y1) this.#addPoint(x1, y1);
    const edge = this.#points - 1;
    this.#addPoint(x2, y2);
    this.#set[edge] = this.#only(unit);
    this.#table[slot] = edge + 1;
    this.#edges++;
  }

  /** The numbers of all borders. Nothing can be added afterwards. */
  numbers(): Uint32Array {
    this.#table = new Uint32Array(0);
    const numbers = new Uint32Array(this.#edges);
    let count = 0;
    for (let i = 0; i < this.#points; i++) if (this.setOf(i) !== NO_UNITS) numbers[count++] = i;
    return numbers.subarray(0, count);
  }

  /** Number of points: edges have lower numbers. */
  get points(): number {
    return this.#points;
  }

  /** Number of sets. */
  get sets(): number {
    return this.#last.length;
  }

  /** Does an edge with this set bound several units? */
  isShared(set: number): boolean {
    return this.#without.at(set) !== NO_UNITS;
  }

  /** The set that lacks the last unit of a set; it has a lower number. */
  withoutLast(set: number): number {
    return this.#without.at(set);
  }

  /** The last unit of a set. */
  lastOf(set: number): number {
    return this.#last.at(set);
  }

  /** The number of an edge, in either direction; -1 if it was not added. Not after `numbers`. */
  find(x1: number, y1: number, x2: number, y2: number): number {
    return u32At(this.#table, this.#slotOf(x1, y1, x2, y2)) - 1;
  }

  x(point: number): number {
    return f64At(this.#flat, 2 * point);
  }

  y(point: number): number {
    return f64At(this.#flat, 2 * point + 1);
  }

  /** The number of the set of units that an edge bounds. */
  setOf(edge: number): number {
    return u32At(this.#set, edge);
  }

  /** The units of a set, ascending. */
  unitsOf(set: number): readonly number[] {
    const known = this.#units.get(set);
    if (known !== undefined) return known;
    const units: number[] = [];
    for (let rest = set; rest !== NO_UNITS; rest = this.#without.at(rest)) units.push(this.#last.at(rest));
    units.reverse();
    this.#units.set(set, units);
    return units;
  }

  #addPoint(x: number, y: number): void {
    if (this.#points === this.#set.length) this.#growPoints();
    this.#flat[2 * this.#points] = x;
    this.#flat[2 * this.#points + 1] = y;
    this.#set[this.#points++] = NO_UNITS;
  }

  #growPoints(): void {
    const [flat, set] = [this.#flat, this.#set];
    const length = Math.ceil(GROWTH * set.length);
    this.#flat = new Float64Array(2 * length);
    this.#flat.set(flat);
    this.#set = new Uint32Array(length);
    this.#set.set(set);
  }

  /** The set of one unit. */
  #only(unit: number): number {
    if (this.#first.unit !== unit) this.#first = { unit, to: this.#with(NO_UNITS, unit) };
    return this.#first.to;
  }

  /** The set without a unit that is in it, as its last one, or with one that is not. */
  #toggled(set: number, unit: number): number {
    const { from, unit: last } = this.#step;
    if (from !== set || last !== unit) {
      const isIn = set !== NO_UNITS && this.#last.at(set) === unit;
      this.#step = { from: set, unit, to: isIn ? this.#without.at(set) : this.#with(set, unit) };
    }
    return this.#step.to;
  }

  #with(set: number, unit: number): number {
    const key = set * UNITS_MAX + unit;
    const known = this.#setNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#last.length;
    this.#without.push(set);
    this.#last.push(unit);
    this.#setNumbers.set(key, number);
    return number;
  }

  /** The place in the table of an edge, in either direction, or the free one where it would be. */
  #slotOf(x1: number, y1: number, x2: number, y2: number): number {
    const mask = this.#table.length - 1;
    for (let slot = hash(x1, y1, x2, y2) & mask; ; slot = (slot + 1) & mask) {
      const edge = u32At(this.#table, slot) - 1;
      if (edge < 0) return slot;
      const [x, y] = [this.x(edge), this.y(edge)];
      if (x === x1 && y === y1 && this.x(edge + 1) === x2 && this.y(edge + 1) === y2) return slot;
      if (x === x2 && y === y2 && this.x(edge + 1) === x1 && this.y(edge + 1) === y1) return slot;
    }
  }

  #growTable(): void {
    const old = this.#table;
    this.#table = new Uint32Array(2 * old.length);
    const mask = this.#table.length - 1;
    for (const number of old) {
      if (number === 0) continue;
      const edge = number - 1;
      let slot = hash(this.x(edge), this.y(edge), this.x(edge + 1), this.y(edge + 1)) & mask;
      while (u32At(this.#table, slot) !== 0) slot = (slot + 1) & mask;
      this.#table[slot] = number;
    }
  }
}

/** The same for both directions of an edge. */
function hash(x1: number, y1: number, x2: number, y2: number): number {
  const sum = mixed(x1, y1) + mixed(x2, y2);
  return sum ^ (sum >>> 15);
}

function mixed(x: number, y: number): number {
  const both = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b);
  return Math.imul(both ^ (both >>> 15), 0xc2b2ae35);
}
