// A level's index, index.bin: its look-up tables as typed arrays that are used where they lie. The generator makes the
// arrays; a reader maps them with the level's manifest, without parsing or copying.
import { crc32 } from 'node:zlib';
import { cutCrc } from './crc32.ts';
import { elementAt, f64At, numberAt, u32At } from './element-at.ts';
import type { GidColumn } from './gid-column.ts';
import { MEMBER_HEADER } from './gzip.ts';
import type { ListingKey } from './layout.ts';
import type { Format, Level, StoredPages } from './levels.ts';
import { FEATURES_PER_FILE, PAGE_CAPS } from './levels.ts';
import { allPositions, type Positions } from './positions.ts';

/** Bytes of a digest: 64 bits of a SHA-256. */
export const DIGEST_BYTES = 8;

/** The stored pages of one format, by number: listing by listing, in the order of the listings. */
export interface PageTable {
  /** Number of each listing's first page; one entry more for the end of the last. */
  listing: Uint32Array;
  /** Bytes of each page file. */
  bytes: Uint32Array;
  /** Digest of each page file, `DIGEST_BYTES` each. */
  digest: Uint8Array;
}

/** The arrays of a level with n features, as README.md describes them; "before p": of the features 0 to p - 1. */
export interface LevelArrays {
  /** The fids, ascending: n. */
  fid: Float64Array;
  /** Bytes of deflate data before p: n + 1. */
  start: Float64Array;
  /** Bytes of text before p: n + 1. */
  textStart: Float64Array;
  /** CRC-32 of all text before p: n + 1. */
  textCrc: Uint32Array;
  /** CRC-32 of all deflate data before p: n + 1. */
  dataCrc: Uint32Array;
  /** The first 8 bytes of the SHA-256 of each feature's deflate data: 8 n. */
  digest: Uint8Array;
  /** Columns 0 to the level. */
  columns: readonly GidColumn[];
  /** Undefined if no pages are stored. */
  pages: Readonly<Record<Format, PageTable>> | undefined;
}

/** A stored page. */
export interface StoredPage {
  /** Number in its format. */
  number: number;
  /** Bytes of its file. */
  bytes: number;
}

/** The number of pages of a listing with `features` features; 0 for an empty listing. */
export function pageCount(level: Level, format: Format, features: number): number {
  return Math.ceil(features / PAGE_CAPS[format][level]);
}

/** The index of a level: look-ups by position, fid, GID and page. */
export class LevelIndex {
  readonly level: Level;
  /** Number of features; positions are 0 to features - 1, in order of fid. */
  readonly features: number;
  /** Features in each feature file but the last. */
  readonly perFile: number;
  /** Columns 0 to the level: those above it are parents, the last is its own. */
  readonly columns: readonly GidColumn[];
  readonly storedPages: StoredPages;
  readonly arrays: LevelArrays;
  /** All positions. */
  readonly all: Positions;
  /** The number of each column's first listing. Listing 0 is the unfiltered one. */
  readonly #firstListing: readonly number[];

  constructor(level: Level, storedPages: StoredPages, arrays: LevelArrays) {
    this.level = level;
    this.features = arrays.fid.length;
    this.perFile = FEATURES_PER_FILE[level];
    this.columns = arrays.columns;
    this.storedPages = storedPages;
    this.arrays = arrays;
    this.all = allPositions(this.features);
    this.#firstListing = firstListings(arrays.columns);
  }

  /** The first position whose fid is at least `fid`; the number of features past the last one. */
  positionOf(fid: number): number {
    const { fid: fids } = this.arrays;
    let low = 0;
    let high = fids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (f64At(fids, middle) < fid) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The fid at a position. */
  fidAt(position: number): number {
    return f64At(this.arrays.fid, position);
  }

  /** Number of feature files. */
  get files(): number {
    return Math.ceil(this.features / this.perFile);
  }

  /** The number of the feature file of a position, from 0. */
  fileOf(position: number): number {
    return Math.floor(position / this.perFile);
  }

  /** The position after the last one in a feature file. */
  fileEnd(file: number): number {
    return Math.min((file + 1) * this.perFile, this.features);
  }

  /** Offset of the deflate data of the feature at a position in its feature file, in bytes. */
  offsetAt(position: number): number {
    return MEMBER_HEADER.length + this.dataBytes(position - (position % this.perFile), position);
  }

  /** Bytes of deflate data of the positions `first` up to but not including `end`. */
  dataBytes(first: number, end: number): number {
    const { start } = this.arrays;
    return f64At(start, end) - f64At(start, first);
  }

  /** CRC-32 of all deflate data before a position. */
  dataCrcBefore(position: number): number {
    return u32At(this.arrays.dataCrc, position);
  }

  /** Are these the bytes of deflate data of the positions `first` up to but not including `end`? */
  hasData(data: Uint8Array, first: number, end: number): boolean {
    // The CRC of all data before continues over the bytes: nothing needs to be cut or joined.
    return crc32(data, this.dataCrcBefore(first)) === this.dataCrcBefore(end);
  }

  /** CRC-32 of that data, joined. */
  dataCrc(first: number, end: number): number {
    const { dataCrc } = this.arrays;
    return cutCrc(u32At(dataCrc, first), u32At(dataCrc, end), this.dataBytes(first, end));
  }

  /** Bytes of text of the positions `first` up to but not including `end`. */
  textBytes(first: number, end: number): number {
    const { textStart } = this.arrays;
    return f64At(textStart, end) - f64At(textStart, first);
  }

  /** CRC-32 of that text, joined; behind another text whose CRC-32 is `crc`. */
  textCrc(first: number, end: number, crc = 0): number {
    const { textCrc } = this.arrays;
    // A CRC is linear: what came before here goes out by the same multiplication by which the other text comes in.
    return cutCrc(u32At(textCrc, first) ^ crc, u32At(textCrc, end), this.textBytes(first, end));
  }

  /** The digests of the positions `first` up to but not including `end`, joined. */
  digests(first: number, end: number): Uint8Array {
    return this.arrays.digest.subarray(first * DIGEST_BYTES, end * DIGEST_BYTES);
  }

  /** Number of listings: the unfiltered one, and one for each GID of each parent column. */
  get listings(): number {
    return numberAt(this.#firstListing, this.level);
  }

  /** The number of the listing of a parent's GID. @param number of the GID in its column */
  listingOf(column: number, number: number): number {
    return numberAt(this.#firstListing, column) + number;
  }

  /** Column and GID of a listing by its number. */
  listingKey(listing: number): ListingKey {
    if (listing === 0) return 'all';
    const column = this.#columnOf(listing);
    return { column, gid: elementAt(this.columns, column).gidAt(listing - numberAt(this.#firstListing, column)) };
  }

  /** The positions of a listing by its number. */
  listingPositions(listing: number): Positions {
    if (listing === 0) return this.all;
    const column = this.#columnOf(listing);
    return elementAt(this.columns, column).positionsAt(listing - numberAt(this.#firstListing, column));
  }

  /** The column of a listing under a parent. @throws RangeError if there is no such listing */
  #columnOf(listing: number): number {
    if (listing >= this.listings) throw new RangeError(`listing ${listing} of ${this.listings}`);
    return this.#firstListing.findLastIndex((first) => first <= listing);
  }

  /**
   * The stored page of a listing that begins at a rank and has `count` features; undefined if no page is cut there.
   * @param features number of features of the listing
   */
  storedPage(format: Format, listing: number, features: number, rank: number, count: number): StoredPage | undefined {
    const table = this.arrays.pages?.[format];
    const cap = PAGE_CAPS[format][this.level];
    if (table === undefined || count === 0 || rank % cap !== 0 || count !== Math.min(cap, features - rank))
      return undefined;
    if (listing + 1 >= table.listing.length) return undefined;
    const number = u32At(table.listing, listing) + rank / cap;
    return { number, bytes: u32At(table.bytes, number) };
  }

  /** The digest of a stored page in hex, 16 characters: the beginning of its SHA-256. */
  pageDigest(format: Format, number: number): string {
    const digest = this.arrays.pages?.[format].digest;
    if (digest === undefined) throw new RangeError(`level ${this.level} stores no pages`);
    if (number * DIGEST_BYTES >= digest.length) throw new RangeError(`page ${number} of level ${this.level}`);
    const { buffer, byteOffset } = digest;
    return Buffer.from(buffer, byteOffset + number * DIGEST_BYTES, DIGEST_BYTES).toString('hex');
  }
}

/** The number of the first listing of each parent column, and of all listings. */
function firstListings(columns: readonly GidColumn[]): number[] {
  const firsts: number[] = [];
  let next = 1;
  for (const { size } of columns) {
    firsts.push(next);
    next += size;
  }
  return firsts;
}

/**
 * The number of the first page of each stored listing of a format, and of all pages.
 * @param columns 0 to the level
 */
export function firstPages(
  level: Level,
  format: Format,
  features: number,
  columns: readonly GidColumn[],
  storedPages: StoredPages,
): Uint32Array {
  const parents = storedPages === 'all' ? columns.slice(0, level) : [];
  const listings = storedPages === 'none' ? 0 : parents.reduce((sum, { size }) => sum + size, 1);
  const firsts = new Uint32Array(listings + 1);
  if (listings === 0) return firsts;
  let listing = 0;
  let pages = 0;
  const add = (count: number): void => {
    pages += pageCount(level, format, count);
    firsts[++listing] = pages;
  };
  add(features);
  for (const column of parents) for (let number = 0; number < column.size; number++) add(column.countAt(number));
  return firsts;
}
