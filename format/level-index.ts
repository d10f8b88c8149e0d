// A level's index, index.bin: its look-up tables as typed arrays that are used where they lie. The generator makes the
// arrays; a reader maps them with the level's manifest, without parsing or copying.
import { elementAt, f64At, i32At, numberAt, u32At } from './element-at.ts';
import { DIGEST_BYTES, type FeatureArrays, FeatureTable } from './feature-table.ts';
import type { GidColumn } from './gid-column.ts';
import type { ListingKey } from './layout.ts';
import type { Format, Geometry, Level, StoredPages } from './levels.ts';
import { PAGE_CAPS } from './page-caps.ts';
import { allPositions, type Positions } from './positions.ts';

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
export interface LevelArrays extends FeatureArrays {
  /** The fids, ascending: n. */
  fid: Float64Array;
  /**
   * West, south, east, north of each feature in units of 1e-7 degrees, rounded outward: 4 n. West > east across the
   * antimeridian, south > north without geometry.
   */
  box: Int32Array;
  /**
   * Of units that consist of several parts up to 16 boxes each that cover the parts: 5 numbers a box, its position and
   * the numbers that `box` has, ascending by position.
   */
  part: Int32Array;
  /** Columns 0 to the level. */
  columns: readonly GidColumn[];
  /** Undefined if no pages are stored. */
  pages: Readonly<Record<Format, PageTable>> | undefined;
}

/** Numbers of a box in the array `part`. */
export const PART_NUMBERS = 5;
/** The most parts of a unit: of more, near ones are taken together. */
export const PARTS_MAX = 16;

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

/**
 * The index of a level: look-ups by position, fid, GID and page; as a table of features, that of the full geometries.
 */
export class LevelIndex extends FeatureTable<LevelArrays> {
  /** Columns 0 to the level: those above it are parents, the last is its own. */
  readonly columns: readonly GidColumn[];
  readonly storedPages: StoredPages;
  /** The other geometries that its features have, each with a table of its own. */
  readonly geometries: readonly Geometry[];
  /** All positions. */
  readonly all: Positions;
  /** The number of each column's first listing. Listing 0 is the unfiltered one. */
  readonly #firstListing: readonly number[];

  constructor(level: Level, storedPages: StoredPages, arrays: LevelArrays, geometries: readonly Geometry[] = []) {
    super(level, arrays);
    this.columns = arrays.columns;
    this.storedPages = storedPages;
    this.geometries = geometries;
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

  /** Where the parts of a unit begin in the array `part`, or would. */
  partOf(position: number): number {
    const { part } = this.arrays;
    let low = 0;
    let high = part.length / PART_NUMBERS;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (i32At(part, PART_NUMBERS * middle) < position) low = middle + 1;
      else high = middle;
    }
    return PART_NUMBERS * low;
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
