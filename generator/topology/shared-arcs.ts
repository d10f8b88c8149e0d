// The rings of one or several levels on a grid, divided into arcs: a run of points between two at which borders meet is
// one arc of all rings that have it, so whatever is done to it is done to all of them. Built for simplification. What is
// held are the distinct points, some 31 bytes for each, and first their hash table, then their numbers in all rings.
import { i32At } from '../../format/element-at.ts';
import { hashOf } from '../rings/edge-table.ts';
import { NumberList } from '../rings/number-list.ts';
import { endBefore, type FlatRings, type RingsByUnit } from './level-rings.ts';

/** A grid: rings are rounded to its cells. */
export interface Grid {
  /** Size of a cell in scaled degrees. */
  cell: number;
  /** Scaled degrees of a degree. */
  scale: number;
  /** Its extent, in cells from 0 degrees; places on it are counted from its left and its bottom. */
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** Rings made of arcs. A point is the number of a cell of the grid. */
export interface SharedArcs {
  /** Of each cell the first position that was in it, in scaled degrees. */
  x: Int32Array;
  y: Int32Array;
  /** The points of all arcs, each with both ends; an arc that is a ring alone begins and ends with the same one. */
  points: Int32Array;
  /** For each arc the index of its end in `points`. */
  arcEnds: Int32Array;
  /** The arcs of all rings, `~i` for arc i backwards. */
  arcs: Int32Array;
  /** For each ring the index of its end in `arcs`; a ring of fewer than three cells has none. */
  ringEnds: Int32Array;
  /** For each ring 1 if it is a hole in the exterior ring before it. */
  holes: Int32Array;
  /** For each unit, level after level in order of position, the index of the end of its rings. */
  unitEnds: Int32Array;
}

/** The units of a level, which are read once. */
type Units = Pick<RingsByUnit, 'all'>;

const NONE = -1;
const JUNCTION = -2;

/** Fewest cells of a ring. */
const RING_CELLS_MIN = 3;

/** Slots of the hash table at first, and the share of them that is used before there are twice as many. */
const SLOTS_MIN = 1 << 12;
const USED_MAX = 0.7;

/** Divides the rings of levels of the same scale. @param cell size of a cell of the grid in scaled degrees */
export function shareArcs(levels: readonly Units[], cell: number): SharedArcs {
  const table = new CellTable(cell);
  const ringCells = new NumberList(Int32Array);
  const cellEnds = new NumberList(Int32Array);
  const holes = new NumberList(Int32Array);
  const unitEnds = new NumberList(Int32Array);
  for (const unit of unitsIn(levels)) {
    for (let ring = 0; ring < unit.ringEnds.length; ring++) {
      const cells = table.cellsOf(unit, ring);
      table.addNeighbours(cells);
      for (let i = 0; i < cells.length; i++) ringCells.push(i32At(cells, i));
      cellEnds.push(ringCells.length);
      holes.push(i32At(unit.holes, ring));
    }
    unitEnds.push(cellEnds.length);
  }
  table.end();
  const isJunction = (point: number): boolean => table.isJunction(point);
  // The arc that has a cell between its ends, in the list of the second neighbours, which are needed no more.
  const arcOf = table.second;
  arcOf.values().fill(NONE);
  const points = new NumberList(Int32Array);
  const arcEnds = new NumberList(Int32Array);
  const arcs = new NumberList(Int32Array);
  const ends = new NumberList(Int32Array);
  /** The arcs of one edge, by the two cells of the edge: there is none between. */
  const edges = new Map<number, number>();

  /** Takes the arc from the cell at `from` of a ring to that at `to`, perhaps past its end. */
  const takeArc = (cells: Int32Array, from: number, to: number): void => {
    const at = (i: number): number => i32At(cells, i % cells.length);
    const second = at(from + 1);
    const isEdge = to - from === 1;
    const edge = Math.min(at(from), second) * table.x.length + Math.max(at(from), second);
    let arc = isEdge ? (edges.get(edge) ?? NONE) : arcOf.at(second);
    if (arc === NONE) {
      arc = arcEnds.length;
      if (isEdge) edges.set(edge, arc);
      for (let i = from; i <= to; i++) {
        points.push(at(i));
        if (i > from && i < to) arcOf.set(at(i), arc);
      }
      arcEnds.push(points.length);
      arcs.push(arc);
      return;
    }
    const start = arc === 0 ? 0 : arcEnds.at(arc - 1);
    arcs.push(points.at(start) === at(from) && points.at(start + 1) === second ? arc : ~arc);
  };
  const takeRing = (cells: Int32Array): void => {
    const { length } = cells;
    let start = NONE;
    for (let i = 0; i < length && start === NONE; i++) if (isJunction(i32At(cells, i))) start = i;
    if (start === NONE && length > 0) {
      // A ring that meets no other border: others that are the same one may begin elsewhere.
      start = 0;
      for (let i = 1; i < length; i++) if (i32At(cells, i) < i32At(cells, start)) start = i;
      takeArc(cells, start, start + length);
    } else
      for (let from = start; length > 0 && from < start + length; ) {
        let to = from + 1;
        while (to < start + length && !isJunction(i32At(cells, to % length))) to++;
        takeArc(cells, from, to);
        from = to;
      }
    ends.push(arcs.length);
  };
  const [all, allEnds] = [ringCells.values(), cellEnds.values()];
  for (let ring = 0; ring < allEnds.length; ring++)
    takeRing(all.subarray(endBefore(allEnds, ring), i32At(allEnds, ring)));
  return {
    x: table.x.values(),
    y: table.y.values(),
    points: points.values(),
    arcEnds: arcEnds.values(),
    arcs: arcs.values(),
    ringEnds: ends.values(),
    holes: holes.values(),
    unitEnds: unitEnds.values(),
  };
}

function* unitsIn(levels: readonly Units[]): Generator<FlatRings> {
  for (const level of levels) yield* level.all();
}

/** Numbers cells in the order in which they are asked for, and knows the cells beside each one in all rings. */
class CellTable {
  readonly x = new NumberList(Int32Array);
  readonly y = new NumberList(Int32Array);
  /** The two cells beside each one; JUNCTION in the first list for one that has others, too: borders meet there. */
  readonly first = new NumberList(Int32Array);
  readonly second = new NumberList(Int32Array);
  readonly #cell: number;
  #slots = new Int32Array(SLOTS_MIN).fill(NONE);
  #ring = new Int32Array(SLOTS_MIN);

  constructor(cell: number) {
    this.#cell = cell;
  }

  /** The cells of a ring, of which none follows itself; none if there are fewer than three. Valid until the next. */
  cellsOf(unit: FlatRings, ring: number): Int32Array {
    const [begin, end] = [endBefore(unit.ringEnds, ring), i32At(unit.ringEnds, ring)];
    if (end - begin > this.#ring.length) this.#ring = new Int32Array(2 * (end - begin));
    const cells = this.#ring;
    let length = 0;
    for (let i = begin; i < end; i++) {
      const cell = this.#cellAt(i32At(unit.x, i), i32At(unit.y, i));
      if (length === 0 || cells[length - 1] !== cell) cells[length++] = cell;
    }
    while (length > 1 && cells[length - 1] === cells[0]) length--;
    return cells.subarray(0, length < RING_CELLS_MIN ? 0 : length);
  }

  addNeighbours(ring: Int32Array): void {
    for (let i = 0; i < ring.length; i++) {
      const cell = i32At(ring, i);
      const before = i32At(ring, i === 0 ? ring.length - 1 : i - 1);
      const after = i32At(ring, i + 1 === ring.length ? 0 : i + 1);
      const a = this.first.at(cell);
      const b = this.second.at(cell);
      if (a === NONE) {
        this.first.set(cell, before);
        this.second.set(cell, after);
      } else if (!((a === before && b === after) || (a === after && b === before))) this.first.set(cell, JUNCTION);
    }
  }

  /** No further cell is asked for. */
  end(): void {
    this.#slots = new Int32Array();
  }

  isJunction(cell: number): boolean {
    return this.first.at(cell) === JUNCTION;
  }

  /** The cell of a position in scaled degrees. */
  #cellAt(x: number, y: number): number {
    const [column, row] = [this.#placeOf(x), this.#placeOf(y)];
    const slot = this.#slotOf(column, row);
    const known = i32At(this.#slots, slot);
    if (known !== NONE) return known;
    const cell = this.x.length;
    this.#slots[slot] = cell;
    this.x.push(x);
    this.y.push(y);
    this.first.push(NONE);
    this.second.push(NONE);
    if (this.x.length > USED_MAX * this.#slots.length) this.#grow();
    return cell;
  }

  #placeOf(coordinate: number): number {
    return Math.round(coordinate / this.#cell);
  }

  /** The slot of a cell, or the free one where it would be. */
  #slotOf(column: number, row: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(column, row) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const cell = i32At(slots, slot);
      if (cell === NONE) return slot;
      if (this.#placeOf(this.x.at(cell)) === column && this.#placeOf(this.y.at(cell)) === row) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(NONE);
    for (let cell = 0; cell < this.x.length; cell++)
      this.#slots[this.#slotOf(this.#placeOf(this.x.at(cell)), this.#placeOf(this.y.at(cell)))] = cell;
  }
}
