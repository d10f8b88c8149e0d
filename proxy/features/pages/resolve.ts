// Resolves the parameters of a page with the index of its level: the features of the page, and the stored page that has
// them, if any.
import type { GidColumn } from '../../../format/gid-column.ts';
import type { LevelIndex, StoredPage } from '../../../format/level-index.ts';
import type { Format, Geometry, Level } from '../../../format/levels.ts';
import { pageCap } from '../../../format/page-caps.ts';
import type { Positions } from '../../../format/positions.ts';
import { intersect, NO_POSITIONS } from '../../../format/positions.ts';
import type { Filter } from '../../query/parameter.ts';
import type { Start } from './page-parameters.ts';

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

/** What is asked for. */
export interface Selection {
  filters: readonly Filter[];
  /** The features that meet each further filter. */
  sets: readonly Positions[];
  /** Of the page: undefined where it starts at the first feature. */
  start: Start | undefined;
  /** At most so many features; undefined for the cap. */
  size: number | undefined;
}

/** Resolves what is asked for with the index of one level of one release. */
export function resolve(
  index: LevelIndex,
  format: Format,
  { filters, sets, start, size: asked }: Selection,
  geometry: Geometry,
): Resolution {
  const cap = pageCap(format, index.level, geometry);
  let positions = index.all;
  let listing = 0;
  if (filters.length > 0 || sets.length > 0) {
    const found = foundIn(index, filters);
    positions = found === undefined ? NO_POSITIONS : inAll(found, sets);
    listing = listingOf(index, found ?? [], positions);
  }
  const first = firstRank(index, positions, start);
  const size = asked === undefined ? cap : Math.min(asked, cap);
  const count = Math.min(size, positions.count - first);
  const page =
    listing === -1 || geometry !== 'full'
      ? undefined
      : index.storedPage(format, listing, positions.count, first, count);
  return { positions, first, count, listing, page };
}

/** The rank of the first feature of a page. */
export function firstRank(index: LevelIndex, positions: Positions, start: Start | undefined): number {
  if (start?.cursor !== undefined) return positions.rankOf(start.cursor.position);
  return start === undefined || start.fid === 0 ? 0 : positions.rankOf(index.positionOf(start.fid));
}

/** The positions that match all filters and are in all sets: those of few runs are intersected first. */
export function matching(index: LevelIndex, filters: readonly Filter[], sets: readonly Positions[]): Positions {
  const found = foundIn(index, filters);
  return found === undefined ? NO_POSITIONS : inAll(found, sets);
}

/** The GID of a filter in its column, by its number there. */
interface FoundGid {
  level: Level;
  column: GidColumn;
  number: number;
}

/** The GIDs of the filters; undefined if one is not there. */
function foundIn(index: LevelIndex, filters: readonly Filter[]): FoundGid[] | undefined {
  const found: FoundGid[] = [];
  for (const { column: level, gid } of filters) {
    const column = index.columns[level];
    const number = column === undefined ? -1 : column.find(gid);
    if (column === undefined || number === -1) return undefined;
    found.push({ level, column, number });
  }
  return found;
}

function inAll(found: readonly FoundGid[], others: readonly Positions[]): Positions {
  const sets = [...others];
  for (const { column, number } of found) sets.push(column.positionsAt(number));
  if (sets.length > 1) sets.sort((a, b) => a.runs - b.runs);
  return sets.reduce(intersect);
}

/** The listing of all features or of one of the filters, if it has as many as match: then it has the same ones. */
function listingOf(index: LevelIndex, found: readonly FoundGid[], { count }: Positions): number {
  if (count === 0) return -1;
  if (count === index.features) return 0;
  const own = found.find(({ level, column, number }) => level !== index.level && column.countAt(number) === count);
  return own === undefined ? -1 : index.listingOf(own.level, own.number);
}
