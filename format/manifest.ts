// A level's manifest: what it holds, and where each array of its index lies. `decodeLevel` makes a `LevelIndex` of its
// two files, manifest.json and index.bin.

import { elementAt } from './element-at.ts';
import { DIGEST_BYTES, type FeatureArrays, FeatureTable } from './feature-table.ts';
import { type ColumnArrays, GidColumn } from './gid-column.ts';
import { firstPages, type LevelArrays, LevelIndex, PART_NUMBERS, type PageTable } from './level-index.ts';
import type { Format, Geometry, Level, StoredPages } from './levels.ts';
import { FEATURES_PER_FILE, FORMATS, LEVELS, OTHER_GEOMETRIES, STORED_PAGES } from './levels.ts';
import { PAGE_CAPS } from './page-caps.ts';
import type { JsonObject } from './parse.ts';
import { FormatError, numberIn, objectFrom, textIn, textsIn } from './parse.ts';
import { FORMAT_VERSION, versionProblem } from './version.ts';

/** The types of arrays, little-endian. */
export type ArrayType = 'f64' | 'i32' | 'u32' | 'u8';
export type TypedArray = Float64Array | Int32Array | Uint32Array | Uint8Array;
const ITEM_BYTES: Readonly<Record<ArrayType, number>> = { f64: 8, i32: 4, u32: 4, u8: 1 };
/** Each array begins at a multiple of this. */
export const ALIGNMENT = 8;

/** What a manifest says besides the arrays. */
export interface ManifestHead {
  /** The id of the release that the level belongs to. */
  release: string;
  level: Level;
  /** Number of features. */
  features: number;
}

/**
 * The index of a level from its files. The arrays are views of `index`: nothing is copied, unless its memory begins at
 * an odd place.
 * @param files manifest.json as text, index.bin, and their names for messages
 * @param expected what the manifest must say; the number of features is that of release.json
 * @throws FormatError that names the file, the member, what was got and what was expected
 */
export function decodeLevel(
  { manifest, index }: { manifest: string; index: Uint8Array },
  expected: ManifestHead,
  files: { manifest: string; index: string },
): LevelIndex {
  const file = files.manifest;
  const json = objectFrom(manifest, file);
  const version = numberIn(json, 'version', file);
  if (version !== FORMAT_VERSION) throw new FormatError(file, versionProblem(version));
  const release = textIn(json, 'release', file);
  const level = LEVELS.find((known) => known === json['level']);
  if (release !== expected.release || level !== expected.level)
    throw new FormatError(
      file,
      `belongs to release ${release} level ${JSON.stringify(json['level'])}, expected ${expected.release} level ${expected.level}`,
    );
  expectNumber(json, 'features', expected.features, file);
  expectNumber(json, 'featuresPerFile', FEATURES_PER_FILE[level], file);
  const caps = objectFrom(json['caps'], `${file} caps`);
  for (const format of FORMATS) expectNumber(caps, format, PAGE_CAPS[format][level], `${file} caps`);
  const names = textsIn(json, 'columns', file);
  if (names.length !== level + 1) throw new FormatError(file, `${names.length} columns, expected ${level + 1}`);
  expectNumber(json, 'indexBytes', index.length, file, `the length of ${files.index}`);
  const arrays = new ArrayTable(objectFrom(json['arrays'], `${file} arrays`), index, `${file} arrays`, files.index);
  return new LevelIndex(
    level,
    storedPagesIn(json, file),
    arraysFrom(arrays, level, expected.features, names, json, file),
    geometriesIn(json, file),
  );
}

/**
 * The geometries besides the full one that a manifest has, or a level in release.json, in the order of `GEOMETRIES`.
 * @throws FormatError for others
 */
export function geometriesIn(json: JsonObject, file: string): Geometry[] {
  const names = Object.keys(objectFrom(json['geometries'], `${file} geometries`));
  const known = OTHER_GEOMETRIES.filter((geometry) => names.includes(geometry));
  if (known.length !== names.length)
    throw new FormatError(file, `geometries has ${names.join(', ')}, expected some of ${OTHER_GEOMETRIES.join(', ')}`);
  return known;
}

/**
 * The table of a geometry besides the full one, from the manifest of its level and the index.bin of its folder: views,
 * as those of `decodeLevel`.
 * @param index of the level, which has the same positions
 * @throws FormatError likewise
 */
export function decodeTable(
  { manifest, table }: { manifest: string; table: Uint8Array },
  geometry: Geometry,
  { level, features }: LevelIndex,
  files: { manifest: string; table: string },
): FeatureTable {
  const where = `${files.manifest} geometries.${geometry}`;
  const head = objectFrom(manifest, files.manifest);
  expectNumber(head, 'level', level, files.manifest);
  const json = objectFrom(objectFrom(head['geometries'], `${files.manifest} geometries`)[geometry], where);
  expectNumber(json, 'indexBytes', table.length, where, `the length of ${files.table}`);
  const arrays = new ArrayTable(objectFrom(json['arrays'], `${where} arrays`), table, `${where} arrays`, files.table);
  return new FeatureTable(level, featureArraysFrom(arrays, features, level));
}

function featureArraysFrom(arrays: ArrayTable, features: number, level: Level): FeatureArrays {
  const own = {
    start: arrays.f64('start', features + 1),
    dataCrc: arrays.u32('dataCrc', features + 1),
    aloneStart: arrays.f64('alone.start', features + 1, 0),
    aloneCrc: arrays.u32('alone.crc', features + 1),
    textStart: arrays.f64('textStart', features + 1),
    textCrc: arrays.u32('textCrc', features + 1),
    textCrcFc: arrays.u32('textCrc.fc', features + 1),
    digest: arrays.u8('digest', DIGEST_BYTES * features),
  };
  // A body goes on from one feature file to the next: what is first there refers to nothing.
  for (let first = 0; first < features; first += FEATURES_PER_FILE[level])
    if (own.aloneStart[first] !== own.aloneStart[first + 1])
      throw new FormatError(arrays.where, `alone.start has position ${first}, which is the first of its file`);
  return own;
}

/**
 * Takes the arrays of a level from the table of its manifest; each must have the length that follows from the others.
 */
function arraysFrom(
  arrays: ArrayTable,
  level: Level,
  features: number,
  names: readonly string[],
  json: JsonObject,
  file: string,
): LevelArrays {
  const columns = names.map((name, c) => new GidColumn(name, columnFrom(arrays, `gid${c}`)));
  const stored = storedPagesIn(json, file);
  const pagesOf = (format: Format): PageTable => {
    const firsts = firstPages(level, format, features, columns, stored);
    const pages = elementAt(firsts, firsts.length - 1);
    return {
      listing: arrays.sums(`${format}.listing`, firsts.length, 0),
      bytes: arrays.u32(`${format}.bytes`, pages),
      digest: arrays.u8(`${format}.digest`, DIGEST_BYTES * pages),
    };
  };
  return {
    fid: arrays.f64('fid', features),
    ...featureArraysFrom(arrays, features, level),
    box: arrays.i32('box', 4 * features),
    part: partsIn(arrays, features),
    columns,
    pages: stored === 'none' ? undefined : { geojsonl: pagesOf('geojsonl'), fc: pagesOf('fc') },
  };
}

/** The boxes of parts: their positions ascend, and each has fewer than there may be. */
function partsIn(arrays: ArrayTable, features: number): Int32Array {
  const part = arrays.i32('part');
  if (part.length % PART_NUMBERS !== 0)
    throw new FormatError(arrays.where, `part has ${part.length} numbers, expected ${PART_NUMBERS} a box`);
  let last = 0;
  for (let at = 0; at < part.length; at += PART_NUMBERS) {
    const position = elementAt(part, at);
    if (position < last || position >= features)
      throw new FormatError(arrays.where, `part has position ${position} after ${last}, of ${features} features`);
    last = position;
  }
  return part;
}

function columnFrom(arrays: ArrayTable, prefix: string): ColumnArrays {
  const count = arrays.u32(`${prefix}.count`);
  const start = arrays.sums(`${prefix}.start`, count.length + 1);
  const run = arrays.sums(`${prefix}.run`, count.length + 1);
  const runs = elementAt(run, count.length);
  return {
    start,
    text: arrays.u8(`${prefix}.text`, elementAt(start, count.length)),
    run,
    first: arrays.u32(`${prefix}.first`, runs),
    rank: arrays.u32(`${prefix}.rank`, runs),
    count,
  };
}

/** Arrays are written and read as they lie in memory. @throws FormatError on a big-endian processor */
export function requireLittleEndian(where: string): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1)
    throw new FormatError(where, 'are little-endian, which this processor is not');
}

/** The arrays that a manifest lists, as views of index.bin. */
class ArrayTable {
  readonly #table: JsonObject;
  readonly #memory: ArrayBufferLike;
  readonly #offset: number;
  readonly #bytes: number;
  readonly where: string;
  readonly #file: string;

  /** @param where,file the names of table and index for messages */
  constructor(table: JsonObject, index: Uint8Array, where: string, file: string) {
    requireLittleEndian(where);
    const own = index.byteOffset % ALIGNMENT === 0 ? index : new Uint8Array(index);
    this.#table = table;
    this.#memory = own.buffer;
    this.#offset = own.byteOffset;
    this.#bytes = own.length;
    this.where = where;
    this.#file = file;
  }

  /**
   * All arrays of this type are whole numbers that ascend.
   * @param step the least that one is more than the one before
   */
  f64(name: string, length: number, step = 1): Float64Array {
    const place = this.#placeOf(name, 'f64', length);
    return this.#ascending(name, new Float64Array(this.#memory, place.offset, place.length), step);
  }

  /** Sums of what comes before each item. @param step the least that an item is more than the one before */
  sums(name: string, length: number, step = 1): Uint32Array {
    return this.#ascending(name, this.u32(name, length), step);
  }

  #ascending<Items extends Float64Array | Uint32Array>(name: string, items: Items, step: number): Items {
    let least = 0;
    for (let i = 0; i < items.length; i++) {
      const item = items[i] ?? Number.NaN;
      if (!(item >= least && Number.isSafeInteger(item)))
        throw new FormatError(this.#file, `${name}[${i}] is ${item}, expected a whole number above ${least - 1}`);
      least = item + step;
    }
    return items;
  }

  i32(name: string, length?: number): Int32Array {
    const place = this.#placeOf(name, 'i32', length);
    return new Int32Array(this.#memory, place.offset, place.length);
  }

  u32(name: string, length?: number): Uint32Array {
    const place = this.#placeOf(name, 'u32', length);
    return new Uint32Array(this.#memory, place.offset, place.length);
  }

  u8(name: string, length: number): Uint8Array {
    const place = this.#placeOf(name, 'u8', length);
    return new Uint8Array(this.#memory, place.offset, place.length);
  }

  #placeOf(name: string, type: ArrayType, expected: number | undefined): { offset: number; length: number } {
    const where = `${this.where} ${name}`;
    const entry = objectFrom(this.#table[name], where);
    if (entry['type'] !== type)
      throw new FormatError(where, `type is ${JSON.stringify(entry['type'])}, expected "${type}"`);
    const offset = numberIn(entry, 'offset', where);
    const length = numberIn(entry, 'length', where);
    if (expected !== undefined && length !== expected)
      throw new FormatError(where, `length is ${length}, expected ${expected}`);
    if (offset % ALIGNMENT !== 0 || offset + length * ITEM_BYTES[type] > this.#bytes)
      throw new FormatError(where, `${length} items at ${offset} are not in the index of ${this.#bytes} bytes`);
    return { offset: this.#offset + offset, length };
  }
}

function expectNumber(json: JsonObject, member: string, expected: number, where: string, meaning = ''): void {
  const got = numberIn(json, member, where);
  if (got !== expected)
    throw new FormatError(where, `${member} is ${got}, expected ${expected}${meaning && `, ${meaning}`}`);
}

/**
 * The member `storedPages` of a manifest or of release.json.
 * @throws FormatError if it is not one of `STORED_PAGES`
 */
export function storedPagesIn(json: JsonObject, file: string): StoredPages {
  const text = textIn(json, 'storedPages', file);
  const stored = STORED_PAGES.find((known) => known === text);
  if (stored === undefined)
    throw new FormatError(file, `storedPages is ${JSON.stringify(text)}, expected one of ${STORED_PAGES.join(', ')}`);
  return stored;
}
