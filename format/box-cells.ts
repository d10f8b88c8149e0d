// The cells of a level that a box meets, and the units of a cell that have an edge in it (README.md, 'Cells'). Used by
// the proxy for `bbox`.
import { CellReader, type Cells, lastUpTo } from './cells.ts';
import { f64At } from './element-at.ts';
import type { CellRange, PlaneBox } from './plane-box.ts';

/** A quarter of a quarter ... of the grid, in smallest cells. */
interface Quarter {
  column: number;
  row: number;
  width: number;
  /** Of its first smallest cell. */
  key: number;
}

/**
 * The numbers of the cells that a range of smallest cells meets, ascending: found by dividing the grid, of which a
 * quarter that lies in one cell is not divided further. Cells without bytes are left out.
 * @param within cells that lie in this range alone are left out
 */
export function cellsMeeting(cells: Cells, range: CellRange, within?: CellRange): number[] {
  const { key: keys } = cells.arrays;
  const found: number[] = [];
  const visit = ({ column, row, width, key }: Quarter): void => {
    const [lastColumn, lastRow] = [column + width - 1, row + width - 1];
    if (column > range.east || lastColumn < range.west || row > range.north || lastRow < range.south) return;
    if (
      within !== undefined &&
      column >= within.west &&
      lastColumn <= within.east &&
      row >= within.south &&
      lastRow <= within.north
    )
      return;
    const cell = lastUpTo(keys, key);
    const next = cell + 1 < keys.length ? f64At(keys, cell + 1) : Number.POSITIVE_INFINITY;
    if (next >= key + width * width || width === 1) {
      const { from, to } = cells.rangeOf(cell);
      if (from < to && found.at(-1) !== cell) found.push(cell);
      return;
    }
    const half = width / 2;
    for (let quarter = 0; quarter < 4; quarter++)
      visit({
        column: column + half * (quarter & 1),
        row: row + half * (quarter >> 1),
        width: half,
        key: key + quarter * half * half,
      });
  };
  visit({ column: 0, row: 0, width: cells.side, key: 0 });
  return found;
}

/**
 * Finds units that have an edge in a box among those of a cell.
 * @param bytes of the cell
 * @param isAsked is it still asked for the unit at a position?
 * @param found is called for each of these with an edge in the box
 */
export function unitsWithEdges(
  cells: Cells,
  cell: number,
  bytes: Uint8Array,
  box: PlaneBox,
  isAsked: (position: number) => boolean,
  found: (position: number) => void,
): void {
  const reader = new CellReader(cells, cell, bytes);
  while (reader.nextBorder()) {
    const asked = reader.sides.filter(isAsked);
    let isMet = asked.length === 0;
    while (reader.nextEdge()) isMet ||= box.meets(reader.x1, reader.y1, reader.x2, reader.y2);
    if (isMet) asked.forEach(found);
  }
}
