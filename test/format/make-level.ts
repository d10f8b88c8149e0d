// Levels for the tests of the format, made from texts and GIDs by the plainest means: every sum is taken of the whole text
// before it, every page is made up. Slow, and independent of the arithmetic that it tests.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type GidColumn, gidColumn } from '../../format/gid-column.ts';
import { deflateText, MEMBER_HEADER, memberEnd } from '../../format/gzip.ts';
import { firstPages, LevelIndex, type PageTable } from '../../format/level-index.ts';
import { FEATURES_PER_FILE, type Format, type Level, type StoredPages } from '../../format/levels.ts';

/** A feature. */
export interface Unit {
  fid: number;
  /** With its line feed. */
  text: string;
  /** Its GIDs in columns 0 to the level; null for none. */
  gids: readonly (string | null)[];
  /** Its deflate data, if it is not what `deflateText` makes. */
  data?: Buffer;
}

/** A level and what it was made from. */
export interface MadeLevel {
  index: LevelIndex;
  texts: Buffer[];
  data: Buffer[];
  /** The feature files. */
  files: Buffer[];
}

/** The bytes of a page that nobody reads. */
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

/** Makes a level. @param pageAt the bytes of a page file, by its number */
export function makeLevel(
  level: Level,
  units: readonly Unit[],
  storedPages: StoredPages,
  pageAt: (format: Format, number: number) => Buffer = madeUpPage,
): MadeLevel {
  const texts = units.map(({ text }) => Buffer.from(text));
  const data = units.map((unit, p) => unit.data ?? deflateText(texts[p] ?? Buffer.alloc(0)));
  const before = (parts: readonly Buffer[], measure: (joined: Buffer) => number): number[] =>
    Array.from({ length: parts.length + 1 }, (_, p) => measure(Buffer.concat(parts.slice(0, p))));
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
  const index = new LevelIndex(level, storedPages, {
    fid: Float64Array.from(units, ({ fid }) => fid),
    start: Float64Array.from(before(data, ({ length }) => length)),
    textStart: Float64Array.from(before(texts, ({ length }) => length)),
    textCrc: Uint32Array.from(before(texts, (joined) => crc32(joined))),
    dataCrc: Uint32Array.from(before(data, (joined) => crc32(joined))),
    digest: Buffer.concat(data.map(digestOf)),
    columns,
    pages: storedPages === 'none' ? undefined : { geojsonl: tableOf('geojsonl'), fc: tableOf('fc') },
  });
  const perFile = FEATURES_PER_FILE[level];
  const files = Array.from({ length: Math.ceil(units.length / perFile) }, (_, file) => {
    const part = <T>(list: readonly T[]): T[] => list.slice(file * perFile, (file + 1) * perFile);
    return memberOf(part(data), Buffer.concat(part(texts)));
  });
  return { index, texts, data, files };
}
