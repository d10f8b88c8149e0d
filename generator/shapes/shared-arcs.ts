// The rings of one or several levels on a grid, divided into arcs: a run of points between two at which borders meet is
// one arc of all rings that have it, so whatever is done to it is done to all of them. Built for simplification.
import { i32At } from '../../format/element-at.ts';
import { NumberList } from '../geojson/number-list.ts';
import { endBefore, type LevelRings } from './level-rings.ts';

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
  /** Place of each cell, in cells of the grid. */
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

/** Rings on the grid. */
interface GridRings {
  x: Int32Array;
  y: Int32Array;
  /** The cells of all rings; none follows itself. */
  cells: Int32Array;
  ringEnds: Int32Array;
  holes: Int32Array;
  unitEnds: Int32Array;
}

const NONE = -1;
const JUNCTION = -2;

/** Fewest cells of a ring. */
const RING_CELLS_MIN = 3;

/** Slots of the hash table for each position. */
const SLOTS = 1.5;

/** Divides the rings of levels of the same scale. */
export function shareArcs(levels: readonly LevelRings[], grid: Grid): SharedArcs {
  const { x, y, cells, ringEnds, holes, unitEnds } = gridRings(levels, grid);
  const { first, second } = neighbours(cells, ringEnds, x.length);
  const isJunction = (point: number): boolean => first[point] === JUNCTION;
  // The arc that has a cell between its ends, in the array of the second neighbours, which are needed no more.
  const arcOf = second.fill(NONE);
  const points = new NumberList(Int32Array);
  const arcEnds = new NumberList(Int32Array);
  const arcs = new NumberList(Int32Array);
  const ends = new NumberList(Int32Array);
  /** The arcs of one edge, by the two cells of the edge: there is none between. */
  const edges = new Map<number, number>();

  /**
   * Takes the arc from the cell at `from` of a ring to that at `to`, both counted from its begin and perhaps past its
   * end.
   */
  const takeArc = (begin: number, length: number, from: number, to: number): void => {
    const at = (i: number): number => i32At(cells, begin + (i % length));
    const second = at(from + 1);
    const isEdge = to - from === 1;
    const edge = Math.min(at(from), second) * x.length + Math.max(at(from), second);
    let arc = isEdge ? (edges.get(edge) ?? NONE) : i32At(arcOf, second);
    if (arc === NONE) {
      arc = arcEnds.length;
      if (isEdge) edges.set(edge, arc);
      for (let i = from; i <= to; i++) {
        points.push(at(i));
        if (i > from && i < to) arcOf[at(i)] = arc;
      }
      arcEnds.push(points.length);
      arcs.push(arc);
      return;
    }
    const start = arc === 0 ? 0 : arcEnds.at(arc - 1);
    arcs.push(points.at(start) === at(from) && points.at(start + 1) === second ? arc : ~arc);
  };
  let begin = 0;
  for (const end of ringEnds) {
    const length = end - begin;
    let start = NONE;
    for (let i = 0; i < length && start === NONE; i++) if (isJunction(i32At(cells, begin + i))) start = i;
    if (start === NONE && length > 0) {
      // A ring that meets no other border: others that are the same one may begin elsewhere.
      start = 0;
      for (let i = 1; i < length; i++) if (i32At(cells, begin + i) < i32At(cells, begin + start)) start = i;
      takeArc(begin, length, start, start + length);
    } else
      for (let from = start; length > 0 && from < start + length; ) {
        let to = from + 1;
        while (to < start + length && !isJunction(i32At(cells, begin + (to % length)))) to++;
        takeArc(begin, length, from, to);
        from = to;
      }
    ends.push(arcs.length);
    begin = end;
  }
  return {
    x,
    y,
    points: points.values(),
    arcEnds: arcEnds.values(),
    arcs: arcs.values(),
    ringEnds: ends.values(),
    holes,
    unitEnds,
  };
}

/** Rounds the rings to the grid. */
function gridRings(levels: readonly LevelRings[], { cell, left, bottom }: Grid): GridRings {
  const total = levels.reduce((sum, { x }) => sum + x.length, 0);
  const table = new CellTable(total);
  const cells = new Int32Array(total);
  const ringEnds = new NumberList(Int32Array);
  const holes = new NumberList(Int32Array);
  const unitEnds = new NumberList(Int32Array);
  let length = 0;
  for (const level of levels)
    for (let unit = 0; unit < level.unitEnds.length; unit++) {
      for (let ring = endBefore(level.unitEnds, unit); ring < i32At(level.unitEnds, unit); ring++) {
        const begin = length;
        const end = i32At(level.ringEnds, ring);
        for (let i = endBefore(level.ringEnds, ring); i < end; i++) {
          const column = Math.round(i32At(level.x, i) / cell) - left;
          const row = Math.round(i32At(level.y, i) / cell) - bottom;
          const point = table.cellAt(column, row);
          if (length === begin || cells[length - 1] !== point) cells[length++] = point;
        }
        while (length > begin + 1 && cells[length - 1] === cells[begin]) length--;
        if (length < begin + RING_CELLS_MIN) length = begin;
        ringEnds.push(length);
        holes.push(i32At(level.holes, ring));
      }
      unitEnds.push(ringEnds.length);
    }
  return {
    ...table.places(),
    cells: cells.slice(0, length),
    ringEnds: ringEnds.values(),
    holes: holes.values(),
    unitEnds: unitEnds.values(),
  };
}

/** Numbers cells in the order in which they are asked for. */
class CellTable {
  readonly #slots: Int32Array;
  readonly #x: Int32Array;
  readonly #y: Int32Array;
  #count = 0;

  constructor(cellsMax: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(SLOTS * cellsMax + 1))).fill(NONE);
    this.#x = new Int32Array(cellsMax);
    this.#y = new Int32Array(cellsMax);
  }

  cellAt(x: number, y: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(x, y) & mask;
    let cell = slots[slot] ?? NONE;
    while (cell !== NONE && (this.#x[cell] !== x || this.#y[cell] !== y)) {
      slot = (slot + 1) & mask;
      cell = slots[slot] ?? NONE;
    }
    if (cell !== NONE) return cell;
    cell = this.#count++;
    slots[slot] = cell;
    this.#x[cell] = x;
    this.#y[cell] = y;
    return cell;
  }

  places(): { x: Int32Array; y: Int32Array } {
    return { x: this.#x.slice(0, this.#count), y: this.#y.slice(0, this.#count) };
  }
}

/** Multiplicative hashing with odd constants, the golden ratio of 2^32 among them. */
function hashOf(x: number, y: number): number {
  const mixed = Math.imul(Math.imul(x, 0x9e3779b1) ^ y, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

/** The two cells beside each one in all rings; JUNCTION in `first` for one that has others, too: borders meet there. */
function neighbours(cells: Int32Array, ringEnds: Int32Array, count: number) {
  const first = new Int32Array(count).fill(NONE);
  const second = new Int32Array(count);
  let begin = 0;
  for (const end of ringEnds) {
    for (let i = begin; i < end; i++) {
      const cell = i32At(cells, i);
      const before = i32At(cells, i === begin ? end - 1 : i - 1);
      const after = i32At(cells, i + 1 === end ? begin : i + 1);
      const a = i32At(first, cell);
      const b = i32At(second, cell);
      if (a === NONE) {
        first[cell] = before;
        second[cell] = after;
      } else if (!((a === before && b === after) || (a === after && b === before))) first[cell] = JUNCTION;
    }
    begin = end;
  }
  return { first, second };
}
