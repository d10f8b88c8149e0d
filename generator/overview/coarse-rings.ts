// The rings of a level for the overview, rounded to a grid while the level is read. Neighbours round the same position to
// the same cell, so shared borders stay shared; the grid becomes coarser as points arrive, so memory is bounded.
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { Coordinates } from '../geojson/coordinates.ts';
import { type Box, boxOf, newCutRings, shift, union, unrolled } from '../geometries/cut-rings.ts';

/** The rings of a level. Plain data: it is kept beside the level's store. */
export interface CoarseLevel {
  /** Size of a cell in scaled degrees, a power of two. */
  cell: number;
  /** The extent of all rings in scaled degrees: west, south, east, north. */
  extent: Box;
  /** The cells of all rings, as flat [x, y] pairs; rings are not closed, and no cell follows itself. */
  cells: number[];
  /** For each ring the index of its end in `cells`, and whether it is a hole in the exterior ring before it. */
  rings: { end: number; isHole: boolean }[];
  /** In the order in which they were read. */
  units: CoarseUnit[];
}

/** A unit. */
export interface CoarseUnit {
  fid: number;
  /** Index of the end of its rings in `rings`. */
  end: number;
  /** The centre of its largest ring in scaled degrees; undefined if it has no area. */
  centre: [x: number, y: number] | undefined;
}

/** Takes the rings of a level, unit by unit. */
export interface CoarseRings {
  /** Takes a ring of the next unit, whose positions it may change. @param area twice its signed area */
  ring(positions: Coordinates, isHole: boolean, area: number): void;
  /** Ends the unit. */
  unit(fid: number): void;
  /** All units. */
  level(): CoarseLevel;
}

/** Maximum points of a level. */
const POINTS_MAX = 500_000;

/** Maximum cells across the extent: more than a screen shows when the world view gives way to single units. */
const CELLS_MAX = 1 << 17;

/** Fewest cells of a ring. */
const RING_CELLS_MIN = 3;

/** Begins a level. @param scale scaled degrees of a degree */
export function newCoarseRings(scale: number): CoarseRings {
  const level: CoarseLevel = {
    cell: 1,
    extent: [Infinity, Infinity, -Infinity, -Infinity],
    cells: [],
    rings: [],
    units: [],
  };
  let largest = { area: 0, centre: undefined as CoarseUnit['centre'] };
  let isExteriorLost = false;
  let exterior: Box = level.extent;
  const take = (positions: Coordinates, isHole: boolean, doubledArea: number): void => {
    const box = boxOf(positions);
    if (isHole) {
      // A hole is where its exterior ring is.
      if (box[0] < exterior[0]) shift(positions, 360 * scale);
      else if (box[2] > exterior[2]) shift(positions, -360 * scale);
    } else {
      isExteriorLost = doubledArea === 0;
      if (isExteriorLost) return;
      exterior = box;
      level.extent = union(level.extent, box);
      if (Math.abs(doubledArea) > largest.area)
        largest = { area: Math.abs(doubledArea), centre: [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] };
      while (isTooFine(level)) coarsen(level);
    }
    if (isExteriorLost) return;
    const begin = level.cells.length;
    for (let i = 0; i < positions.count; i++)
      pushCell(level.cells, begin, Math.floor(positions.x(i) / level.cell), Math.floor(positions.y(i) / level.cell));
    if (endRing(level.cells, begin)) level.rings.push({ end: level.cells.length, isHole });
    else isExteriorLost = !isHole;
    while (isTooFine(level)) coarsen(level);
  };
  const cut = newCutRings(360 * scale);
  const takeCut = (): void => {
    for (const { ring, isHole } of cut.end()) take(ring, isHole, ring.signedArea());
  };
  return {
    ring(positions, isHole, doubledArea) {
      const jumps = positions.jumps(scale);
      if (!isHole) takeCut();
      if (isHole ? cut.isOpen() : jumps) cut.add(positions, isHole, jumps);
      else take(jumps ? unrolled(positions, 360 * scale) : positions, isHole, doubledArea);
    },
    unit(fid) {
      takeCut();
      level.units.push({ fid, end: level.rings.length, centre: largest.centre });
      largest = { area: 0, centre: undefined };
    },
    level: () => level,
  };
}

/** Doubles the size of the cells: halves their coordinates, and leaves out what has become one cell. */
export function coarsen(level: CoarseLevel): void {
  const { cells, rings } = level;
  const kept: CoarseLevel['rings'] = [];
  let isExteriorLost = false;
  let read = 0;
  let written = 0;
  let ring = 0;
  const moveRings = (end: number): void => {
    for (; ring < end; ring++) {
      const { end: stop, isHole } = elementAt(rings, ring);
      const coarse: number[] = [];
      if (!(isHole && isExteriorLost))
        for (let i = read; i < stop; i += 2)
          pushCell(coarse, 0, Math.floor(numberAt(cells, i) / 2), Math.floor(numberAt(cells, i + 1) / 2));
      read = stop;
      if (!endRing(coarse, 0)) {
        isExteriorLost ||= !isHole;
        continue;
      }
      if (!isHole) isExteriorLost = false;
      for (const coordinate of coarse) cells[written++] = coordinate;
      kept.push({ end: written, isHole });
    }
  };
  for (const unit of level.units) {
    moveRings(unit.end);
    unit.end = kept.length;
  }
  // Those of a unit that has not ended.
  moveRings(rings.length);
  cells.length = written;
  level.rings = kept;
  level.cell *= 2;
}

/** Appends a cell to the ring that begins at `begin`, unless it is the last one. */
function pushCell(cells: number[], begin: number, x: number, y: number): void {
  const end = cells.length;
  if (end > begin && cells[end - 2] === x && cells[end - 1] === y) return;
  cells.push(x, y);
}

/** Removes the closing cells of a ring; removes a ring of too few cells, and returns false. */
function endRing(cells: number[], begin: number): boolean {
  while (cells.length > begin + 2 && cells.at(-2) === cells[begin] && cells.at(-1) === cells[begin + 1])
    cells.length -= 2;
  if (cells.length >= begin + 2 * RING_CELLS_MIN) return true;
  cells.length = begin;
  return false;
}

function isTooFine({ cell, extent: [west, south, east, north], cells }: CoarseLevel): boolean {
  return cells.length > 2 * POINTS_MAX || Math.max(east - west, north - south) > CELLS_MAX * cell;
}
