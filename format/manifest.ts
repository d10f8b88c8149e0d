// A level's cursor manifest: what a request needs to know about a level before a page is read. The generator writes it
// from its plan; the proxy, `verify` and `diff` read it and refuse an inconsistent one.
import { createHash } from 'node:crypto';
import { elementAt, numberAt } from './element-at.ts';
import type { Format, Level, StoredPages } from './levels.ts';
import { FEATURES_PER_FILE, FORMATS, LEVELS, PAGE_CAPS, STORED_PAGES } from './levels.ts';
import type { JsonObject } from './parse.ts';
import { FormatError, listIn, numberIn, numbersIn, objectFrom, textIn, textsIn } from './parse.ts';
import type { Runs, RunTable } from './runs.ts';
import { countOf, runTable } from './runs.ts';

/** The version of everything in `format/`; readers refuse any other. */
export const FORMAT_VERSION = 2;

/** A GID column of a level: which units lie under which GID. Columns above the level are parents; the last is its own. */
export interface Column {
  /** Its name in the source, e.g. `GID_1`; empty if the source lacks the level. */
  name: string;
  /** Every GID in the column, in order of first appearance. */
  gids: readonly string[];
  /** For each GID, the positions it covers. */
  covers: RunTable;
  /**
   * The index of a GID in `gids`; undefined if it is not in the column. The first call builds the lookup table.
   * @throws FormatError if a GID is listed twice
   */
  find(gid: string): number | undefined;
}

/** The stored page files of one format, in canonical order: unfiltered, then column 0 GID by GID, column 1, ... */
export interface PageTable {
  /** Bytes of each file. */
  bytes: readonly number[];
  /** Digest of each file, `DIGEST_CHARS` characters each, joined. */
  digests: string;
}

/** The content of a manifest. */
export interface Manifest {
  release: string;
  level: Level;
  /** Number of features in the level; positions are 0 .. features - 1, in order of fid. */
  features: number;
  /** The fids, ascending: the fid at a position is the number with that rank. */
  fids: Runs;
  /** Columns 0 .. level. */
  columns: readonly Column[];
  /** Features in each feature file but the last. */
  featuresPerFile: number;
  /** Which pages are stored as files. */
  storedPages: StoredPages;
  /** The stored pages. */
  pages: Readonly<Record<Format, PageTable>>;
}

/** Characters of a page digest: 64 bits of SHA-256 in base64url. */
export const DIGEST_CHARS = 11;
const DIGEST_BYTES = 8;

/** The digest of a file from its SHA-256. */
export function digestFrom(sha256: Uint8Array): string {
  return Buffer.from(sha256.buffer, sha256.byteOffset, DIGEST_BYTES).toString('base64url');
}

/** The digest of a file from its bytes. */
export function digestOf(bytes: Uint8Array): string {
  return digestFrom(createHash('sha256').update(bytes).digest());
}

/** The number of stored pages of a level: of the unfiltered listing, of all listings, or none. */
export function storedPageCount(
  level: Level,
  format: Format,
  features: number,
  columns: readonly Column[],
  stored: StoredPages,
): number {
  if (stored === 'none') return 0;
  let pages = pageCount(level, format, features);
  if (stored === 'unfiltered') return pages;
  for (const { covers } of columns.slice(0, level))
    for (let at = 0; at < covers.count; at++) pages += pageCount(level, format, covers.sizeOf(at));
  return pages;
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

/** The number of pages of a listing with `features` features; 0 for an empty listing. */
export function pageCount(level: Level, format: Format, features: number): number {
  return Math.ceil(features / PAGE_CAPS[format][level]);
}

/** Builds a column from the GID at each position; null for no GID. */
export function columnFrom(name: string, gidAt: Iterable<string | null>): Column {
  const index = new Map<string, number>();
  const owned: number[] = [];
  let position = 0;
  for (const gid of gidAt) {
    if (gid !== null) {
      const at = index.get(gid) ?? index.size;
      if (at === index.size) index.set(gid, at);
      pushOwned(owned, at, position, 1);
    }
    position++;
  }
  return { name, gids: [...index.keys()], covers: runTable(owned, index.size), find: (gid) => index.get(gid) };
}

/** Appends a run; one that continues the last run of the same owner extends it. */
function pushOwned(owned: number[], owner: number, start: number, count: number): void {
  const last = owned.length - 3;
  const lastStart = owned[last + 1];
  const lastCount = owned[last + 2];
  const isNext = lastStart !== undefined && lastCount !== undefined && lastStart + lastCount === start;
  if (isNext && owned[last] === owner) owned[last + 2] = lastCount + count;
  else owned.push(owner, start, count);
}

/** Finds GIDs by a map that is built at the first lookup: many columns are never looked up. */
function finderOf(gids: readonly string[], where: string): Column['find'] {
  let index: Map<string, number> | undefined;
  return (gid) => {
    index ??= indexOf(gids, where);
    return index.get(gid);
  };
}

function indexOf(gids: readonly string[], where: string): Map<string, number> {
  const index = new Map<string, number>();
  for (const gid of gids) index.set(gid, index.size);
  if (index.size !== gids.length) throw new FormatError(where, 'a GID is listed twice');
  return index;
}

/** Serialises a manifest as one JSON text. */
export function manifestToJson(manifest: Manifest): string {
  return JSON.stringify({
    version: FORMAT_VERSION,
    release: manifest.release,
    level: manifest.level,
    features: manifest.features,
    fids: manifest.fids,
    columns: manifest.columns.map((column) => ({
      name: column.name,
      gids: column.gids,
      runs: columnToRuns(column, manifest.features),
    })),
    featuresPerFile: manifest.featuresPerFile,
    storedPages: manifest.storedPages,
    pages: Object.fromEntries(
      FORMATS.map((format) => [
        format,
        {
          cap: PAGE_CAPS[format][manifest.level],
          bytes: manifest.pages[format].bytes,
          digests: manifest.pages[format].digests,
        },
      ]),
    ),
  });
}

/**
 * Reads a manifest and checks that it is consistent.
 * @param text the file's content
 * @param file its name, for messages
 * @throws FormatError that names the file, the member, what was got and what was expected
 */
export function manifestFromJson(text: string, file: string): Manifest {
  const json = objectFrom(text, file);
  const version = numberIn(json, 'version', file);
  if (version !== FORMAT_VERSION)
    throw new FormatError(file, `format version is ${version}, expected ${FORMAT_VERSION}`);
  const levelNumber = numberIn(json, 'level', file);
  const level = LEVELS.find((known) => known === levelNumber);
  if (level === undefined) throw new FormatError(file, `level is ${levelNumber}, expected 0 to 5`);
  const features = numberIn(json, 'features', file);
  const fids = fidsFrom(numbersIn(json, 'fids', file), features, file);
  const columns = listIn(json, 'columns', file).map((entry, i) =>
    columnFromJson(entry, features, `${file} columns[${i}]`),
  );
  if (columns.length !== level + 1) throw new FormatError(file, `${columns.length} columns, expected ${level + 1}`);
  const featuresPerFile = numberIn(json, 'featuresPerFile', file);
  if (featuresPerFile !== FEATURES_PER_FILE[level])
    throw new FormatError(file, `featuresPerFile is ${featuresPerFile}, expected ${FEATURES_PER_FILE[level]}`);
  const storedPages = storedPagesIn(json, file);
  const pages = objectFrom(json['pages'], `${file} pages`);
  const tableOf = (format: Format): PageTable => {
    const expected = storedPageCount(level, format, features, columns, storedPages);
    return pageTableFrom(pages[format], PAGE_CAPS[format][level], expected, `${file} pages.${format}`);
  };
  return {
    release: textIn(json, 'release', file),
    level,
    features,
    fids,
    columns,
    featuresPerFile,
    storedPages,
    pages: { geojsonl: tableOf('geojsonl'), fc: tableOf('fc') },
  };
}

// A column is a sequence of runs in order of position:
//   n      (n > 0): the next unseen GID covers n positions
//   -k n   (k > 0): GID k - 1 again, n positions
//   0 n    no GID, n positions
function columnToRuns(column: Column, features: number): number[] {
  const owners = new Int32Array(features).fill(-1);
  for (let at = 0; at < column.covers.count; at++) {
    const runs = column.covers.at(at);
    for (let i = 0; i < runs.length; i += 2) {
      const start = numberAt(runs, i);
      owners.fill(at, start, start + numberAt(runs, i + 1));
    }
  }
  const out: number[] = [];
  let next = 0;
  for (let start = 0; start < features; ) {
    const owner = elementAt(owners, start);
    let end = start + 1;
    while (end < features && owners[end] === owner) end++;
    if (owner === next) {
      out.push(end - start);
      next++;
    } else {
      out.push(owner === -1 ? 0 : -(owner + 1), end - start);
    }
    start = end;
  }
  return out;
}

function columnFromJson(entry: unknown, features: number, where: string): Column {
  const json = objectFrom(entry, where);
  const gids = textsIn(json, 'gids', where);
  const runs = numbersIn(json, 'runs', where);
  const owned: number[] = [];
  let owners = 0;
  let position = 0;
  for (let i = 0; i < runs.length; i++) {
    const code = numberAt(runs, i);
    const owner = code > 0 ? owners++ : -code - 1;
    const count = code > 0 ? code : runs[++i];
    if (count === undefined || count < 1 || owner >= owners) throw new FormatError(where, `runs[${i}] is out of range`);
    if (owner >= 0) pushOwned(owned, owner, position, count);
    position += count;
  }
  if (position !== features) throw new FormatError(where, `runs cover ${position} features, expected ${features}`);
  if (owners !== gids.length) throw new FormatError(where, `runs name ${owners} GIDs, expected ${gids.length}`);
  return { name: textIn(json, 'name', where), gids, covers: runTable(owned, owners), find: finderOf(gids, where) };
}

function fidsFrom(fids: number[], features: number, file: string): Runs {
  let previousEnd = 0;
  for (let i = 0; i < fids.length; i += 2) {
    const start = numberAt(fids, i);
    const count = fids[i + 1];
    if (count === undefined || start < previousEnd || count < 1)
      throw new FormatError(file, `fids[${i}] is out of order`);
    previousEnd = start + count;
  }
  if (countOf(fids) !== features) throw new FormatError(file, `${countOf(fids)} fids, expected ${features}`);
  return fids;
}

function pageTableFrom(entry: unknown, expectedCap: number, pages: number, where: string): PageTable {
  const json = objectFrom(entry, where);
  const cap = numberIn(json, 'cap', where);
  if (cap !== expectedCap) throw new FormatError(where, `cap is ${cap}, expected ${expectedCap}`);
  const bytes = numbersIn(json, 'bytes', where);
  const digests = textIn(json, 'digests', where);
  if (bytes.length !== pages) throw new FormatError(where, `${bytes.length} pages, expected ${pages}`);
  if (digests.length !== pages * DIGEST_CHARS)
    throw new FormatError(where, `digests for ${digests.length / DIGEST_CHARS} pages, expected ${pages}`);
  return { bytes, digests };
}
