// Any request for a listing, and the page that must answer it: computed from the stored text of the level, not from its
// index.
import fc from 'fast-check';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, type Format, type Geometry, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { pageCap } from '../../format/page-caps.ts';
import { bodyOf, type StoredLevel } from './datasets/large-dataset.ts';
import { scaled } from './even-odd.ts';
import { DECIMALS, inBox, nearTo, type PlacedLevel, placedLevel } from './places.ts';

export interface Listing {
  format: Format;
  level: Level;
  /** As it is written: it may be longer than a number is exact. */
  pageSize?: string | undefined;
  start?: { parameter: 'start-at' | 'start-after'; fid: number } | undefined;
  filters?: Readonly<Record<string, string>>;
  /** The full one if it is not said. */
  geometry?: Geometry | undefined;
  /** west,south,east,north */
  bbox?: string | undefined;
  /** longitude,latitude */
  contains?: string | undefined;
}

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
 * Any listing of these levels: sizes around the cap, starts in gaps and past the end, GIDs of one unit or of several,
 * any geometry.
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
    const { bbox, contains } = anyPlaceOf(stored, level);
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
      bbox: fc.option(bbox, { nil: undefined, freq: 2 }),
      contains: fc.option(contains, { nil: undefined, freq: 1 }),
    });
  });
}

/** Boxes by the features of a level and points by their vertices. */
export function anyPlaceOf(stored: readonly StoredLevel[], level: Level): AnyPlace {
  return placedOf(elementAt(stored, level));
}

type Placed = PlacedLevel & AnyPlace;

const PLACED = new WeakMap<StoredLevel, Placed>();

/** The places of a level; releases of tests have the precision that is the default. */
function placedOf(level: StoredLevel): Placed {
  const known = PLACED.get(level);
  if (known !== undefined) return known;
  const own = placedLevel(level.lines, 7);
  const placed = { ...own, ...anyPlace(own, 7) };
  PLACED.set(level, placed);
  return placed;
}

type AnyPlace = Record<'bbox' | 'contains', fc.Arbitrary<string>>;

/**
 * Boxes that touch that of a feature, or nearly, and points at a vertex of a feature or between two, or nearly.
 * @param precision decimals of the features
 * @param steps what boxes may be off, in parts of a degree; as points where left out
 */
export function anyPlace({ boxes, rings }: PlacedLevel, precision: number, steps?: readonly bigint[]): AnyPlace {
  const degree = 10n ** BigInt(DECIMALS);
  const unit = 10n ** BigInt(DECIMALS - precision);
  const known = boxes.flatMap((box) => (box === undefined ? [] : [box]));
  const vertices = rings.flat(2);
  if (known.length === 0) known.push([0n, 0n, 0n, 0n]);
  if (vertices.length === 0) vertices.push([0, 0]);
  const offs = [0n, 0n, 1n, -1n, unit / 3n, -unit, degree / 100n, degree, -degree, -9n * degree];
  const [off, step] = [fc.constantFrom(...offs), fc.constantFrom(...(steps ?? offs))];
  const [east, north] = [fc.nat(30), fc.nat(30)];
  const bbox = fc
    .record({ box: fc.constantFrom(...known), corner: fc.nat(3), x: step, y: step, east, north })
    .map(({ box, corner, x, y, east, north }) => {
      const west = nearTo(elementAt(box, corner % 2 === 0 ? 0 : 2), x, 180);
      const south = nearTo(elementAt(box, corner < 2 ? 1 : 3), y, 90);
      const across = scaled(west, DECIMALS) + BigInt(east) * degree;
      const last = across > 180n * degree ? across - 360n * degree : across;
      return [west, south, nearTo(last, 0n, 180), nearTo(scaled(south, DECIMALS), BigInt(north) * degree, 90)].join();
    });
  const contains = fc
    .record({ at: fc.nat(vertices.length - 1), toNext: fc.constantFrom(0, 0, 1), x: off, y: off })
    .map(({ at, toNext, x, y }) => {
      const [[x1, y1], [x2, y2]] = [elementAt(vertices, at), elementAt(vertices, (at + toNext) % vertices.length)];
      const middleOf = (one: number, other: number): bigint => ((BigInt(one) + BigInt(other)) * unit) / 2n;
      return `${nearTo(middleOf(x1, x2), x, 180)},${nearTo(middleOf(y1, y2), y, 90)}`;
    });
  const worlds = ['-180,-90,180,90', '180,-90,-180,90', '90.5,-90,-90.5,90'];
  const whole = fc.constantFrom(...worlds, '0,0,0,0', '-180,10,-180,60');
  return { bbox: fc.oneof({ weight: 4, arbitrary: bbox }, { weight: 1, arbitrary: whole }), contains };
}

export function pathOf({ format, level, pageSize, start, filters, geometry, bbox, contains }: Listing): string {
  const query = new URLSearchParams(filters);
  if (geometry !== undefined) query.set('geometry', geometry);
  if (bbox !== undefined) query.set('bbox', bbox);
  if (contains !== undefined) query.set('contains', contains);
  if (pageSize !== undefined) query.set('page-size', pageSize);
  if (start !== undefined) query.set(start.parameter, String(start.fid));
  return `/api/v1/${format}/${levelName(level)}?${query}`;
}

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

/** The text of each feature of the whole listing, from its first to its last. */
export function linesOf(listing: Omit<Listing, 'format'>, stored: readonly StoredLevel[]): string[] {
  return matchingIn(listing, stored).map(({ line }) => line);
}

function matchingIn(
  { level, filters = {}, geometry = 'full', bbox, contains }: Omit<Listing, 'format'>,
  stored: readonly StoredLevel[],
): { fid: number; line: string }[] {
  const own = elementAt(stored, level);
  const { units, withGeometry } = own;
  const lines = withGeometry.get(geometry) ?? [];
  const wanted = Object.entries(filters).map(([name, gid]) => [Number(name.slice('gid-'.length)), gid] as const);
  const inside = bbox === undefined ? undefined : new Set(inBox(placedOf(own), bbox));
  const [longitude = '', latitude = ''] = contains?.split(',') ?? [];
  const around = contains === undefined ? undefined : new Set(placedOf(own).containing(longitude, latitude));
  const isThere = (at: number): boolean => inside?.has(at) !== false && around?.has(at) !== false;
  return units.flatMap(({ fid, gids }, at) =>
    wanted.every(([column, gid]) => gids[column] === gid) && isThere(at) ? [{ fid, line: elementAt(lines, at) }] : [],
  );
}
