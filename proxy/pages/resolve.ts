// Resolves a request with the manifest: the features of the page, the stored page that has them, if any, and the next
// cursor. A pure function: no file is read.
import type { Cursor } from '../../format/cursor.ts';
import { pagePath, releasePath } from '../../format/layout.ts';
import type { Format } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/levels.ts';
import type { Listing } from '../../format/listing.ts';
import { pageStart } from '../../format/listing.ts';
import { DIGEST_CHARS } from '../../format/manifest.ts';
import type { Runs } from '../../format/runs.ts';
import { countOf, intersectRuns, rankOf, sliceRuns, valueAt } from '../../format/runs.ts';
import type { LoadedLevel } from '../origin/releases.ts';
import type { Filter, PageRequest, Start } from './parse-query.ts';

/** A stored page file. */
export interface StoredPage {
  /** Relative to the origin. */
  path: string;
  bytes: number;
  digest: string;
}

/** A resolved request. */
export interface Resolution {
  /** Total number of features that match the filters. */
  matched: number;
  /** The positions of the features of the page. */
  positions: Runs;
  /** The stored page with exactly these features; undefined if the body is a slice of feature files. */
  page: StoredPage | undefined;
  /** The start of the next page; undefined for the last page. */
  next: Cursor | undefined;
}

/** The features that match a request's filters. */
interface Match {
  runs: Runs;
  features: number;
  /** The listing with exactly these features; its pages may be stored. */
  listing: Listing | undefined;
}

/** Resolves a request for one level of one release. */
export function resolve(level: LoadedLevel, format: Format, request: PageRequest): Resolution {
  const { manifest } = level;
  const match = matchOf(level, request.filters);
  const cap = PAGE_CAPS[format][manifest.level];
  const size = Math.min(request.pageSize ?? cap, cap);
  const first = rankOf(match.runs, positionOf(level, request.start));
  const count = Math.min(size, match.features - first);
  const next = valueAt(match.runs, first + count);
  return {
    matched: match.features,
    positions: sliceRuns(match.runs, first, count),
    page: match.listing && storedPage(level, format, match.listing, first, count),
    next: next === undefined ? undefined : { release: manifest.release, level: manifest.level, position: next },
  };
}

/** The first position that may be on the page. */
function positionOf(level: LoadedLevel, start: Start | undefined): number {
  if (start === undefined) return 0;
  return 'fid' in start ? rankOf(level.manifest.fids, start.fid) : start.cursor.position;
}

function matchOf(level: LoadedLevel, filters: readonly Filter[]): Match {
  const all = level.listings.at(0);
  if (filters.length === 0 && all !== undefined) return { runs: all.runs, features: all.features, listing: all };
  let runs: Runs | undefined;
  const listings: Listing[] = [];
  for (const { column, gid } of filters) {
    const known = level.manifest.columns[column];
    const at = known?.find(gid);
    const covered = at === undefined ? [] : (known?.covers.at(at) ?? []);
    runs = runs === undefined ? covered : intersectRuns(runs, covered);
    const first = level.listings.firstOf[column];
    const listing = first === undefined || at === undefined ? undefined : level.listings.at(first + at);
    if (listing !== undefined) listings.push(listing);
  }
  const matched = runs ?? [];
  const features = countOf(matched);
  // An intersection that has as many features as one of its listings is equal to that listing.
  return { runs: matched, features, listing: listings.find((listing) => listing.features === features) };
}

/** The stored page with `count` features of a listing from rank `first` on; undefined if there is no such page. */
function storedPage(
  level: LoadedLevel,
  format: Format,
  listing: Listing,
  first: number,
  count: number,
): StoredPage | undefined {
  const { manifest } = level;
  const cap = PAGE_CAPS[format][manifest.level];
  const page = Math.floor(first / cap);
  const isPage = count > 0 && first === pageStart(manifest.level, format, page);
  if (!isPage || count !== Math.min(cap, listing.features - first)) return undefined;
  const table = manifest.pages[format];
  const number = listing.firstPage[format] + page;
  const bytes = table.bytes[number];
  if (bytes === undefined) return undefined;
  return {
    path: `${releasePath(manifest.release)}/${pagePath(manifest.level, format, listing.key, page)}`,
    bytes,
    digest: table.digests.slice(number * DIGEST_CHARS, (number + 1) * DIGEST_CHARS),
  };
}
