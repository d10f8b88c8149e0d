// Resolves the parameters of a page with the index of its level: the features of the page, and the stored page that has
// them, if any. Used by listing.ts.
import type { LevelIndex, StoredPage } from '../../format/level-index.ts';
import type { Format, Geometry } from '../../format/levels.ts';
import { pageCap } from '../../format/levels.ts';
import type { Positions } from '../../format/positions.ts';
import { intersect, NO_POSITIONS } from '../../format/positions.ts';
import type { Filter, Params } from './parameters.ts';

/** What a page consists of. */
export interface Resolution {
  /** The features that match the filters. */
  positions: Positions;
  /** The rank among them of the first feature of the page. */
  first: number;
  /** Number of features of the page. */
  count: number;
  /** The number of the listing with the same features; -1 if there is none. */
  listing: number;
  /** The stored page with exactly these features; undefined if the body is a slice of feature files. */
  page: StoredPage | undefined;
}

/**
 * Resolves the parameters for one level of one release.
 * @param places the features at each place that is asked for
 */
export function resolve(
  index: LevelIndex,
  format: Format,
  params: Params,
  places: readonly Positions[],
  geometry: Geometry,
): Resolution {
  const { filters, pageSize, fid, cursor } = params;
  const cap = pageCap(format, index.level, geometry);
  let positions = index.all;
  let listing = 0;
  if (filters.length > 0 || places.length > 0) {
    positions = matching(index, filters, places);
    listing = listingOf(index, filters, positions);
  }
  let first = 0;
  if (cursor !== undefined) first = positions.rankOf(cursor.position);
  else if (fid > 0) first = positions.rankOf(index.positionOf(fid));
  const size = pageSize === 0 ? cap : Math.min(pageSize, cap);
  const count = Math.min(size, positions.count - first);
  const page =
    listing === -1 || geometry !== 'full'
      ? undefined
      : index.storedPage(format, listing, positions.count, first, count);
  return { positions, first, count, listing, page };
}

/** The positions that match all filters and places: sets of few runs are intersected first. */
function matching(index: LevelIndex, filters: readonly Filter[], places: readonly Positions[]): Positions {
  const sets = [...places];
  for (const { column, gid } of filters) {
    const known = index.columns[column];
    const number = known === undefined ? -1 : known.find(gid);
    if (known === undefined || number === -1) return NO_POSITIONS;
    sets.push(known.positionsAt(number));
  }
  if (sets.length > 1) sets.sort((a, b) => a.runs - b.runs);
  return sets.reduce(intersect);
}

/** The listing of all features or of one of the filters, if it has as many as match: then it has the same ones. */
function listingOf(index: LevelIndex, filters: readonly Filter[], { count }: Positions): number {
  if (count === 0) return -1;
  if (count === index.features) return 0;
  for (const { column, gid } of filters) {
    if (column === index.level) continue;
    const known = index.columns[column];
    const number = known === undefined ? -1 : known.find(gid);
    if (known?.countAt(number) === count) return index.listingOf(column, number);
  }
  return -1;
}
