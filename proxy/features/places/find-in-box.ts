// Which units of a level have a point in a box, exactly (format/README.md, 'Boxes'): by four steps, each of which
// decides units that the one before leaves.
import { cellsMeeting, decideByEdges, decidingByEdges, hasLeft } from '../../../format/box-cells.ts';
import { type Box, type Candidates, rangesOfBox } from '../../../format/boxes.ts';
import type { Cells } from '../../../format/cells.ts';
import { type Point, pointFrom } from '../../../format/grid.ts';
import { type CellRange, type PlaneBox, planeBoxes } from '../../../format/plane-box.ts';
import type { Positions } from '../../../format/positions.ts';
import type { Steps } from '../../../format/steps.ts';
import type { QueuedReads, Recipient } from '../../origin/origin.ts';
import { inTurns, type WaitingSteps } from '../../work/in-turns.ts';
import type { KeptCells } from './kept-cells.ts';
import type { LevelBoxes, LevelCells } from './level-places.ts';

/** A box as it is asked for. */
export interface AskedBox {
  /** West, south, east, north: plain decimals of degrees. */
  decimals: readonly string[];
  /** The same in units of the index, rounded inward. */
  rounded: Box;
}

/** What a unit takes, the cells of its parts or a comparison, or a cell that is kept, compared with bytes of cells. */
const BYTES_A_UNIT = 1024;
/** So few units that the border of a box is looked at where they are: along all of it that takes longer. */
const FEW = 16;
/** Bytes of cells that are gone through in the first step, less than a millisecond, and in each further one. */
const FIRST_BYTES = 64 * 1024;
const STEP_BYTES = 20 * 1024;
/** Pieces that are read before what they have is looked at. */
const AT_A_TIME = 256;

/** Cells that have to be looked at. */
interface Cut {
  /** Ascending. */
  cells: readonly number[];
  /** Decides units by the numbers of one of them. */
  look(cell: number, numbers: Float64Array): void;
  /** The same in steps, of a large one. */
  looking(cell: number, numbers: Float64Array): Steps<void>;
}

/**
 * Finds the units: what is short in one step, unless it must be read later.
 * @throws OriginError if stored bytes are missing or damaged
 */
export function* findingInBox(
  box: AskedBox,
  boxes: LevelBoxes,
  level: LevelCells,
  reads: QueuedReads,
  client: Recipient,
): WaitingSteps<Positions> {
  const { cells, pieces, kept } = level;
  const candidates = boxes.candidates(box.rounded);
  let room = FIRST_BYTES;
  const isEnough = (bytes: number): boolean => {
    room -= bytes;
    if (room >= 0) return false;
    room = STEP_BYTES;
    return true;
  };
  const bytesOf = (some: readonly number[]): number => some.reduce((sum, cell) => sum + cells.bytesOf(cell), 0);
  for (const cut of cutsOf(box, boxes, cells, candidates)) {
    if (typeof cut === 'number') {
      if (isEnough(cut)) yield;
      continue;
    }
    for (let at = 0; at < cut.cells.length && candidates.size > 0; at += AT_A_TIME) {
      const some = cut.cells.slice(at, at + AT_A_TIME);
      // Not so much is read at once.
      if (bytesOf(some) > room) {
        yield;
        room = STEP_BYTES;
      }
      const large = some.filter((cell) => kept.isLarge(cells.bytesOf(cell)));
      const others = large.length === 0 ? some : some.filter((cell) => !large.includes(cell));
      const missing = lookAtKept(cut, others, kept);
      if (isEnough(BYTES_A_UNIT * (others.length - missing.length))) yield;
      if (candidates.size === 0) break;
      const { found, readOthers } = pieces.several(missing, reads, client);
      if (readOthers !== undefined) {
        yield;
        yield readOthers().then((others) => void found.push(...others));
      }
      for (const { piece, bytes } of found) {
        if (hasLeft(bytes, candidates)) cut.look(piece, kept.read(piece, bytes));
        if (isEnough(bytes.length)) yield;
        if (candidates.size === 0) break;
      }
      for (const cell of large)
        if (candidates.size > 0) {
          yield;
          yield level.largeCell(cell, reads.ofTask, client).then((numbers) => inTurns(cut.looking(cell, numbers)));
        }
    }
  }
  return candidates.found;
}

/** Looks at those of some cells that are kept. @returns the others */
function lookAtKept(cut: Cut, cells: readonly number[], kept: KeptCells): number[] {
  return cells.filter((cell) => {
    const numbers = kept.get(cell);
    if (numbers !== undefined) cut.look(cell, numbers);
    return numbers === undefined;
  });
}

/** The cells that have to be looked at, and what was done to find them, compared with bytes of cells. */
function* cutsOf(
  { decimals, rounded }: AskedBox,
  boxes: LevelBoxes,
  cells: Cells,
  candidates: Candidates,
): Generator<Cut | number> {
  if (candidates.size === 0) return;
  const planes = planeBoxes(decimals, cells.precision);
  const insides = planes.map((box) => insideOf(box, cells.finest));
  // Cells say who is at the corner: nobody is asked if it cannot matter.
  const mayLieAround = candidates.left.some((unit) => boxes.holds(unit, rounded));
  for (const [i, box] of planes.entries()) {
    // An edge of the unit meets the border of the box, or lies in a cell there; or the box lies in the unit: then no
    // edge meets it, and any point of it does.
    const corner = cornerOf(box);
    const atCorner = cells.cellAt(corner);
    const all = box.cells(cells.finest);
    const asked = candidates.size > FEW ? [all] : candidates.left.flatMap((unit) => rangesOf(unit, boxes, cells, all));
    yield {
      cells: cellsMeeting(cells, asked, insides[i]),
      look(cell, numbers) {
        decideByEdges(cells, cell, numbers, box, candidates);
        if (cell !== atCorner || !mayLieAround) return;
        for (const unit of cells.unitsIn(corner, cell, numbers)) candidates.decide(unit);
      },
      *looking(cell, numbers) {
        yield* decidingByEdges(cells, cell, numbers, box, candidates);
        if (cell !== atCorner || !mayLieAround) return;
        for (const unit of yield* cells.findingUnits(corner, cell, numbers)) candidates.decide(unit);
      },
    };
    if (candidates.size === 0) return;
  }
  for (const [i, box] of planes.entries()) {
    // A piece of the unit lies in the box: in the cells of its parts there, away from the border.
    const inside = insides[i];
    if (inside === undefined) continue;
    const numbers = new Set<number>();
    for (const unit of candidates.left) {
      for (const cell of cellsMeeting(cells, rangesOf(unit, boxes, cells, inside))) numbers.add(cell);
      yield BYTES_A_UNIT;
    }
    yield {
      cells: [...numbers].sort((a, b) => a - b),
      look: (cell, numbers) => decideByEdges(cells, cell, numbers, box, candidates),
      looking: (cell, numbers) => decidingByEdges(cells, cell, numbers, box, candidates),
    };
    if (candidates.size === 0) return;
  }
}

/** The smallest cells of a range that the parts of a unit meet. */
function rangesOf(unit: number, boxes: LevelBoxes, cells: Cells, range: CellRange): CellRange[] {
  const ranges: CellRange[] = [];
  for (const part of boxes.partsOf(unit))
    for (const own of rangesOfBox(part, cells)) {
      const shared = sharedBy(own, range);
      if (shared !== undefined) ranges.push(shared);
    }
  return ranges;
}

/** Those of smallest cells that lie in a box and do not meet its border; undefined if there are none. */
function insideOf(box: PlaneBox, finest: number): CellRange | undefined {
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
