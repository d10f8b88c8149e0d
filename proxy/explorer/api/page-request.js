// A request for pages: the path that the service reads, built from what is shown.

/** Sides of a box of the map are rounded to 1/10,000 of a degree, some 10 m. */
const BOX_SCALE = 10_000;

/**
 * Which units.
 * @typedef {object} Listing
 * @property {number} level
 * @property {ReadonlyMap<number, string>} filters GIDs by the level that they name
 * @property {string} [bbox] empty for everywhere
 * @property {string} [contains] a point; empty for every unit
 *
 * @typedef {Listing & { geometry: string, release?: string }} WholeListing without a release it is the current one;
 *   `full` and an empty geometry are the same
 */

/**
 * The request for one unit, by its fid.
 * @param {{ level: number, fid: number }} unit
 */
export function unitToPath({ level, fid }) {
  return `geojsonl/lv${level}?page-size=1&start-at=${fid}`;
}

/**
 * The request for all units of a listing, from its first page on.
 * @param {Listing} listing
 * @param {string} [geometry]
 */
export function listingToPath({ level, ...units }, geometry = '') {
  return withQuery(`geojsonl/lv${level}`, unitsToQuery({ ...units, geometry }));
}

/**
 * The parameter `bbox` of a box: what is a little larger, in round numbers.
 * @param {import('../map/geometry/box.js').Box} box
 */
export function boxToText([west, south, east, north]) {
  const round = (/** @type {number} */ degrees, /** @type {-1 | 1} */ side, /** @type {number} */ most) =>
    Math.min(most, Math.max(-most, (Math.floor(degrees * side * BOX_SCALE) + 1) / (side * BOX_SCALE)));
  return [round(west, -1, 180), round(south, -1, 90), round(east, 1, 180), round(north, 1, 90)].join(',');
}

/**
 * @param {string} text
 * @returns {import('../map/geometry/box.js').Box | undefined} undefined where it is no box
 */
export function textToBox(text) {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = text
    .split(',')
    .map((side) => (side === '' ? Number.NaN : Number(side)));
  const isBox = Math.max(Math.abs(west), Math.abs(east)) <= 180 && south <= north && -south <= 90 && north <= 90;
  return isBox && more.length === 0 ? [west, south, east, north] : undefined;
}

/**
 * @param {ReadonlyMap<number, string>} filters
 * @returns {string[]} `gid-0=ESP`
 */
export function filtersToQuery(filters) {
  return [...filters].sort(([a], [b]) => a - b).map(([level, gid]) => `gid-${level}=${encode(gid)}`);
}

/**
 * The request for all units of a listing as one file.
 * @param {WholeListing} listing
 */
export function downloadToPath({ level, release = '', ...units }) {
  const query = unitsToQuery(units);
  if (release !== '') query.push(`release=${encode(release)}`);
  return withQuery(`download/lv${level}.geojsonl.gz`, query);
}

/**
 * Which units, and with which geometry.
 * @param {Pick<WholeListing, 'filters' | 'bbox' | 'contains' | 'geometry'>} listing
 */
function unitsToQuery({ filters, geometry, ...spots }) {
  const isFull = geometry === '' || geometry === 'full';
  return [...filtersToQuery(filters), ...spotsToQuery(spots), ...(isFull ? [] : [`geometry=${encode(geometry)}`])];
}

/**
 * @param {string} path
 * @param {readonly string[]} query
 */
function withQuery(path, query) {
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/**
 * The parameters that select by place, with their commas.
 * @param {{ bbox?: string | undefined, contains?: string | undefined }} spots
 * @returns {string[]}
 */
export function spotsToQuery({ bbox = '', contains = '' }) {
  return Object.entries({ bbox, contains })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encode(value).replaceAll('%2C', ',')}`);
}

/**
 * @param {URLSearchParams} values
 * @returns {Map<number, string>} GIDs by level
 */
export function queryToFilters(values) {
  const filters = new Map();
  for (let level = 0; level <= 5; level++) {
    const gid = values.get(`gid-${level}`);
    if (gid !== null && gid !== '') filters.set(level, gid);
  }
  return filters;
}

/**
 * encodeURIComponent leaves the apostrophe, which would end the quotes of a shell.
 * @param {string} text
 */
export function encode(text) {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
