// Any request for a listing, and the page that must answer it: computed from the stored text of the level, not from its index.
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, type Format, type Geometry, LEVELS, type Level, levelName, pageCap } from '../../format/levels.ts';
import { bodyOf, type StoredLevel } from './datasets/large-dataset.ts';

/** A listing and where in it to begin. */
export interface Listing {
  format: Format;
  level: Level;
  /** As it is written: it may be longer than a number is exact. */
  pageSize?: string | undefined;
  start?: { parameter: 'start-at' | 'start-after'; fid: number } | undefined;
  /** GIDs by `gid-N`. */
  filters?: Readonly<Record<string, string>>;
  /** The full one if it is not said. */
  geometry?: Geometry | undefined;
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

const LAST_FID = 2 ** 53 - 1;
const ABSENT_GID = 'none';

/**
 * Any listing of these levels: sizes around the cap, starts in gaps and past the end, GIDs of one unit or of several, any
 * geometry.
 */
export function anyListing(stored: readonly StoredLevel[], levels: readonly Level[] = LEVELS): fc.Arbitrary<Listing> {
  const kind = fc.constantFrom(...levels).chain((level) =>
    fc.record({
      format: fc.constantFrom(...FORMATS),
      level: fc.constant(level),
      geometry: fc.option(fc.constantFrom(...elementAt(stored, level).withGeometry.keys()), { nil: undefined }),
    }),
  );
  return kind.chain(({ format, level, geometry }) => {
    const { units } = elementAt(stored, level);
    const cap = pageCap(format, level, geometry ?? 'full');
    const fid = fc.oneof(
      { weight: 9, arbitrary: fc.nat((units.at(-1)?.fid ?? 0) + 5) },
      { weight: 1, arbitrary: fc.constant(LAST_FID) },
    );
    const parameter = fc.constantFrom('start-at' as const, 'start-after' as const);
    const filter = fc
      .record({ unit: fc.constantFrom(...units), column: fc.nat(level), isAbsent: fc.nat(20).map((n) => n === 0) })
      .map(({ unit, column, isAbsent }) => [`gid-${column}`, isAbsent ? ABSENT_GID : elementAt(unit.gids, column)]);
    return fc.record({
      format: fc.constant(format),
      level: fc.constant(level),
      pageSize: fc.option(fc.integer({ min: 1, max: cap + 3 }).map(String), { nil: undefined }),
      start: fc.option(fc.record({ parameter, fid }), { nil: undefined }),
      filters: fc.array(filter, { maxLength: 3 }).map((filters) => Object.fromEntries(filters)),
      geometry: fc.constant(geometry),
    });
  });
}

/** Path and query of its first page. */
export function pathOf({ format, level, pageSize, start, filters, geometry }: Listing): string {
  const query = new URLSearchParams(filters);
  if (geometry !== undefined) query.set('geometry', geometry);
  if (pageSize !== undefined) query.set('page-size', pageSize);
  if (start !== undefined) query.set(start.parameter, String(start.fid));
  return `/api/v1/${format}/${levelName(level)}?${query}`;
}

/** Path and query of its download. */
export function downloadOf(listing: Listing): string {
  const { pathname, search } = new URL(pathOf({ ...listing, pageSize: undefined, start: undefined }), 'http://a.test');
  const [, , , format, level] = pathname.split('/');
  return `/api/v1/download/${level}.${format === 'fc' ? 'geojson' : format}.gz${search}`;
}

/** The page of a listing. @param after how many features of the listing come before it; undefined for its first page */
export function expectedPage(listing: Listing, stored: readonly StoredLevel[], after?: number): ExpectedPage {
  const { format, level, pageSize, start, geometry = 'full' } = listing;
  const matching = matchingIn(listing, stored);
  const least = start === undefined ? 0 : start.fid + (start.parameter === 'start-after' ? 1 : 0);
  const from = after ?? matching.filter(({ fid }) => fid < least).length;
  const page = matching.slice(from, from + Math.min(Number(pageSize ?? Infinity), pageCap(format, level, geometry)));
  const text = bodyOf(
    format,
    page.map(({ line }) => line),
  );
  const end = from + page.length;
  return { text, matched: matching.length, end, isLast: end >= matching.length };
}

/** The text of the whole listing, from its first feature to its last. */
export function wholeText(listing: Listing, stored: readonly StoredLevel[]): string {
  return bodyOf(
    listing.format,
    matchingIn(listing, stored).map(({ line }) => line),
  );
}

/** The features of the whole listing. */
function matchingIn(
  { level, filters = {}, geometry = 'full' }: Listing,
  stored: readonly StoredLevel[],
): { fid: number; line: string }[] {
  const { units, withGeometry } = elementAt(stored, level);
  const lines = withGeometry.get(geometry) ?? [];
  const wanted = Object.entries(filters).map(([name, gid]) => [Number(name.slice('gid-'.length)), gid] as const);
  return units.flatMap(({ fid, gids }, at) =>
    wanted.every(([column, gid]) => gids[column] === gid) ? [{ fid, line: elementAt(lines, at) }] : [],
  );
}
