// Listings that clients of a soak ask for, drawn at random, and the pages that a release must answer with: computed from its
// stored features, not from its index.
import { elementAt } from '../../format/element-at.ts';
import type { Format, Level } from '../../format/levels.ts';
import { LEVELS, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { bodyOf } from '../support/datasets/large-dataset.ts';
import type { Dice } from '../support/dice.ts';
import type { Known } from './published.ts';

/** A listing and where in it to begin. */
export interface Listing {
  format: Format;
  level: Level;
  pageSize: number | undefined;
  startAt: number | undefined;
  /** The GID that each unit has at this level; undefined for all units. */
  filter: { level: Level; gid: string } | undefined;
}

/** A page as it must be. */
export interface ExpectedPage {
  text: string;
  /** Features of the whole listing. */
  matched: number;
  /** How many features of the listing come up to the end of the page. */
  end: number;
  isLast: boolean;
}

/** Listings that everyone asks for: the first pages of whole levels. */
export const HOT: readonly Listing[] = [2, 3].map((level) => ({
  format: 'fc',
  level: level as Level,
  pageSize: undefined,
  startAt: undefined,
  filter: undefined,
}));

/** Level 0 has a unit of several MB: asked for less often. */
const LARGE_EVERY = 12;
const ABSENT_GID = 'none';

/** Draws a listing: whole levels from a fid or the beginning, the units under a parent, or one unit by its GID. */
export function drawListing(random: Dice, known: Known): Listing {
  const level = random(LARGE_EVERY) === 0 ? 0 : elementAt(LEVELS, 1 + random(LEVELS.length - 1));
  const { units } = elementAt(known.levels, level);
  const unit = elementAt(units, random(units.length));
  const format = random(2) === 0 ? 'fc' : 'geojsonl';
  const filterLevel = elementAt(LEVELS, random(level + 1));
  const gid = random(20) === 0 ? ABSENT_GID : elementAt(unit.gids, filterLevel);
  return {
    format,
    level,
    pageSize: random(3) === 0 ? undefined : 1 + random(2 * PAGE_CAPS[format][level]),
    // Also between fids and behind the last one.
    startAt: random(2) === 0 ? undefined : unit.fid + random(3),
    filter: random(3) === 0 ? { level: filterLevel, gid } : undefined,
  };
}

/** Path and query of its first page. */
export function pathOf({ format, level, pageSize, startAt, filter }: Listing): string {
  const query = new URLSearchParams();
  if (pageSize !== undefined) query.set('page-size', String(pageSize));
  if (startAt !== undefined) query.set('start-at', String(startAt));
  if (filter !== undefined) query.set(`gid-${filter.level}`, filter.gid);
  return `/api/v1/${format}/${levelName(level)}?${query}`;
}

/** The page of a listing. @param after how many features of the listing come before it; undefined for its first page */
export function expectedPage(listing: Listing, known: Known, after?: number): ExpectedPage {
  const { format, level, filter, startAt = 0 } = listing;
  const { units, lines } = elementAt(known.levels, level);
  const matching = units.flatMap(({ fid, gids }, at) =>
    filter === undefined || gids[filter.level] === filter.gid ? [{ fid, line: elementAt(lines, at) }] : [],
  );
  const first = matching.findIndex(({ fid }) => fid >= startAt);
  const from = after ?? (first === -1 ? matching.length : first);
  const cap = PAGE_CAPS[format][level];
  const page = matching.slice(from, from + Math.min(listing.pageSize ?? cap, cap));
  return {
    text: bodyOf(
      format,
      page.map(({ line }) => line),
    ),
    matched: matching.length,
    end: from + page.length,
    isLast: from + page.length >= matching.length,
  };
}
