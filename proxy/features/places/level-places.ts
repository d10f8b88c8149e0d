// What is kept of a level in memory for questions of place: the boxes of its units with the matches of boxes that were
// asked for, and the directory of its cells with their pieces.
import {
  type Box,
  type BoxIndex,
  boxAt,
  boxesOf,
  type Candidates,
  indexingBoxes,
  isPartSurelyIn,
  liesWithin,
} from '../../../format/boxes.ts';
import { type Cells, decodingCells } from '../../../format/cells.ts';
import type { Finding } from '../../../format/findings.ts';
import { type Point, pointAt } from '../../../format/grid.ts';
import { cellsPath } from '../../../format/layout.ts';
import type { LevelIndex } from '../../../format/level-index.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import type { Positions } from '../../../format/positions.ts';
import { knownPositions } from '../../data/known.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import { type Loads, withLoaded } from '../../data/loads.ts';
import { Pieces } from '../../data/pieces.ts';
import { Problem } from '../../http/problem.ts';
import type { Recipient, TaskReads } from '../../origin/origin.ts';
import { inTurns } from '../../work/in-turns.ts';
import { KeptCells } from './kept-cells.ts';

/** Larger features may have more than 150,000 positions: then nobody has asked whether they are valid. */
const CHECKED_MAX_BYTES = 150_000 * '[1,2],'.length;
const NO_UNITS: readonly number[] = [];

/** The boxes of a level and of the parts of its units. */
export class LevelBoxes {
  readonly #index: LevelIndex;
  readonly #areValid: boolean;
  readonly #boxes: BoxIndex;
  /** The units in boxes that were asked for. */
  readonly found = knownPositions();

  /** @param areValid is no unit of the level counted as invalid? */
  constructor(index: LevelIndex, boxes: BoxIndex, areValid: boolean) {
    this.#index = index;
    this.#boxes = boxes;
    this.#areValid = areValid;
  }

  get bytes(): number {
    return this.found.bytes + this.#boxes.bytes;
  }

  /** The features whose box touches a box. */
  touching(box: Box): Positions {
    return this.#boxes.touching(box);
  }

  /** Of these the ones that boxes say are in it are found, their own or those of parts; of the others edges decide. */
  candidates(box: Box): Candidates {
    const candidates = this.#boxes.candidates(box, (position) => this.#isValid(position));
    for (const position of candidates.left)
      if (isPartSurelyIn(this.#index, position, box, this.#isValid(position))) candidates.decide(position);
    return candidates;
  }

  /** Are the polygons of a unit valid? */
  #isValid(position: number): boolean {
    return this.#areValid && this.#index.textBytes(position, position + 1) <= CHECKED_MAX_BYTES;
  }

  /** Does a box lie in that of a unit? */
  holds(position: number, box: Box): boolean {
    return liesWithin(box, boxAt(this.#index.arrays.box, 4 * position));
  }

  /** The boxes of a unit's parts, or its own. */
  partsOf(position: number): Box[] {
    return boxesOf(this.#index, position);
  }
}

/** They are brought into memory for `bbox`, made of the index. */
export const BOXES: Part<LevelBoxes> = {
  name: 'boxes',
  type: LevelBoxes,
  load: async ({ index, summary }) =>
    new LevelBoxes(index, await inTurns(indexingBoxes(index.arrays.box)), summary.invalid === 0),
};

/** What some units of a level may be that no cell knows: then boxes are compared with theirs. */
const NOT_IN_CELLS: readonly string[] = ['non-polygonal', 'collapsed-geometries'];

/** Does `bbox` compare geometries on a level, or their boxes? */
export function hasExactBoxes({ level, cells }: LevelSummary, quality: readonly Finding[]): boolean {
  const isOther = (found: Finding): boolean => found.level === level && NOT_IN_CELLS.includes(found.kind);
  return cells !== undefined && !quality.some(isOther);
}

/** The cells of a level: their directory, and the pieces of the file, one for each cell. */
export class LevelCells {
  readonly cells: Cells;
  readonly pieces: Pieces;
  readonly kept: KeptCells;

  /** @param path of cells.bin, relative to the origin */
  constructor(path: string, cells: Cells) {
    this.cells = cells;
    this.pieces = new Pieces(path, cells);
    this.kept = new KeptCells(cells.arrays.crc.length, cells.fileBytes - cells.bytes);
  }

  get bytes(): number {
    return this.cells.bytes + this.kept.bytes;
  }

  /** The positions of the features that contain a point, ascending. */
  unitsAt(point: Point, loads: Loads): readonly number[] | Promise<readonly number[]> {
    const { cells, pieces, kept } = this;
    const cell = cells.cellAt(point);
    const { length } = cells.rangeOf(cell);
    // Nothing is there, and no host can be asked for no bytes.
    if (length === 0) return NO_UNITS;
    if (kept.isLarge(length))
      return loads.task(async (reads, client) =>
        inTurns(cells.findingUnits(point, cell, await this.largeCell(cell, reads, client))),
      );
    // Nothing is waited for between a look at the numbers of a cell and their use.
    const known = kept.get(cell);
    if (known !== undefined) return cells.unitsIn(point, cell, known);
    return withLoaded(pieces.load(cell, loads), (bytes) => cells.unitsIn(point, cell, kept.read(cell, bytes)));
  }

  /**
   * The numbers of a large cell.
   * @throws OriginError if stored bytes are missing or damaged
   */
  async largeCell(cell: number, reads: TaskReads, client: Recipient): Promise<Float64Array> {
    const known = this.kept.large(cell);
    if (known !== undefined) return known;
    const bytes = await this.pieces.get(cell, reads, client.principal);
    return this.kept.loadLarge(cell, bytes);
  }
}

/** They are brought into memory for `contains`, `at` and the download of cells. */
export const CELLS: Part<LevelCells> = {
  name: 'cells',
  type: LevelCells,
  /** @throws Problem bad-parameter in a release without cells */
  async load(level) {
    const { summary, precision, folder, index } = level;
    if (summary.cells === undefined)
      throw new Problem('bad-parameter', 'Units at a point are not known: this release was built with --no-cells.');
    const path = cellsPath(index.level);
    const directory = await level.read(path, summary.cells.directory, true);
    const { features } = summary;
    const { bytes } = summary.cells;
    const steps = decodingCells(directory, `${folder}/${path}`, { features, precision, bytes });
    return new LevelCells(`${folder}/${path}`, await inTurns(steps));
  },
};

/** The positions of the features of a level that contain a point. */
export function unitsAt(
  level: LoadedLevel,
  point: Point,
  loads: Loads,
): readonly number[] | Promise<readonly number[]> {
  return withLoaded(loads.part(level, CELLS), (cells) => cells.unitsAt(point, loads));
}

/** A point as it is asked for: plain decimals of degrees. */
export interface Degrees {
  longitude: string;
  latitude: string;
}

/** A point, exactly. @throws RangeError if it is none */
export function pointOf({ precision }: { precision: number }, { longitude, latitude }: Degrees): Point {
  const point = pointAt(longitude, latitude, precision);
  if (point === undefined) throw new RangeError(`${longitude},${latitude} is no point`);
  return point;
}
