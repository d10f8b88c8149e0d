// What the form asks for: as the path of a request, as the page's own address, and as a line for a shell.

/**
 * @typedef {object} Ask
 * @property {string} format
 * @property {number} level
 * @property {ReadonlyMap<number, string>} filters GIDs by the level that they name
 * @property {string} pageSize as typed; empty where nothing was
 * @property {string} startAt likewise
 */

/** @type {Ask} */
export const WORLD = { format: 'geojsonl', level: 0, filters: new Map(), pageSize: '', startAt: '' };

/**
 * The request's path and query behind `api/v1/`. What was typed stands in it as it is: the service says what is wrong.
 * @param {Ask} ask
 */
export function askToPath({ format, level, filters, pageSize, startAt }) {
  const query = [...filters].sort(([a], [b]) => a - b).map(([column, gid]) => `gid-${column}=${encode(gid)}`);
  if (pageSize !== '') query.push(`page-size=${encode(pageSize)}`);
  if (startAt !== '') query.push(`start-at=${encode(startAt)}`);
  return `${format}/lv${level}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/**
 * Reads what `askToPath` writes.
 * @param {string} path
 * @returns {Ask | undefined} undefined where it is something else
 */
export function pathToAsk(path) {
  const [, format, level, query] = /^(geojsonl|fc)\/lv([0-5])(?:\?(.*))?$/.exec(path) ?? [];
  if (format === undefined) return undefined;
  const values = new URLSearchParams(query);
  const filters = [0, 1, 2, 3, 4, 5].flatMap((column) => {
    const gid = values.get(`gid-${column}`);
    return gid === null ? [] : [/** @type {[number, string]} */ ([column, gid])];
  });
  return {
    format,
    level: Number(level),
    filters: new Map(filters),
    pageSize: values.get('page-size') ?? '',
    startAt: values.get('start-at') ?? '',
  };
}

/**
 * The request as a command; the token stays out of it.
 * @param {string} url
 */
export function curlFor(url) {
  return `curl -s --compressed -H "Authorization: Bearer $TOKEN" '${url}'`;
}

/**
 * encodeURIComponent leaves the apostrophe, which would end the shell's quotes.
 * @param {string} text
 */
function encode(text) {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
