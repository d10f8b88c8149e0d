// Listings of a level and the numbering of their pages: which file is page p of which listing.
// The generator writes pages in this order; the proxy finds a page's size and digest by it.
import type { ListingKey } from './layout.ts';
import type { Format, Level } from './levels.ts';
import { PAGE_CAPS } from './levels.ts';
import type { Column } from './manifest.ts';
import { pageCount } from './manifest.ts';
import type { Runs } from './runs.ts';
import { countOf } from './runs.ts';

/** One listing: the ordered features of a level, all of them or those under one parent. */
export interface Listing {
  key: ListingKey;
  /** The positions it covers. */
  runs: Runs;
  /** How many. */
  features: number;
  /** The number of its first page in each format's canonical order. */
  firstPage: Readonly<Record<Format, number>>;
}

/** Every listing of a level in canonical order: unfiltered, then column by column above the level, GID by GID. */
export function listingsOf(level: Level, features: number, columns: readonly Column[]): Listing[] {
  const listings: Listing[] = [];
  const next = { geojsonl: 0, fc: 0 };
  const add = (key: ListingKey, runs: Runs): void => {
    const count = countOf(runs);
    listings.push({ key, runs, features: count, firstPage: { ...next } });
    next.geojsonl += pageCount(level, 'geojsonl', count);
    next.fc += pageCount(level, 'fc', count);
  };
  add('all', features === 0 ? [] : [0, features]);
  for (const [n, column] of columns.slice(0, level).entries()) {
    for (const [i, gid] of column.gids.entries()) add({ column: n, gid }, column.covers[i] ?? []);
  }
  return listings;
}

/** The rank in its listing of the first feature of a page. */
export function pageStart(level: Level, format: Format, page: number): number {
  return page * PAGE_CAPS[format][level];
}
