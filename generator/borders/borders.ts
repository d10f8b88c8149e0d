// The borders of a level's units for its cells and neighbours: each edge once, with the set of units that it bounds. In
// typed arrays, some 30 bytes for each different edge. level-borders.ts fills them.
import { u32At } from '../../format/element-at.ts';
import { EdgeTable } from '../rings/edge-table.ts';
import { NumberList } from '../rings/number-list.ts';

/** The set without units. An edge that bounds none is no border. */
export const NO_UNITS = 0;

const SETS_MIN = 1 << 12;
const GROWTH = 1.5;

/** More than the units of a level. Sets times units are below 2^53: an edge makes at most one set. */
const UNITS_MAX = 1 << 24;

/** The edges of units, which are added in ascending order of the units. One that a unit has twice is no border of it. */
export class Borders extends EdgeTable {
  /**
   * Sets as a tree: each is the one that lacks its last unit, and that unit. Units come in ascending order, so a set
   * is once in it; of thousands of units with one border each set takes as much as any other.
   */
  readonly #without = new NumberList(Uint32Array);
  readonly #last = new NumberList(Uint32Array);
  readonly #setNumbers = new Map<number, number>();
  /** The units of the sets that were asked for, ascending. */
  readonly #units = new Map<number, readonly number[]>([[NO_UNITS, []]]);
  /** The set of each edge; NO_UNITS of a point at which the next edge begins anew. */
  #sets = new Uint32Array(SETS_MIN);
  /** The step between sets that was taken last: most edges repeat it. */
  #step = { from: -1, unit: -1, to: NO_UNITS };
  #first = { unit: -1, to: NO_UNITS };

  constructor() {
    super();
    for (const list of [this.#without, this.#last]) list.push(NO_UNITS);
  }

  /** Adds an edge of a unit. */
  addTo(unit: number, x1: number, y1: number, x2: number, y2: number): void {
    if (x1 === x2 && y1 === y2) return;
    const { size } = this;
    const edge = this.add(x1, y1, x2, y2);
    if (this.size === size) this.#sets[edge] = this.#toggled(this.setOf(edge), unit);
    else {
      if (this.points > this.#sets.length) this.#growSets();
      this.#sets[edge] = this.#only(unit);
    }
  }

  /** The numbers of all borders. Nothing can be added afterwards. */
  numbers(): Uint32Array {
    this.end();
    const numbers = new Uint32Array(this.size);
    let count = 0;
    for (let i = 0; i < this.points; i++) if (this.setOf(i) !== NO_UNITS) numbers[count++] = i;
    return numbers.subarray(0, count);
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

  /** The number of the set of units that an edge bounds. */
  setOf(edge: number): number {
    return u32At(this.#sets, edge);
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

  #growSets(): void {
    const sets = this.#sets;
    this.#sets = new Uint32Array(Math.ceil(GROWTH * this.points));
    this.#sets.set(sets);
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
}
