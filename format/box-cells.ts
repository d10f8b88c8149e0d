// The cells of a level that a box meets, and the units of a cell that have an edge in it (README.md, 'Boxes').
import type { Candidates } from './boxes.ts';
import { bordersIn, STEP_NUMBERS, UNITS_AT, VarintReader } from './cell-numbers.ts';
import type { Cells } from './cells.ts';
import { f64At } from './element-at.ts';
import { keyAt } from './grid.ts';
import { lastUpTo } from './last-up-to.ts';
import type { CellRange, PlaneBox } from './plane-box.ts';
import type { Steps } from './steps.ts';

/**
 * The numbers of the cells that ranges of smallest cells meet, ascending: found by dividing the grid, of which a
 * quarter that lies in one cell is not divided further. Cells without bytes are left out.
 * @param within cells that lie in this range are left out
 */
export function cellsMeeting(cells: Cells, ranges: readonly CellRange[], within?: CellRange): number[] {
  const { key: keys } = cells.arrays;
  const found: number[] = [];
  /**
   * Of a quarter of a quarter ... of the grid.
   * @param key of its first smallest cell
   * @param from,end of the cells among which it is looked for
   */
  const visit = (column: number, row: number, width: number, key: number, from: number, end: number): void => {
    const [lastColumn, lastRow] = [column + width - 1, row + width - 1];
    if (within !== undefined && column >= within.west && lastColumn <= within.east)
      if (row >= within.south && lastRow <= within.north) return;
    let isMet = false;
    for (const { west, south, east, north } of ranges)
      if (column <= east && lastColumn >= west && row <= north && lastRow >= south) {
        isMet = true;
        break;
      }
    if (!isMet) return;
    const first = lastUpTo(keys, key, from, end);
    const last = lastUpTo(keys, key + width * width - 1, first, end);
    if (first === last) {
      if (found.at(-1) !== first && cells.bytesOf(first) > 0) found.push(first);
      return;
    }
    const half = width / 2;
    const keysOfQuarter = half * half;
    visit(column, row, half, key, first, last + 1);
    visit(column + half, row, half, key + keysOfQuarter, first, last + 1);
    visit(column, row + half, half, key + 2 * keysOfQuarter, first, last + 1);
    visit(column + half, row + half, half, key + 3 * keysOfQuarter, first, last + 1);
  };
  const { column, row, width } = quarterAround(ranges);
  const key = keyAt(column, row, 1);
  const first = lastUpTo(keys, key);
  visit(column, row, width, key, first, lastUpTo(keys, key + width * width - 1, first) + 1);
  return found;
}

/** The least quarter of a quarter ... of the grid that has some ranges of smallest cells in it. */
function quarterAround(ranges: readonly CellRange[]): { column: number; row: number; width: number } {
  const [{ west, south } = { west: 0, south: 0 }] = ranges;
  let unlike = 0;
  for (const range of ranges)
    unlike |= (range.west ^ west) | (range.east ^ west) | (range.south ^ south) | (range.north ^ south);
  const width = 2 ** (32 - Math.clz32(unlike));
  return { column: west - (west % width), row: south - (south % width), width };
}

/**
 * Decides the candidates that have an edge in a box among the units of a cell.
 * @param numbers of the cell, as `readCell` has them
 */
export function decideByEdges(
  cells: Cells,
  cell: number,
  numbers: Float64Array,
  box: PlaneBox,
  candidates: Candidates,
): void {
  const others = candidates.size - leftIn(numbers, candidates);
  decideByBorders(numbers, bordersIn(numbers), numbers.length, cells.gridPointOf(cell), box, candidates, others);
}

/** The same in steps. */
export function* decidingByEdges(
  cells: Cells,
  cell: number,
  numbers: Float64Array,
  box: PlaneBox,
  candidates: Candidates,
): Steps<void> {
  const others = candidates.size - leftIn(numbers, candidates);
  const corner = cells.gridPointOf(cell);
  for (let next = bordersIn(numbers); candidates.size > others && next < numbers.length; ) {
    next = decideByBorders(numbers, next, next + STEP_NUMBERS, corner, box, candidates, others);
    yield;
  }
}

/** How many of the units of a cell are left. */
function leftIn(numbers: Float64Array, candidates: Candidates): number {
  const end = bordersIn(numbers);
  let left = 0;
  for (let at = UNITS_AT + 1; at < end; at++) if (candidates.isLeft(positionAt(numbers, at))) left++;
  return left;
}

/**
 * @param begin of the first border
 * @param end where no further border is begun
 * @param others candidates that are no units of the cell: what borders say of units that are decided is not looked at
 * @returns where the next border begins
 */
function decideByBorders(
  numbers: Float64Array,
  begin: number,
  end: number,
  { x, y }: { x: number; y: number },
  box: PlaneBox,
  candidates: Candidates,
  others: number,
): number {
  const first = UNITS_AT + 1;
  let next = begin;
  while (candidates.size > others && next < end && next < numbers.length) {
    const side = next + 1;
    const sides = side + f64At(numbers, next);
    next = f64At(numbers, sides);
    let isAsked = false;
    for (let at = side; at < sides; at++)
      if (candidates.isLeft(positionAt(numbers, first + f64At(numbers, at)))) isAsked = true;
    if (!isAsked || !meetsEdge(box, x, y, numbers, sides + 1, next)) continue;
    for (let at = side; at < sides; at++) candidates.decide(positionAt(numbers, first + f64At(numbers, at)));
  }
  return next;
}

/** The position of a unit of a cell. */
function positionAt(numbers: Float64Array, at: number): number {
  return f64At(numbers, at) >>> 1;
}

/** Has one of the edges between points from `from` on a point in a box? @param x,y from where the points are seen */
function meetsEdge(box: PlaneBox, x: number, y: number, points: Float64Array, from: number, end: number): boolean {
  let x2 = x + f64At(points, from);
  let y2 = y + f64At(points, from + 1);
  for (let at = from + 2; at < end; at += 2) {
    const [x1, y1] = [x2, y2];
    x2 = x + f64At(points, at);
    y2 = y + f64At(points, at + 1);
    if (box.meets(x1, y1, x2, y2)) return true;
  }
  return false;
}

/** Is one of the units of a cell left? */
export function hasLeft(bytes: Uint8Array, candidates: Candidates): boolean {
  const reader = new VarintReader(bytes);
  let position = 0;
  for (let left = reader.next(); left > 0; left--) {
    position += Math.floor(reader.next() / 2);
    if (candidates.isLeft(position)) return true;
  }
  return false;
}
