// Cells: which units contain a point, exactly, by one read of some hundred bytes of cells.bin. The file begins with the
// directory of its cells: whoever has it needs no other. The generator writes it (generator/borders/build-cells.ts).
// Described in README.md, 'Cells'.
import { crc32 } from 'node:zlib';
import { bordersIn, readCell, roomOf, STEP_NUMBERS, UNITS_AT } from './cell-numbers.ts';
import { f64At, numberAt, u32At } from './element-at.ts';
import { gridOf, gridPointOf, keyOf, movedTo, type Point, PRECISION_MAX, separates, type Way, wayTo } from './grid.ts';
import { lastUpTo } from './last-up-to.ts';
import { FormatError } from './parse.ts';
import { resultOf, type Steps } from './steps.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

/** The first bytes of the file: `cells`. */
export const CELLS_MAGIC: Uint8Array = Uint8Array.of(0x63, 0x65, 0x6c, 0x6c, 0x73, 0, 0, 0);
/**
 * Magic, then as u32 version, CRC-32 of the rest of the directory, precision, units, cells, and four bytes of zeros.
 */
export const CELLS_HEADER_BYTES = 32;
/** Where that rest begins. */
export const CELLS_CHECKED_FROM = 16;

/** Bytes of the directory of a file with so many cells: its header and their arrays. */
export function directoryBytes(cells: number): number {
  return CELLS_HEADER_BYTES + 8 * cells + 8 * (cells + 1) + 4 * cells;
}

/** What a file of cells is made for. */
export interface CellsHead {
  /** Number of units of the level. */
  features: number;
  /** Decimals of the release's coordinates. */
  precision: number;
}

/** The arrays of the directory of c cells. */
export interface CellArrays {
  /** Place of each cell on the curve through the grid, ascending; the first is 0: c. */
  key: Float64Array;
  /**
   * Where the bytes of each cell begin in the file, the first after the directory, and where the last ones end: c + 1.
   */
  start: Float64Array;
  /** CRC-32 of the bytes of each cell: c. */
  crc: Uint32Array;
}

/** The cells of a level: their directory. The bytes of a cell are given by whoever has the file. */
export class Cells implements CellsHead {
  readonly features: number;
  readonly precision: number;
  readonly arrays: CellArrays;
  /** The bytes that the file begins with. */
  readonly directory: Uint8Array;
  readonly #finest: number;
  readonly #side: number;

  /** @param arrays of the directory */
  constructor({ features, precision }: CellsHead, arrays: CellArrays, directory: Uint8Array) {
    this.features = features;
    this.precision = precision;
    this.arrays = arrays;
    this.directory = directory;
    const { width, finest } = gridOf(precision);
    this.#finest = finest;
    this.#side = width / finest;
  }

  /** How many of the smallest cells are along a side of the grid: a power of two. */
  get side(): number {
    return this.#side;
  }

  /** Units along a side of the smallest cell. */
  get finest(): number {
    return this.#finest;
  }

  /** Bytes of the directory. */
  get bytes(): number {
    return this.directory.length;
  }

  /** Bytes of the whole file. */
  get fileBytes(): number {
    return f64At(this.arrays.start, this.arrays.crc.length);
  }

  /** The number of the cell that a point is in. */
  cellAt(point: Point): number {
    return lastUpTo(this.arrays.key, keyOf(point, this.#finest));
  }

  /** The number of the cell that a byte of the file is of; 0 for one of the directory. */
  pieceAt(offset: number): number {
    return lastUpTo(this.arrays.start, offset);
  }

  /** Where the bytes of a cell are in the file: none if no unit is there. */
  rangeOf(cell: number): { offset: number; length: number } {
    return { offset: f64At(this.arrays.start, cell), length: this.bytesOf(cell) };
  }

  /** How many bytes a cell has; none if no unit is there. */
  bytesOf(cell: number): number {
    return f64At(this.arrays.start, cell + 1) - f64At(this.arrays.start, cell);
  }

  /** Are these the bytes of a cell? */
  hasBytes(cell: number, bytes: Uint8Array): boolean {
    return crc32(bytes) === u32At(this.arrays.crc, cell);
  }

  /**
   * The units that contain a point, as ascending positions.
   * @param cell the one that it is in
   * @param bytes of that cell
   * @param file for messages
   * @throws FormatError if they are other bytes than the directory promises
   */
  unitsAt(point: Point, cell: number, bytes: Uint8Array, file: string): number[] {
    if (!this.hasBytes(cell, bytes)) throw new FormatError(file, `cell ${cell} is damaged`);
    if (bytes.length === 0) return [];
    return this.unitsIn(point, cell, readCell(bytes, new Float64Array(roomOf(bytes.length))));
  }

  /** The same of a cell that was read: its bytes have been checked. */
  unitsIn(point: Point, cell: number, numbers: Float64Array): number[] {
    const codes = codesIn(numbers);
    crossBorders(numbers, bordersIn(numbers), numbers.length, codes, this.#wayTo(point, cell));
    return unitsOf(codes);
  }

  /** The same in steps. */
  *findingUnits(point: Point, cell: number, numbers: Float64Array): Steps<number[]> {
    const codes = codesIn(numbers);
    const way = this.#wayTo(point, cell);
    for (let next = bordersIn(numbers); next < numbers.length; ) {
      next = crossBorders(numbers, next, next + STEP_NUMBERS, codes, way);
      yield;
    }
    return unitsOf(codes);
  }

  /** From the corner of a cell to a point in it, seen from the cell's south-western grid point. */
  #wayTo(point: Point, cell: number): Way {
    const { x, y } = this.gridPointOf(cell);
    return wayTo(movedTo(point.x - x, point.y - y, point));
  }

  /** The south-western grid point of a cell. */
  gridPointOf(cell: number): { x: number; y: number } {
    return gridPointOf(f64At(this.arrays.key, cell), this.#finest);
  }
}

/**
 * The cells of a level from the first bytes of its file, at least its directory. The arrays are copies.
 * @param expected what the directory must say, with the length of the file; whoever has the file alone takes it from
 * there
 * @throws FormatError that says what was got and what was expected
 */
export function decodeCells(bytes: Uint8Array, file: string, expected?: ExpectedCells): Cells {
  return resultOf(decodingCells(bytes, file, expected));
}

/** What a directory must say, with the length of the file. */
export type ExpectedCells = CellsHead & { bytes?: number };

/** Bytes and cells of a directory that are gone through in a step: some 100 microseconds. */
const STEP_BYTES = 256 * 1024;
const STEP_CELLS = 8 * 1024;

/** The same in steps: there may be hundreds of thousands of cells. */
export function* decodingCells(bytes: Uint8Array, file: string, expected?: ExpectedCells): Steps<Cells> {
  const refuse = (problem: string): never => {
    throw new FormatError(file, problem);
  };
  if (bytes.length < CELLS_HEADER_BYTES || !CELLS_MAGIC.every((byte, i) => bytes[i] === byte))
    refuse('does not begin like a file of cells');
  const header = new Uint32Array(new Uint8Array(bytes.subarray(CELLS_MAGIC.length, CELLS_HEADER_BYTES)).buffer);
  const [version = 0, crc = 0, precision = 0, features = 0, cells = 0] = header;
  if (version !== FORMAT_VERSION) refuse(versionProblem(version));
  const length = directoryBytes(cells);
  if (bytes.length < length) refuse(`has ${bytes.length} bytes, its directory has ${length}`);
  // A copy, whose arrays begin where such arrays can.
  const own = new Uint8Array(bytes.subarray(0, length));
  let got = 0;
  for (let at = CELLS_CHECKED_FROM; at < length; at += STEP_BYTES) {
    if (at > CELLS_CHECKED_FROM) yield;
    got = crc32(own.subarray(at, at + STEP_BYTES), got);
  }
  if (got !== crc) refuse(`the CRC-32 of its directory is ${got}, expected ${crc}`);
  if (precision > PRECISION_MAX) refuse(`has ${precision} decimals, at most ${PRECISION_MAX} are possible`);
  const { features: units, precision: decimals } = expected ?? { features, precision };
  if (features !== units || precision !== decimals)
    refuse(`is of ${features} units with ${precision} decimals, expected ${units} with ${decimals}`);
  const key = new Float64Array(own.buffer, CELLS_HEADER_BYTES, cells);
  const start = new Float64Array(own.buffer, key.byteOffset + key.byteLength, cells + 1);
  const arrays = { key, start, crc: new Uint32Array(own.buffer, start.byteOffset + start.byteLength) };
  if (key[0] !== 0 || start[0] !== length) refuse('its first cell does not begin where the grid and the directory say');
  for (let cell = 0; cell < cells; cell++) {
    if (cell > 0 && cell % STEP_CELLS === 0) yield;
    const [from, to] = [f64At(key, cell), key[cell + 1] ?? Number.MAX_SAFE_INTEGER];
    if (!Number.isSafeInteger(to) || to <= from) refuse(`the key of cell ${cell + 1} does not ascend`);
    const end = f64At(start, cell + 1);
    if (!Number.isSafeInteger(end) || end < f64At(start, cell)) refuse(`cell ${cell} ends before it begins`);
  }
  const end = f64At(start, cells);
  if (end !== (expected?.bytes ?? end)) refuse(`is of a file of ${end} bytes, expected ${expected?.bytes}`);
  return new Cells({ features, precision }, arrays, own);
}

/** Of each unit of a cell twice its position, and one more if the corner is in it. */
function codesIn(numbers: Float64Array): number[] {
  const end = bordersIn(numbers);
  const codes: number[] = [];
  for (let at = UNITS_AT + 1; at < end; at++) codes.push(f64At(numbers, at));
  return codes;
}

/** The positions of the units whose codes say that a point is in them. */
function unitsOf(codes: readonly number[]): number[] {
  const units: number[] = [];
  for (const code of codes) if (code % 2 === 1) units.push((code - 1) / 2);
  return units;
}

/**
 * Changes the codes of the units whose borders are crossed on the way to a point.
 * @param begin of the first border
 * @param end where no further border is begun
 * @returns where the next one begins
 */
function crossBorders(numbers: Float64Array, begin: number, end: number, codes: number[], way: Way): number {
  let next = begin;
  for (let side = begin + 1; next < end && next < numbers.length; side = next + 1) {
    const sides = side + f64At(numbers, next);
    next = f64At(numbers, sides);
    let isOther = false;
    let x = f64At(numbers, sides + 1);
    let y = f64At(numbers, sides + 2);
    for (let at = sides + 3; at < next; at += 2) {
      const [x1, y1] = [x, y];
      x = f64At(numbers, at);
      y = f64At(numbers, at + 1);
      if (separates(x1, y1, x, y, way)) isOther = !isOther;
    }
    if (!isOther) continue;
    for (; side < sides; side++) {
      const index = f64At(numbers, side);
      const unit = numberAt(codes, index);
      codes[index] = unit % 2 === 0 ? unit + 1 : unit - 1;
    }
  }
  return next;
}
