// What the service publishes about itself without a token: release, its date, geometries, tiles, changes, licence,
// attribution and columns.
import { attributesAlone } from './geometry.js';

/**
 * @typedef {import('./unit.js').LevelColumns} LevelColumns
 * @typedef {object} About
 * @property {string | undefined} title what the service is called; undefined if it has no name of its own
 * @property {string | undefined} release undefined while the service has none
 * @property {string | undefined} date `YYYY-MM-DD`; undefined if the release has none
 * @property {string[]} geometries of the release; `full` is always there
 * @property {string} lightest of these, with the attributes of units
 * @property {boolean} tiles has the release vector tiles?
 * @property {boolean} changes are changes between releases published?
 * @property {string | undefined} licence of the data: an SPDX identifier or an address; undefined if it is not known
 * @property {string[]} attribution
 * @property {LevelColumns[]} levels by level; a level without units has no columns
 */

/**
 * A level as the file has it.
 * @typedef {Record<'gid' | 'name' | 'type', string | null> & { parents: (string | null)[] }} Columns
 * @typedef {{ level: string, bbox: 'exact' | 'boxes', columns: Columns, typeName?: string }} Described
 * @typedef {Partial<Omit<About, 'levels' | 'date'> & { levels: Described[], date: string | null, license: string | null }>}
 * AboutFile
 */

/** What is so where the service does not say it. */
/** @type {Pick<About, 'title' | 'release' | 'tiles' | 'changes' | 'attribution'>} */
const NOTHING = { title: undefined, release: undefined, tiles: false, changes: false, attribution: [] };

/**
 * @param {string} base the address of the page
 * @param {'default' | 'no-cache'} [cache] `no-cache`: caches must ask whether it has changed
 * @returns {Promise<About>}
 */
export async function readAbout(base, cache = 'default') {
  const response = await fetch(new URL('about.json', base), { cache }).catch(() => undefined);
  const file = /** @type {AboutFile} */ (response?.ok ? await response.json() : {});
  const { date, license, geometries = ['full'], levels = [], ...about } = file;
  return {
    ...NOTHING,
    ...about,
    date: date ?? undefined,
    licence: license ?? undefined,
    geometries,
    lightest: attributesAlone(geometries),
    levels: columnsByLevel(levels),
  };
}

/**
 * @param {Described[]} described those that have units
 * @returns {LevelColumns[]}
 */
function columnsByLevel(described) {
  const known = new Map(described.map((one) => [one.level, one]));
  return [0, 1, 2, 3, 4, 5].map((level) => {
    const described = known.get(`lv${level}`);
    const { gid, name, type, parents } = described?.columns ?? { gid: null, name: null, type: null, parents: [] };
    const gidColumns = described ? [...parents, gid].map((column) => column ?? '') : [];
    const labels = { nameColumn: name ?? '', typeColumn: type ?? '', typeName: described?.typeName };
    return { level, gidColumns, ...labels, hasBoxes: described?.bbox === 'boxes' };
  });
}
