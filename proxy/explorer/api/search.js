// Units by name, and by GID: asks the service. Used by the search field.
import { attributesAlone } from './geometry.js';
import { encode, filtersToQuery, requestToPath } from './page-request.js';
import { identify, unitToRow } from './unit.js';
import { readUnits } from './units.js';

/**
 * @typedef {import('./unit.js').NamedUnit} NamedUnit
 * @typedef {import('./unit.js').LevelColumns} LevelColumns
 * @typedef {{ find: (level: number, gid: string) => Promise<NamedUnit | undefined> }} Names
 * @typedef {import('./units.js').UnitOfLevel} UnitOfLevel
 *
 * A unit that a search found, with the names of the units it is in, from the top.
 * @typedef {NamedUnit & { path: string }} Found
 *
 * @typedef {object} Asked
 * @property {string} text
 * @property {number[]} levels
 * @property {{ level: number, gid: string } | undefined} within only units of this one
 */

/** Units that are asked for. */
const LIMIT = 20;
/** Characters of a name that the service takes. */
const TEXT_MAX = 100;
/**
 * One word with a digit or without small letters: `ESP.1_1`, `06037`, `FRA`. What else is typed is not asked for as a
 * GID.
 */
const LIKE_GID = /^(?:\S*\d\S*|[^\s\p{Ll}]+)$/u;

/**
 * @param {Asked} asked
 * @param {{ client: import('./client.js').Client, names: Names, about: import('./about.js').About }} parts
 * @param {AbortSignal} signal
 * @returns {Promise<{ found: number, results: Found[] }>} how many units match, and the best of them: those with this
 * GID,
 *   then those of this name, in the order of the service
 * @throws {import('./client.js').RefusalError}
 */
export async function searchUnits(asked, { client, names, about }, signal) {
  const { within } = asked;
  const levels = asked.levels.filter((level) => within === undefined || level > within.level);
  if (levels.length === 0) return { found: 0, results: [] };
  const [byGid, { matched, units }] = await Promise.all([
    unitsWithGid({ ...asked, levels }, client, attributesAlone(about.geometries), signal),
    unitsNamed({ ...asked, levels }, client, signal),
  ]);
  const isKnown = (/** @type {UnitOfLevel} */ { level, feature }) =>
    byGid.some((other) => other.level === level && other.feature.id === feature.id);
  const others = units.filter((unit) => !isKnown(unit));
  const best = [...byGid, ...others].slice(0, LIMIT);
  const results = await Promise.all(best.map((unit) => toFound(unit, about.levels, names)));
  signal.throwIfAborted();
  return { found: matched + byGid.length + others.length - units.length, results };
}

/**
 * @param {Asked} asked
 * @param {import('./client.js').Client} client
 * @param {string} geometry
 * @param {AbortSignal} signal
 * @returns {Promise<UnitOfLevel[]>} of each level the first one
 */
async function unitsWithGid({ text, levels, within }, client, geometry, signal) {
  if (!LIKE_GID.test(text)) return [];
  const found = levels.map(async (level) => {
    const filters = new Map([...filtersOf(within), [level, text]]);
    const path = requestToPath({ format: 'geojsonl', level, filters, geometry, pageSize: '1', startAt: '' });
    const { units } = await client.page(client.urlOf(path), signal);
    return units.map((feature) => ({ level, feature }));
  });
  return (await Promise.all(found)).flat();
}

/**
 * @param {Asked} asked
 * @param {import('./client.js').Client} client
 * @param {AbortSignal} signal
 * @returns {Promise<{ matched: number, units: UnitOfLevel[] }>}
 */
async function unitsNamed({ text, levels, within }, client, signal) {
  const q = [...text].slice(0, TEXT_MAX).join('');
  // The service refuses what has neither.
  if (!/[\p{L}\p{N}]/u.test(q)) return { matched: 0, units: [] };
  const level = levels.map((number) => `lv${number}`).join(',');
  const query = [`q=${encode(q)}`, `limit=${LIMIT}`, `level=${level}`, ...filtersToQuery(filtersOf(within))];
  return readUnits(`search?${query.join('&')}`, client, signal);
}

/**
 * @param {Asked['within']} within
 * @returns {Map<number, string>}
 */
function filtersOf(within) {
  return new Map(within === undefined ? [] : [[within.level, within.gid]]);
}

/**
 * @param {UnitOfLevel} unit
 * @param {readonly LevelColumns[]} levels
 * @param {Names} names
 * @returns {Promise<Found>}
 */
async function toFound({ level, feature }, levels, names) {
  const columns = levels[level];
  if (columns === undefined) throw new RangeError(`level ${level} has no columns`);
  identify(feature, columns);
  const above = (feature.gids ?? []).slice(0, level).map(async (gid, n) => {
    if (gid === undefined) return [];
    const own = nameOf(feature, columns, levels[n]);
    return [own ?? (await names.find(n, gid))?.name ?? gid];
  });
  return { ...unitToRow(feature, columns), path: (await Promise.all(above)).flat().join(' › ') };
}

/**
 * The name of a unit above, from the columns of this one: where both name the GID of that level alike, as GADM and OCHA
 * do, they name its name alike.
 * @param {import('./client.js').Unit} feature
 * @param {LevelColumns} own
 * @param {LevelColumns | undefined} above
 */
function nameOf({ properties }, own, above) {
  if (above === undefined || above.nameColumn === own.nameColumn) return undefined;
  if (own.gidColumns[above.level] !== above.gidColumns[above.level]) return undefined;
  const name = properties[above.nameColumn];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
