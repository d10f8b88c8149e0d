// Resolves a request with the manifest: the features of the page, the stored page that has them, if any, and the next
// cursor. A pure function: no file is read.
import { pagePath, releasePath } from '../../format/layout.ts';
import type { Format } from '../../format/levels.ts';
import { PAGE_CAPS } from '../../format/levels.ts';
import { pageStart } from '../../format/listing.ts';
import { DIGEST_CHARS } from '../../format/manifest.ts';
import type { Runs } from '../../format/runs.ts';
import type { LoadedLevel } from '../releases/level-tables.ts';
import type { LevelMatches, StoredListing } from './filter-matches.ts';
import type { PageRequest, Start } from './parse-query.ts';

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
  /** The position at which the next page starts; undefined for the last page. */
  next: number | undefined;
}

/**
 * Resolves a request for one level of one release.
 * @param matches finds what the filters of the request match
 */
export function resolve(level: LoadedLevel, format: Format, request: PageRequest, matches: LevelMatches): Resolution {
  const { manifest } = level;
  const { positions, listing } = matches.find(request.filters);
  const cap = PAGE_CAPS[format][manifest.level];
  const size = Math.min(request.pageSize ?? cap, cap);
  const first = positions.rankOf(startPosition(request.start, matches));
  const count = Math.min(size, positions.count - first);
  return {
    matched: positions.count,
    positions: positions.slice(first, count),
    page: listing && storedPage(level, format, listing, first, count),
    next: positions.valueAt(first + count),
  };
}

/** The first position that may be on the page. */
function startPosition(start: Start | undefined, matches: LevelMatches): number {
  if (start === undefined) return 0;
  return 'fid' in start ? matches.fids().rankOf(start.fid) : start.cursor.position;
}

/** The stored page with `count` features of a listing from rank `first` on; undefined if there is no such page. */
function storedPage(
  level: LoadedLevel,
  format: Format,
  listing: StoredListing,
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
