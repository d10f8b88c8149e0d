// Levels for the tests of the format, made from texts and GIDs by the plainest means: every sum is taken of the whole
// text before it, every page is made up. Slow, and independent of the arithmetic that it tests.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { FeatureTable } from '../../format/feature-table.ts';
import type { GidColumn } from '../../format/gid-column.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { firstPages, LevelIndex, type PageTable } from '../../format/level-index.ts';
import { FEATURES_PER_FILE, type Format, type Geometry, type Level, type StoredPages } from '../../format/levels.ts';
import { gidColumn } from '../../format/write/gid-column.ts';
import { deflateLine, memberEnd } from '../../format/write/gzip.ts';

/** The text of a feature. */
export interface FeatureText {
  /** With its line feed. */
  text: string;
  /** Its deflate data alone, if it is not what `deflateLine` makes. */
  data?: Buffer;
  /** Its data with the text before it, if it is chained. */
  chained?: Buffer;
}

/** A feature. */
export interface Unit extends FeatureText {
  fid: number;
  /** Its GIDs in columns 0 to the level; null for none. */
  gids: readonly (string | null)[];
  /** As in the index: west, south, east, north in units of 1e-7 degrees; if it has none, it has no geometry. */
  box?: readonly [number, number, number, number];
  /** Boxes of its parts, likewise. */
  parts?: readonly (readonly [number, number, number, number])[];
}

/** The feature files of a geometry, and what they were made from. */
export interface MadeFeatures {
  table: FeatureTable;
  texts: Buffer[];
  /** The data of each feature alone, and as it is in its feature file. */
  data: Buffer[];
  chained: Buffer[];
  /** The feature files, and those beside them. */
  files: Buffer[];
  alone: Buffer[];
}

/** A level: its index is the table of the full geometry. */
export interface MadeLevel extends Omit<MadeFeatures, 'table'> {
  index: LevelIndex;
}

function madeUpPage(format: Format, number: number): Buffer {
  return Buffer.from(`${format} ${'x'.repeat(number % 7)} ${number}`);
}

/** The first 8 bytes of a SHA-256. */
export function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, 8);
}

/** A column of GIDs by position; null for none. */
export function makeColumn(name: string, gids: readonly (string | null)[]): GidColumn {
  const distinct = [...new Set(gids)].filter((gid) => gid !== null);
  const owners = gids.map((gid) => (gid === null ? -1 : distinct.indexOf(gid)));
  return gidColumn(name, distinct, Int32Array.from(owners));
}

/** One gzip member: deflate data and the sum of its text. */
export function memberOf(data: readonly Uint8Array[], text: Uint8Array): Buffer {
  return Buffer.concat([MEMBER_HEADER, ...data, memberEnd({ crc: crc32(text), length: text.length })]);
}

/** The units, each but the first of a file chained to the one before it. */
export function chain<Unit extends FeatureText>(level: Level, units: readonly Unit[]): Unit[] {
  return units.map((unit, p) => {
    const before = units[p - 1];
    if (before === undefined || p % FEATURES_PER_FILE[level] === 0) return unit;
    return { ...unit, chained: deflateLine(Buffer.from(unit.text), Buffer.from(before.text)) };
  });
}

/** Makes the feature files of a geometry, and their table. */
export function makeFeatures(level: Level, units: readonly FeatureText[]): MadeFeatures {
  const texts = units.map(({ text }) => Buffer.from(text));
  const data = units.map((unit) => unit.data ?? deflateLine(Buffer.from(unit.text)));
  const chained = units.map((unit, p) => unit.chained ?? data[p] ?? Buffer.of());
  const alone = units.map((unit, p) => (unit.chained && data[p]) ?? Buffer.of());
  const commas = texts.map((text) => text.map((byte) => (byte === 0x0a ? 0x2c : byte)));
  const before = (parts: readonly Uint8Array[], measure: (joined: Buffer) => number): number[] => {
    const whole = Buffer.concat(parts);
    let end = 0;
    return [0, ...parts.map(({ length }) => (end += length))].map((bytes) => measure(whole.subarray(0, bytes)));
  };
  const table = new FeatureTable(level, {
    start: Float64Array.from(before(chained, ({ length }) => length)),
    dataCrc: Uint32Array.from(before(chained, (joined) => crc32(joined))),
    aloneStart: Float64Array.from(before(alone, ({ length }) => length)),
    aloneCrc: Uint32Array.from(before(alone, (joined) => crc32(joined))),
    textStart: Float64Array.from(before(texts, ({ length }) => length)),
    textCrc: Uint32Array.from(before(texts, (joined) => crc32(joined))),
    textCrcFc: Uint32Array.from(before(commas, (joined) => crc32(joined))),
    digest: Buffer.concat(data.map(digestOf)),
  });
  const perFile = FEATURES_PER_FILE[level];
  const numbers = Array.from({ length: Math.ceil(units.length / perFile) }, (_, file) => file);
  const part = <T>(list: readonly T[], file: number): T[] => list.slice(file * perFile, (file + 1) * perFile);
  return {
    table,
    texts,
    data,
    chained,
    files: numbers.map((file) => memberOf(part(chained, file), Buffer.concat(part(texts, file)))),
    alone: numbers.map((file) => Buffer.concat(part(alone, file))),
  };
}

/**
 * Makes a level.
 * @param geometries that it has besides the full one
 * @param pageAt the bytes of a page file, by its number
 */
export function makeLevel(
  level: Level,
  units: readonly Unit[],
  storedPages: StoredPages,
  geometries: readonly Geometry[] = [],
  pageAt: (format: Format, number: number) => Buffer = madeUpPage,
): MadeLevel {
  const { table, ...made } = makeFeatures(level, units);
  const columns = Array.from({ length: level + 1 }, (_, c) =>
    makeColumn(
      `GID_${c}`,
      units.map(({ gids }) => gids[c] ?? null),
    ),
  );
  const tableOf = (format: Format): PageTable => {
    const listing = firstPages(level, format, units.length, columns, storedPages);
    const pages = Array.from({ length: listing.at(-1) ?? 0 }, (_, number) => pageAt(format, number));
    const digest = Buffer.concat(pages.map(digestOf));
    return { listing, bytes: Uint32Array.from(pages, ({ length }) => length), digest };
  };
  const arrays = {
    ...table.arrays,
    fid: Float64Array.from(units, ({ fid }) => fid),
    box: Int32Array.from(units.flatMap(({ box = [0, 1, 0, 0] }) => box)),
    part: Int32Array.from(units.flatMap(({ parts = [] }, position) => parts.flatMap((box) => [position, ...box]))),
    columns,
    pages: storedPages === 'none' ? undefined : { geojsonl: tableOf('geojsonl'), fc: tableOf('fc') },
  };
  return { index: new LevelIndex(level, storedPages, arrays, geometries), ...made };
}
