// Builds the cells of a level (format/README.md, 'Cells') from the rings of its units as they are published: a quadtree
// whose leaves say which units contain their corner, and hold the borders that meet them.
import { crc32 } from 'node:zlib';
import {
  CELLS_CHECKED_FROM,
  CELLS_MAGIC,
  type CellArrays,
  type CellsHead,
  directoryBytes,
} from '../../format/cells.ts';
import { elementAt, i32At, u32At } from '../../format/element-at.ts';
import { cornerAt, type Grid, keyAt, separates, type Way } from '../../format/grid.ts';
import { FORMAT_VERSION } from '../../format/version.ts';
import { VARINT_BYTES, writeSigned, writeVarint } from '../../format/write/varints.ts';
import { newText, reserve, type Text } from '../geojson/byte-writer.ts';
import type { Borders } from './borders.ts';
import type { LevelBorders } from './level-borders.ts';

/** Most edges of a cell, unless dividing it would not make them fewer. */
const EDGES_MAX = 256;

/** A cell is not divided if a quarter has this share of its edges, and the quarters together twice as many. */
const SHARE_KEPT = 0.75;

/**
 * Most copies of an edge, on average: long edges side by side, as of a comb, would be in each of thousands of cells.
 */
const COPIES_MAX = 16;

/** Bytes that are passed on at once. */
const CHUNK_BYTES = 1 << 20;

/** The cells of a level. */
export interface BuiltCells {
  directory: Buffer;
  /** The units whose edges lie so close that some of their cells stayed large, ascending. */
  crowded: readonly number[];
}

/**
 * Makes the cells of a level. cells.bin is the directory, then the bytes of the cells.
 * @param level its borders, to which nothing can be added afterwards
 * @param write takes the next bytes of cells, which are valid until it returns
 */
export function buildCells(
  { edges, grid, units, precision }: LevelBorders,
  write: (bytes: Uint8Array) => void,
): BuiltCells {
  const writer = new CellWriter(edges, grid, write);
  writer.divide(edges.numbers(), { west: 0, south: 0, width: grid.width, copies: 1 }, new Set());
  const { arrays, crowded } = writer.end();
  return { directory: encodeDirectory({ features: units, precision }, arrays), crowded };
}

/** The beginning of cells.bin. @param arrays with the starts of cells as they are in the file */
export function encodeDirectory({ features, precision }: CellsHead, { key, start, crc }: CellArrays): Buffer {
  const checked = Buffer.concat(
    [Uint32Array.of(precision, features, crc.length, 0), key, start, crc].map(
      ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
    ),
  );
  const directory = Buffer.concat([CELLS_MAGIC, Buffer.alloc(CELLS_CHECKED_FROM - CELLS_MAGIC.length), checked]);
  directory.writeUInt32LE(FORMAT_VERSION, CELLS_MAGIC.length);
  directory.writeUInt32LE(crc32(checked), CELLS_MAGIC.length + 4);
  return directory;
}

/** A square of the grid: its south-western grid point, and its side in units. */
interface Square {
  west: number;
  south: number;
  width: number;
}

/**
 * A square that may be divided: by how many times the quarters together had more edges than what was divided, on the
 * way to it. If that is at most C everywhere, all cells together have at most C times the edges of the level.
 */
interface DividedSquare extends Square {
  copies: number;
}

/** The quarters in the order of their keys, with the bit of each in a mask. */
const QUARTERS = [
  { east: 0, north: 0, bit: 1 },
  { east: 1, north: 0, bit: 2 },
  { east: 0, north: 1, bit: 4 },
  { east: 1, north: 1, bit: 8 },
] as const;

/** Sets of quarters, by the sum of their bits. */
const MASKS = 16;

/** Writes cells in the order of their keys. */
class CellWriter {
  readonly #borders: Borders;
  readonly #grid: Grid;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #bytes: Text = newText();
  readonly #key: number[] = [];
  readonly #start: number[] = [];
  readonly #crc: number[] = [];
  readonly #crowded = new Set<number>();
  #written = 0;
  /** The units of the last cell, if no edge meets it. */
  #whole: string | undefined;

  constructor(borders: Borders, grid: Grid, write: (bytes: Uint8Array) => void) {
    this.#borders = borders;
    this.#grid = grid;
    this.#write = write;
  }

  /** Writes the cells of a square. @param edges that meet it; @param inside the units that contain its corner */
  divide(edges: Uint32Array, square: DividedSquare, inside: ReadonlySet<number>): void {
    const isSmall = edges.length <= EDGES_MAX || square.width === this.#grid.finest;
    if (isSmall || !this.#divideIntoQuarters(edges, square, inside)) this.#cell(edges, square, inside);
  }

  /** @returns false, and nothing is written, if that would not make the edges of a cell fewer */
  #divideIntoQuarters(edges: Uint32Array, square: DividedSquare, inside: ReadonlySet<number>): boolean {
    const width = square.width / 2;
    const quarters = QUARTERS.map(({ east, north, bit }) => {
      return { west: square.west + east * width, south: square.south + north * width, width, bit };
    });
    const { masks, counts, crossing } = this.#masks(edges, square, quarters);
    const copied = counts.reduce((sum, count) => sum + count, 0) / edges.length;
    if (copied >= 2 && Math.max(...counts) > SHARE_KEPT * edges.length) return false;
    const copies = square.copies * copied;
    if (copies > COPIES_MAX) {
      this.#crowded.add(this.#mostOf(edges));
      return false;
    }
    const own = quarters.map(({ bit }, i) => edgesOf(edges, masks, bit, elementAt(counts, i)));
    // The way to a corner leads through this square, so its edges decide who contains it.
    const corners = quarters.map((quarter) => this.#atCorner(crossing, square, quarter, inside));
    for (const [i, quarter] of quarters.entries()) {
      this.divide(elementAt(own, i), { ...quarter, copies }, elementAt(corners, i));
    }
    return true;
  }

  /** The rest of the bytes, and the arrays. */
  end(): { arrays: CellArrays; crowded: number[] } {
    this.#flush();
    this.#start.push(this.#written);
    const before = directoryBytes(this.#key.length);
    const arrays = {
      key: Float64Array.from(this.#key),
      start: Float64Array.from(this.#start, (start) => before + start),
      crc: Uint32Array.from(this.#crc),
    };
    return { arrays, crowded: [...this.#crowded].sort((a, b) => a - b) };
  }

  /** The unit that most of these edges bound. */
  #mostOf(edges: Uint32Array): number {
    const counts = new Map<number, number>();
    for (const edge of edges) for (const unit of this.#unitsOf(edge)) counts.set(unit, (counts.get(unit) ?? 0) + 1);
    return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])[0];
  }

  /**
   * For each edge the bits of the quarters that it meets, how many each quarter has, and the edges that may separate
   * its corner from the corner of the square: those that cross the western side, the southern one, or the middle from
   * west to east.
   */
  #masks(
    edges: Uint32Array,
    square: Square,
    quarters: readonly (Square & { bit: number })[],
  ): { masks: Int32Array; counts: number[]; crossing: number[] } {
    const borders = this.#borders;
    const { west, south } = elementAt(quarters, 3);
    const masks = new Int32Array(edges.length);
    const ofMask = new Uint32Array(MASKS);
    const crossing: number[] = [];
    for (let i = 0; i < edges.length; i++) {
      const edge = u32At(edges, i);
      const [x1, y1] = [borders.x(edge), borders.y(edge)];
      const [x2, y2] = [borders.x(edge + 1), borders.y(edge + 1)];
      let mask = 0;
      if (x1 >= west === x2 >= west && y1 >= south === y2 >= south)
        mask = (x1 >= west ? 2 : 1) << (y1 >= south ? 2 : 0);
      else for (const quarter of quarters) if (meets(x1, y1, x2, y2, quarter)) mask |= quarter.bit;
      masks[i] = mask;
      ofMask[mask] = u32At(ofMask, mask) + 1;
      if (
        y1 >= south !== y2 >= south ||
        x1 >= square.west !== x2 >= square.west ||
        y1 >= square.south !== y2 >= square.south
      )
        crossing.push(edge);
    }
    const counts = quarters.map(({ bit }) =>
      ofMask.reduce((sum, count, mask) => sum + ((mask & bit) === 0 ? 0 : count), 0),
    );
    return { masks, counts, crossing };
  }

  /** The units that contain the corner of a quarter. */
  #atCorner(edges: readonly number[], square: Square, quarter: Square, inside: ReadonlySet<number>): Set<number> {
    const units = new Set(inside);
    const way = {
      from: cornerAt(square.west, square.south),
      turn: cornerAt(square.west, quarter.south),
      to: cornerAt(quarter.west, quarter.south),
    };
    for (const edge of edges) if (this.#separates(edge, way)) toggle(units, this.#unitsOf(edge));
    return units;
  }

  #separates(edge: number, way: Way): boolean {
    const borders = this.#borders;
    const [x2, y2] = [borders.x(edge + 1), borders.y(edge + 1)];
    return separates(borders.x(edge), borders.y(edge), x2, y2, way);
  }

  #unitsOf(edge: number): readonly number[] {
    return this.#borders.unitsOf(this.#borders.setOf(edge));
  }

  /** Writes a cell. One that no edge meets is part of the one before if the same units contain that as a whole. */
  #cell(edges: Uint32Array, square: Square, inside: ReadonlySet<number>): void {
    const whole = edges.length === 0 ? [...inside].sort((a, b) => a - b).join() : undefined;
    if (whole !== undefined && whole === this.#whole) return;
    this.#whole = whole;
    const from = this.#bytes.length;
    this.#key.push(keyAt(square.west, square.south, this.#grid.finest));
    this.#start.push(this.#written + from);
    if (whole !== '') this.#writeCell(edges, square, inside);
    this.#crc.push(crc32(this.#bytes.bytes.subarray(from, this.#bytes.length)));
    if (this.#bytes.length > CHUNK_BYTES) this.#flush();
  }

  #flush(): void {
    this.#write(this.#bytes.bytes.subarray(0, this.#bytes.length));
    this.#written += this.#bytes.length;
    this.#bytes.length = 0;
  }

  #writeCell(edges: Uint32Array, { west, south }: Square, inside: ReadonlySet<number>): void {
    const borders = this.#borders;
    const text = this.#bytes;
    const sets = new Set(Array.from(edges, (edge) => borders.setOf(edge)));
    const units = new Set([...inside, ...[...sets].flatMap((set) => borders.unitsOf(set))]);
    const indexes = new Map<number, number>();
    writeNumber(text, units.size);
    let before = 0;
    for (const unit of [...units].sort((a, b) => a - b)) {
      indexes.set(unit, indexes.size);
      writeNumber(text, 2 * (unit - before) + (inside.has(unit) ? 1 : 0));
      before = unit;
    }
    let [x, y] = [west, south];
    const writeStep = (point: number): void => {
      writeNumber(text, borders.x(point) - x, writeSigned);
      writeNumber(text, borders.y(point) - y, writeSigned);
      [x, y] = [borders.x(point), borders.y(point)];
    };
    for (let i = 0; i < edges.length; ) {
      const first = elementAt(edges, i);
      const set = borders.setOf(first);
      const from = i;
      for (i++; i < edges.length && edges[i] === first + i - from && borders.setOf(first + i - from) === set; ) i++;
      const sides = borders.unitsOf(set);
      writeNumber(text, 4 * (i - from) + (sides.length < 4 ? sides.length : 0));
      if (sides.length >= 4) writeNumber(text, sides.length);
      for (const unit of sides) writeNumber(text, indexes.get(unit) ?? NaN);
      for (let point = first; point <= first + i - from; point++) writeStep(point);
    }
  }
}

/** The edges whose mask has a bit. @param count how many they are */
function edgesOf(edges: Uint32Array, masks: Int32Array, bit: number, count: number): Uint32Array {
  const own = new Uint32Array(count);
  for (let i = 0, at = 0; at < count; i++) if ((i32At(masks, i) & bit) !== 0) own[at++] = u32At(edges, i);
  return own;
}

/** Takes units out of a set that are in it, and puts the others into it. */
function toggle(set: Set<number>, units: readonly number[]): void {
  for (const unit of units) if (!set.delete(unit)) set.add(unit);
}

/** What rounding may contribute to the area of `meets`, as a share of its two products. */
const ROUNDING = 1e-15;

/** Does an edge meet a square? It may say so of one that passes its corner very closely, which does no harm. */
function meets(x1: number, y1: number, x2: number, y2: number, { west, south, width }: Square): boolean {
  if (Math.max(x1, x2) < west || Math.min(x1, x2) >= west + width) return false;
  if (Math.max(y1, y2) < south || Math.min(y1, y2) >= south + width) return false;
  const dx = x2 - x1;
  const dy = y2 - y1;
  let isLeft = false;
  let isRight = false;
  for (const { east, north } of QUARTERS) {
    const up = dx * (south + north * width - 0.5 - y1);
    const along = dy * (west + east * width - 0.5 - x1);
    const bound = ROUNDING * (Math.abs(up) + Math.abs(along));
    isLeft ||= up - along >= -bound;
    isRight ||= up - along <= bound;
  }
  return isLeft && isRight;
}

/** Writes a number behind the bytes of a text. */
function writeNumber(text: Text, value: number, write: typeof writeVarint = writeVarint): void {
  reserve(text, VARINT_BYTES);
  text.length = write(text.bytes, text.length, value);
}
