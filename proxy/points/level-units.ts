// The units of a level, as they are needed to look points up: GIDs and names in memory, cells read from the file in
// blocks.
import { fstatSync, openSync, readSync } from 'node:fs';
import { CELLS_HEADER_BYTES, type Cells, decodeCells, directoryBytes } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { lastUpTo } from '../../format/last-up-to.ts';
import type { Level } from '../../format/levels.ts';
import { furtherKeys } from '../../format/names.ts';
import { FormatError } from '../../format/parse.ts';
import type { LevelInput } from '../tables/open-files.ts';
import { nameValues, textOrNull } from '../tables/unit-names.ts';

/** Points are looked up along the file: so much of it is read at a time. */
const BLOCK_BYTES = 64 * 1024;

/** The GIDs and names of a level's units, by position. */
export interface UnitNames {
  gids: readonly (string | null)[];
  names: readonly (string | null)[];
  /** The GID of the unit of the nearest level above that has units. */
  parents: readonly (string | null)[];
  /** The keys of the codes that the level has, and the codes of those that are wanted. */
  codeKeys: readonly string[];
  codes: ReadonlyMap<string, readonly (string | null)[]>;
}

/** A level that points are looked up in. */
export interface LevelUnits extends UnitNames {
  level: Level;
  /** Undefined if the level has no units. */
  cells: CellFile | undefined;
}

/** A file of cells, open. */
export class CellFile {
  readonly cells: Cells;
  readonly name: string;
  readonly #file: number;
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #from = 0;
  #to = 0;

  /** @throws FormatError if it is no such file, or not complete */
  constructor(file: string, name: string) {
    this.name = name;
    this.#file = openSync(file, 'r');
    const header = this.#read(0, CELLS_HEADER_BYTES);
    const cells = header.length < CELLS_HEADER_BYTES ? 0 : header.readUInt32LE(CELLS_AT);
    const { size } = fstatSync(this.#file);
    this.cells = decodeCells(this.#read(0, Math.min(size, directoryBytes(cells))), name);
    const { fileBytes } = this.cells;
    if (size !== fileBytes) throw new FormatError(name, `has ${size} bytes, expected ${fileBytes}`);
  }

  /** The cell that has a key, and the key that the next one begins with. */
  cellOf(sought: number): { cell: number; next: number } {
    const { key } = this.cells.arrays;
    const cell = lastUpTo(key, sought);
    return { cell, next: key[cell + 1] ?? Number.POSITIVE_INFINITY };
  }

  /** The bytes of a cell: valid until the next call. */
  bytesOf(cell: number): Buffer {
    const { offset, length } = this.cells.rangeOf(cell);
    if (length === 0) return this.#block.subarray(0, 0);
    if (length > BLOCK_BYTES) return this.#read(offset, length);
    if (offset < this.#from || offset + length > this.#to) {
      this.#from = offset;
      this.#to = offset + readSync(this.#file, this.#block, 0, BLOCK_BYTES, offset);
    }
    return this.#block.subarray(offset - this.#from, offset - this.#from + length);
  }

  /** Fewer bytes if the file ends before. */
  #read(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, length, from));
  }
}

/** Where the header says how many cells there are. */
const CELLS_AT = 24;

/**
 * The units of a level.
 * @param wanted keys of codes
 * @throws FormatError if its files are not what they should be, or not of one release
 */
export function openLevel({ level, names, cells }: LevelInput, wanted: readonly string[]): LevelUnits {
  const text = names.text.toString('utf8');
  const codeKeys = furtherKeys(text.slice(0, text.indexOf('\n')), 'code', names.name);
  const keys = wanted.filter((key) => codeKeys.includes(key));
  const fields = [...keys.map((key) => `code:${key}` as const), 'gid', 'name', 'parent', 'fid'] as const;
  const columns = fields.map((): (string | null)[] => []);
  for (const { values, where } of nameValues(text, names.name, fields)) {
    if (typeof values.at(-1) !== 'number') throw new FormatError(where, 'is not a unit');
    for (const [i, column] of columns.entries()) column.push(textOrNull(values[i]));
  }
  const [gids = [], own = [], parents = []] = columns.slice(keys.length);
  const codes = new Map(keys.map((key, i) => [key, elementAt(columns, i)]));
  const file = cells && new CellFile(cells.file, cells.name);
  if (file !== undefined && file.cells.features !== gids.length)
    throw new FormatError(file.name, `is of ${file.cells.features} units, ${names.name} of ${gids.length}`);
  return { level, gids, names: own, parents, codeKeys, codes, cells: file };
}
