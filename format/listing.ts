// The listings of a level and the numbering of their pages. The generator writes pages in this order; the proxy looks up
// a page's size and digest by its number.
import { elementAt } from './element-at.ts';
import type { ListingKey } from './layout.ts';
import type { Format, Level } from './levels.ts';
import { FORMATS, PAGE_CAPS } from './levels.ts';
import type { Column } from './manifest.ts';
import { pageCount } from './manifest.ts';
import type { Runs, RunTable } from './runs.ts';

/** One listing: the ordered features of a level, all of them or those under one parent. */
export interface Listing {
  key: ListingKey;
  /** The positions it covers. */
  runs: Runs;
  /** Number of positions. */
  features: number;
  /** The number of its first page in each format's canonical order. */
  firstPage: Readonly<Record<Format, number>>;
}

/**
 * The listings of a level in canonical order: unfiltered, then column by column above the level, GID by GID.
 * A level may have hundreds of thousands, so only page numbers are held in memory; `at` makes a listing.
 */
export interface ListingTable {
  count: number;
  /** The number of the first listing of each column. */
  firstOf: readonly number[];
  /** A listing by its number, undefined past the last. */
  at(number: number): Listing | undefined;
}

/** What the table needs of a column. A list of GIDs need not be an array. */
export interface ListedColumn {
  gids: { readonly length: number; at(index: number): string | undefined };
  covers: RunTable;
}

/** The table of a level's listings. */
export function listingTable(level: Level, features: number, columns: readonly ListedColumn[]): ListingTable {
  const parents = columns.slice(0, level);
  const firstOf = parents.map((_, n) => parents.slice(0, n).reduce((sum, { gids }) => sum + gids.length, 1));
  const count = parents.reduce((sum, { gids }) => sum + gids.length, 1);
  const firstPages = { geojsonl: new Uint32Array(count + 1), fc: new Uint32Array(count + 1) };
  const counts = new Uint32Array(count);
  const pages = { geojsonl: 0, fc: 0 };
  let number = 0;
  const add = (held: number): void => {
    counts[number] = held;
    number++;
    for (const format of FORMATS) {
      pages[format] += pageCount(level, format, held);
      firstPages[format][number] = pages[format];
    }
  };
  add(features);
  for (const { covers } of parents) for (let at = 0; at < covers.count; at++) add(covers.sizeOf(at));
  return {
    count,
    firstOf,
    at(wanted) {
      if (wanted < 0 || wanted >= count) return undefined;
      const firstPage = { geojsonl: elementAt(firstPages.geojsonl, wanted), fc: elementAt(firstPages.fc, wanted) };
      if (wanted === 0) return { key: 'all', runs: features === 0 ? [] : [0, features], features, firstPage };
      const column = firstOf.findLastIndex((first) => first <= wanted);
      const at = wanted - elementAt(firstOf, column);
      const { gids, covers } = elementAt(parents, column);
      const gid = gids.at(at);
      if (gid === undefined) throw new RangeError(`GID ${at} of ${gids.length}`);
      const key = { column, gid };
      return { key, runs: covers.at(at), features: elementAt(counts, wanted), firstPage };
    },
  };
}

/** Every listing of a level, in the same order. */
export function listingsOf(level: Level, features: number, columns: readonly Column[]): Listing[] {
  const table = listingTable(level, features, columns);
  return Array.from({ length: table.count }, (_, i) => table.at(i)).filter((listing) => listing !== undefined);
}

/** The rank in its listing of the first feature of a page. */
export function pageStart(level: Level, format: Format, page: number): number {
  return page * PAGE_CAPS[format][level];
}
