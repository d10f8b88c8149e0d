// Which units of a level have a point in a box, exactly (format/README.md, 'Boxes'): by four steps, each of which decides
// units that the one before leaves. What takes long gives way to other requests. Used by filters.ts.
import { cellsMeeting, unitsWithEdges } from '../../../format/box-cells.ts';
import { type Box, rangesOfBox } from '../../../format/boxes.ts';
import { type Point, pointFrom } from '../../../format/grid.ts';
import { type CellRange, type PlaneBox, planeBoxes } from '../../../format/plane-box.ts';
import { type Positions, positionsOf } from '../../../format/positions.ts';
import type { Pieces } from '../../data/pieces.ts';
import type { Client, Reads } from '../../origin/origin.ts';
import { Turns } from '../../work/in-turns.ts';
import type { LevelBoxes, LevelCells } from './level-places.ts';

/** A box as it is asked for. */
export interface AskedBox {
  /** West, south, east, north: plain decimals of degrees. */
  decimals: readonly string[];
  /** The same in units of the index, rounded inward. */
  rounded: Box;
}

/** What finding the cells of a unit's parts takes, compared with bytes of cells. */
const BYTES_A_UNIT = 1024;
/** Pieces that are read before what they have is looked at. */
const AT_A_TIME = 256;

/**
 * Finds the units.
 * @param reads without a queue: the whole is a task of the client
 * @throws OriginError if stored bytes are missing or damaged
 */
export async function findInBox(
  { decimals, rounded }: AskedBox,
  boxes: LevelBoxes,
  { cells, pieces }: LevelCells,
  reads: Reads,
  client: Client,
): Promise<Positions> {
  const { found, left } = boxes.candidates(rounded);
  if (left.size === 0) return positionsOfUnits(found);
  const isLeft = (position: number): boolean => left.has(position);
  const decide = (position: number): void => {
    if (left.delete(position)) found.push(position);
  };
  const turns = new Turns();
  const search = async (box: PlaneBox, numbers: readonly number[], corner?: Point): Promise<void> => {
    const atCorner = corner && cells.cellAt(corner);
    for await (const { piece, bytes } of piecesOf(pieces, numbers, reads, client)) {
      unitsWithEdges(cells, piece, bytes, box, isLeft, decide);
      if (corner !== undefined && piece === atCorner) cells.unitsIn(corner, piece, bytes).forEach(decide);
      await turns.give(bytes.length);
      if (left.size === 0) return;
    }
  };
  const planes = planeBoxes(decimals, cells.precision);
  const seen = planes.map((box) => borderCells(box, cells.finest));
  for (const [i, box] of planes.entries()) {
    // An edge of the unit meets the border of the box, or lies in a cell there; or the box lies in the unit: then no
    // edge meets it, and any point of it does.
    await search(box, cellsMeeting(cells, box.cells(cells.finest), seen[i]), cornerOf(box));
  }
  for (const [i, box] of planes.entries()) {
    if (left.size === 0) break;
    // A piece of the unit lies in the box: in the cells of its parts there, away from the border.
    const inside = seen[i];
    if (inside === undefined) continue;
    const numbers = new Set<number>();
    for (const position of left) {
      for (const part of boxes.partsOf(position))
        for (const range of rangesOfBox(part, cells)) {
          const shared = sharedBy(range, inside);
          if (shared !== undefined) for (const cell of cellsMeeting(cells, shared)) numbers.add(cell);
        }
      await turns.give(BYTES_A_UNIT);
    }
    await search(
      box,
      [...numbers].sort((a, b) => a - b),
    );
  }
  return positionsOfUnits(found);
}

/** Those of smallest cells that lie in a box and do not meet its border; undefined if there are none. */
function borderCells(box: PlaneBox, finest: number): CellRange | undefined {
  const { west, south, east, north } = box.cells(finest);
  return west + 1 > east - 1 || south + 1 > north - 1
    ? undefined
    : { west: west + 1, south: south + 1, east: east - 1, north: north - 1 };
}

function sharedBy(a: CellRange, b: CellRange): CellRange | undefined {
  const west = Math.max(a.west, b.west);
  const south = Math.max(a.south, b.south);
  const east = Math.min(a.east, b.east);
  const north = Math.min(a.north, b.north);
  return west > east || south > north ? undefined : { west, south, east, north };
}

/** The south-western corner of a box, as points are looked up: 180 degrees east are 180 degrees west. */
function cornerOf({ west, south, parts }: PlaneBox): Point {
  return pointFrom(west.floor, south.floor, west.fraction, south.fraction, parts);
}

/** Bytes of pieces, in the order of the numbers: neighbours are read together. */
async function* piecesOf(
  pieces: Pieces,
  numbers: readonly number[],
  reads: Reads,
  client: Client,
): AsyncGenerator<{ piece: number; bytes: Buffer }> {
  for (let at = 0; at < numbers.length; at += AT_A_TIME)
    yield* await pieces.several(numbers.slice(at, at + AT_A_TIME), reads, client);
}

/** @param units positions in any order */
function positionsOfUnits(units: number[]): Positions {
  units.sort((a, b) => a - b);
  const ranges: number[] = [];
  for (const unit of units)
    if (ranges.at(-1) === unit) ranges[ranges.length - 1] = unit + 1;
    else ranges.push(unit, unit + 1);
  return positionsOf(ranges);
}
