// Units by name or GID: asks the service.
import { encode } from './page-request.js';
import { gidsOf } from './unit.js';
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
 * @param {Asked} asked
 * @param {{ client: import('./client.js').Client, names: Names, about: import('./about.js').About }} parts
 * @param {AbortSignal} signal
 * @returns {Promise<{ found: number, results: Found[] }>} how many units match, and the best of them
 * @throws {import('./client.js').RefusalError}
 */
export async function searchUnits({ text, levels, within }, { client, names, about }, signal) {
  const q = [...text].slice(0, TEXT_MAX).join('');
  const level = levels.filter((number) => within === undefined || number > within.level).map((number) => `lv${number}`);
  // The service refuses what has neither letter nor digit.
  if (level.length === 0 || !/[\p{L}\p{N}]/u.test(q)) return { found: 0, results: [] };
  const inside = within === undefined ? [] : [`gid-${within.level}=${encode(within.gid)}`];
  const query = [`q=${encode(q)}`, `limit=${LIMIT}`, `level=${level.join()}`, ...inside];
  const { matched, units } = await readUnits(`search?${query.join('&')}`, client, about.levels, signal);
  const results = await Promise.all(units.map((unit) => toFound(unit, about.levels, names)));
  signal.throwIfAborted();
  return { found: matched, results };
}

/**
 * @param {UnitOfLevel} unit
 * @param {readonly LevelColumns[]} levels
 * @param {Names} names
 * @returns {Promise<Found>}
 */
async function toFound({ feature, columns, row }, levels, names) {
  const above = gidsOf(feature, columns)
    .slice(0, row.level)
    .map(async (gid, n) => {
      if (gid === undefined) return [];
      const own = nameOf(feature, columns, levels[n]);
      return [own ?? (await names.find(n, gid))?.name ?? gid];
    });
  return { ...row, path: (await Promise.all(above)).flat().join(' › ') };
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
