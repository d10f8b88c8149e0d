// A request for pages: the path that the service reads, built from what is shown.
import type { Box } from '../map/geometry/box.ts';

/** Sides of a box of the map are rounded to 1/10,000 of a degree, some 10 m. */
const BOX_SCALE = 10_000;

/** Which units. */
interface Listing {
  level: number;
  /** GIDs by the level that they name. */
  filters: ReadonlyMap<number, string>;
  /** Empty for everywhere. */
  bbox?: string;
  /** A point; empty for every unit. */
  contains?: string;
}

/** Without a release it is of the current one; `full` and an empty geometry are the same. */
export type WholeListing = Listing & { geometry: string; release?: string };

/** The request for one unit, by its fid. */
export function unitToPath({ level, fid }: { level: number; fid: number }) {
  return `geojsonl/lv${level}?page-size=1&start-at=${fid}`;
}

/** The request for all units of a listing, from its first page on. */
export function listingToPath({ level, ...units }: Listing, geometry = '') {
  return withQuery(`geojsonl/lv${level}`, unitsToQuery({ ...units, geometry }));
}

/** The parameter `bbox` of a box: what is a little larger, in round numbers. */
export function boxToText([west, south, east, north]: Box) {
  const round = (degrees: number, side: -1 | 1, most: number) =>
    Math.min(most, Math.max(-most, (Math.floor(degrees * side * BOX_SCALE) + 1) / (side * BOX_SCALE)));
  return [round(west, -1, 180), round(south, -1, 90), round(east, 1, 180), round(north, 1, 90)].join(',');
}

/** @returns undefined where it is no box */
export function textToBox(text: string): Box | undefined {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = text
    .split(',')
    .map((side) => (side === '' ? Number.NaN : Number(side)));
  const isBox = Math.max(Math.abs(west), Math.abs(east)) <= 180 && south <= north && -south <= 90 && north <= 90;
  return isBox && more.length === 0 ? [west, south, east, north] : undefined;
}

/** @returns `gid-0=ESP` */
export function filtersToQuery(filters: ReadonlyMap<number, string>): string[] {
  return [...filters].sort(([a], [b]) => a - b).map(([level, gid]) => `gid-${level}=${encode(gid)}`);
}

/** The request for all units of a listing as one file. */
export function downloadToPath({ level, release = '', ...units }: WholeListing) {
  const query = unitsToQuery(units);
  if (release !== '') query.push(`release=${encode(release)}`);
  return withQuery(`download/lv${level}.geojsonl.gz`, query);
}

/** Which units, and with which geometry. */
function unitsToQuery({
  filters,
  geometry,
  ...spots
}: Pick<WholeListing, 'filters' | 'bbox' | 'contains' | 'geometry'>) {
  const isFull = geometry === '' || geometry === 'full';
  return [...filtersToQuery(filters), ...spotsToQuery(spots), ...(isFull ? [] : [`geometry=${encode(geometry)}`])];
}

export function withQuery(path: string, query: readonly string[]) {
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/** The parameters that select by place, with their commas. */
export function spotsToQuery({
  bbox = '',
  contains = '',
}: {
  bbox?: string | undefined;
  contains?: string | undefined;
}): string[] {
  return Object.entries({ bbox, contains })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encode(value).replaceAll('%2C', ',')}`);
}

/** @returns GIDs by level */
export function queryToFilters(values: URLSearchParams): Map<number, string> {
  const filters = new Map();
  for (let level = 0; level <= 5; level++) {
    const gid = values.get(`gid-${level}`);
    if (gid !== null && gid !== '') filters.set(level, gid);
  }
  return filters;
}

/** The parameter that asks for names in the language that is shown. */
export function inLanguage({ lang }: { lang: string }): string[] {
  return lang === '' ? [] : [`lang=${encode(lang)}`];
}

/** encodeURIComponent leaves the apostrophe, which would end the quotes of a shell. */
export function encode(text: string) {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
