// Plans a level from its store index: its GID columns, its listings and every stored page.
// A pure function: every process that works on the level makes the same plan.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { FORMATS, type Format, type Level, PAGE_CAPS, type StoredPages } from '../../format/levels.ts';
import { type Listing, type ListingTable, listingTable } from '../../format/listing.ts';
import { type Column, columnFrom, storedPageCount } from '../../format/manifest.ts';
import { pushRun, pushValue, type Runs } from '../../format/runs.ts';
import { newIndexBuilder, type StoreIndex } from '../store/store-index.ts';

/** A page to store. */
export interface PlannedPage {
  format: Format;
  /** Number in the format's canonical order. */
  number: number;
  listing: Listing;
  /** Number in its listing, from 0. */
  page: number;
  /** The positions it holds. */
  runs: Runs;
}

/** The plan of a level. */
export interface LevelPlan {
  level: Level;
  features: number;
  fids: Runs;
  columns: Column[];
  listings: ListingTable;
  /** Listings that have features. */
  filledListings: number;
  storedPages: StoredPages;
  /** Number of stored pages by format. */
  pages: Record<Format, number>;
}

/** Plans a level. */
export function planLevel(level: Level, index: StoreIndex, storedPages: StoredPages): LevelPlan {
  const { features } = index;
  const fids: number[] = [];
  for (const fid of index.fids) pushValue(fids, fid);
  const columns = index.columns.map(({ name, gids, owners }) => columnFrom(name, gidsAt(gids, owners)));
  const listings = listingTable(level, features, columns);
  const pagesOf = (format: Format): number => storedPageCount(level, format, features, columns, storedPages);
  return {
    level,
    features,
    fids,
    columns,
    listings,
    // Every parent has a unit; only the unfiltered listing can be empty.
    filledListings: features === 0 ? 0 : listings.count,
    storedPages,
    pages: { geojsonl: pagesOf('geojsonl'), fc: pagesOf('fc') },
  };
}

/** The plan of a level that the dataset lacks. */
export function planEmptyLevel(level: Level, storedPages: StoredPages): LevelPlan {
  const columns = Array.from({ length: level + 1 }, () => '');
  return planLevel(level, newIndexBuilder(columns).finish(), storedPages);
}

/** Every stored page of a level, in canonical order of listings. */
export function* plannedPages({ level, listings, storedPages }: LevelPlan): Generator<PlannedPage> {
  const count = { all: listings.count, unfiltered: 1, none: 0 }[storedPages];
  for (let at = 0; at < count; at++) {
    const listing = listings.at(at);
    if (listing === undefined) throw new RangeError(`listing ${at} of ${listings.count}`);
    for (const format of FORMATS) {
      let page = 0;
      for (const runs of cutRuns(listing.runs, PAGE_CAPS[format][level])) {
        yield { format, number: listing.firstPage[format] + page, listing, page, runs };
        page++;
      }
    }
  }
}

/**
 * Groups the stored pages of a level that are identical (same features, same format), in order of first position.
 * @param isWanted selects pages by their first position; identical pages have the same one
 * @returns groups of at least one page
 */
export function pageGroups(plan: LevelPlan, isWanted: (position: number) => boolean): PlannedPage[][] {
  const groups = new Map<string, PlannedPage[]>();
  for (const planned of plannedPages(plan)) {
    if (!isWanted(startOf(planned))) continue;
    const key = `${planned.format} ${planned.runs.join(' ')}`;
    const group = groups.get(key);
    if (group) group.push(planned);
    else groups.set(key, [planned]);
  }
  return [...groups.values()].sort(([a], [b]) => startOf(a) - startOf(b));
}

function startOf(page: PlannedPage | undefined): number {
  const start = page?.runs[0];
  if (start === undefined) throw new RangeError('a page without features');
  return start;
}

/** Cuts runs into runs of `count` numbers each; the last may have fewer. */
function* cutRuns(runs: Runs, count: number): Generator<Runs> {
  let cut: number[] = [];
  let room = count;
  for (let i = 0; i < runs.length; i += 2) {
    let start = numberAt(runs, i);
    const end = start + numberAt(runs, i + 1);
    while (start < end) {
      const taken = Math.min(room, end - start);
      pushRun(cut, start, taken);
      start += taken;
      room -= taken;
      if (room > 0) continue;
      yield cut;
      cut = [];
      room = count;
    }
  }
  if (cut.length > 0) yield cut;
}

function* gidsAt(gids: readonly string[], owners: Int32Array): Generator<string | null> {
  for (const owner of owners) yield owner === -1 ? null : elementAt(gids, owner);
}
