// The cells of a level that a box meets, and the units of a cell that have an edge in it (README.md, 'Boxes'). Used by
// the proxy for `bbox`.
import type { Candidates } from './boxes.ts';
import { type Cells, lastUpTo, VarintReader } from './cells.ts';
import { f64At, numberAt } from './element-at.ts';
import { gridPointOf } from './grid.ts';
import type { CellRange, PlaneBox } from './plane-box.ts';

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
  visit(0, 0, cells.side, 0, 0, keys.length);
  return found;
}

/** Decides the candidates that have an edge in a box among the units of a cell. @param bytes of the cell */
export function decideByEdges(
  cells: Cells,
  cell: number,
  bytes: Uint8Array,
  box: PlaneBox,
  candidates: Candidates,
): void {
  const reader = new VarintReader(bytes);
  const units: number[] = [];
  let left = 0;
  for (let count = reader.next(), position = 0; units.length < count; ) {
    position += Math.floor(reader.next() / 2);
    units.push(position);
    if (candidates.isLeft(position)) left++;
  }
  const origin = gridPointOf(f64At(cells.arrays.key, cell), cells.finest);
  let { x, y } = origin;
  // What follows says nothing of units that are decided.
  while (left > 0 && !reader.isAtEnd) {
    const code = reader.next();
    const sides = code % 4 === 0 ? reader.next() : code % 4;
    const indexes = reader.at;
    let isAsked = false;
    for (let side = 0; side < sides; side++) if (candidates.isLeft(numberAt(units, reader.next()))) isAsked = true;
    const edges = Math.floor(code / 4);
    const border = reader.pointsAfter(x, y, edges + 1);
    const last = 2 * edges + 2;
    x = f64At(border, last);
    y = f64At(border, last + 1);
    if (!isAsked || !meetsEdge(box, border, last)) continue;
    const end = reader.at;
    reader.at = indexes;
    const before = candidates.size;
    for (let side = 0; side < sides; side++) candidates.decide(numberAt(units, reader.next()));
    left -= before - candidates.size;
    reader.at = end;
  }
}

/** Has one of the edges of a border a point in a box? @param border x and y in turn, from 2 on to those at `last` */
function meetsEdge(box: PlaneBox, border: Float64Array, last: number): boolean {
  for (let at = 2; at < last; at += 2)
    if (box.meets(f64At(border, at), f64At(border, at + 1), f64At(border, at + 2), f64At(border, at + 3))) return true;
  return false;
}
