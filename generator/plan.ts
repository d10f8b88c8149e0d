// From a level's store index to its plan: the order of its features, its GID columns, its listings and every page.
// Pure, and the same in every process that works on the level.
import { FORMATS, type Format, type Level, PAGE_CAPS } from '../format/levels.ts';
import { type Listing, listingsOf } from '../format/listing.ts';
import { type Column, columnFrom, pageCount } from '../format/manifest.ts';
import { pushValue, type Runs, sliceRuns } from '../format/runs.ts';
import { BuildError } from './failure.ts';
import type { StoreIndex } from './store.ts';

/** What real data may need; each is refused unless accepted by name. */
export const ACCEPTABLE = ['null-gids', 'duplicate-gids', 'collapsed-geometries'] as const;
export type Acceptable = (typeof ACCEPTABLE)[number];

/** One page file to write. */
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

/** A page file and those that are the same to the byte: the same features in the same format. */
export interface PageGroup {
  first: PlannedPage;
  twins: PlannedPage[];
}

/** A level, planned. */
export interface LevelPlan {
  level: Level;
  features: number;
  /** Position (order of fid) to store entry (order of the source). */
  entries: Uint32Array;
  fids: Runs;
  columns: Column[];
  listings: Listing[];
  /** How many pages each format has. */
  pages: Record<Format, number>;
  /** Units that were accepted although something is wrong with them. */
  accepted: Partial<Record<Acceptable, number>>;
}

/**
 * Plans a level.
 * @throws BuildError for a fid that occurs twice, and for missing or repeated GIDs that were not accepted
 */
export function planLevel(level: Level, index: StoreIndex, accept: readonly Acceptable[]): LevelPlan {
  const features = index.fids.length;
  const fidOf = (entry: number): number => index.fids[entry] ?? 0;
  const entries = Uint32Array.from(index.fids.keys()).sort((a, b) => fidOf(a) - fidOf(b));
  const fids: number[] = [];
  for (const [position, entry] of entries.entries()) {
    const fid = fidOf(entry);
    if (position > 0 && fid === fidOf(entries[position - 1] ?? 0)) {
      throw new BuildError(
        `level ${level}: fid ${fid} occurs twice`,
        'give every feature of the layer a fid of its own',
      );
    }
    pushValue(fids, fid);
  }
  const accepted = checkGids(level, index, entries, accept);
  const columns = index.gids.map((gids, n) => columnFrom(index.columns[n] ?? '', gidsInOrder(gids, entries)));
  const listings = listingsOf(level, features, columns);
  const pages = { geojsonl: 0, fc: 0 };
  for (const format of FORMATS) {
    for (const listing of listings) pages[format] += pageCount(level, format, listing.features);
  }
  return { level, features, entries, fids, columns, listings, pages, accepted };
}

/** The plan of a level that the dataset lacks. */
export function planEmptyLevel(level: Level): LevelPlan {
  const columns = Array.from({ length: level + 1 }, () => '');
  return planLevel(level, { columns, fids: [], gids: columns.map(() => []), bytes: [], blocks: {} }, []);
}

/** Every page of a level, identical ones together. */
export function pageGroups(plan: LevelPlan): PageGroup[] {
  const groups = new Map<string, PageGroup>();
  for (const format of FORMATS) {
    const cap = PAGE_CAPS[format][plan.level];
    for (const listing of plan.listings) {
      for (let page = 0; page < pageCount(plan.level, format, listing.features); page++) {
        const runs = sliceRuns(listing.runs, page * cap, cap);
        const planned = { format, number: listing.firstPage[format] + page, listing, page, runs };
        const key = `${format} ${runs.join(' ')}`;
        const group = groups.get(key);
        if (group) group.twins.push(planned);
        else groups.set(key, { first: planned, twins: [] });
      }
    }
  }
  return [...groups.values()];
}

function* gidsInOrder(gids: readonly (string | null)[], entries: Uint32Array): Generator<string | null> {
  for (const entry of entries) yield gids[entry] ?? null;
}

function checkGids(
  level: Level,
  index: StoreIndex,
  entries: Uint32Array,
  accept: readonly Acceptable[],
): LevelPlan['accepted'] {
  const accepted: LevelPlan['accepted'] = {};
  const meet = (what: Acceptable, problem: string): void => {
    if (!accept.includes(what)) {
      throw new BuildError(
        `level ${level}: ${problem}`,
        `mend the source, or publish the unit as it is with --accept ${what}`,
      );
    }
    accepted[what] = (accepted[what] ?? 0) + 1;
  };
  const seen = new Map<string, number>();
  for (const entry of entries) {
    const fid = index.fids[entry] ?? 0;
    const missing = index.gids.findIndex((gids) => (gids[entry] ?? null) === null);
    if (missing !== -1) meet('null-gids', `fid ${fid} has no GID_${missing}`);
    const own = index.gids[level]?.[entry] ?? null;
    if (own === null) continue;
    const twin = seen.get(own);
    if (twin !== undefined) meet('duplicate-gids', `fids ${twin} and ${fid} have the same GID_${level}, ${own}`);
    seen.set(own, fid);
  }
  return accepted;
}
