// A place: what is shown, as the page's address has it. Functions that make one place from another; used everywhere.

/**
 * @typedef {{ zoom: number, latitude: number, longitude: number }} View
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('../api/unit.js').LevelColumns} LevelColumns
 *
 * @typedef {object} Place
 * @property {number} level of the units that are listed
 * @property {ReadonlyMap<number, string>} filters GIDs of parents by level
 * @property {string | undefined} unit GID of the selected unit
 * @property {number | undefined} fid of the selected unit, if it has no GID
 * @property {View | undefined} view of the map
 * @property {string} format
 * @property {string} pageSize as typed
 * @property {string} startAt as typed
 */

export const DEFAULT_FORMAT = 'geojsonl';

/**
 * The levels that have units.
 * @param {readonly LevelColumns[]} levels
 * @returns {number[]} ascending
 */
export function levelsWithUnits(levels) {
  return levels.filter(({ gidColumns }) => gidColumns.length > 0).map(({ level }) => level);
}

/**
 * All units of the first level.
 * @param {readonly LevelColumns[]} levels
 * @returns {Place}
 */
export function worldOf(levels) {
  return {
    level: levelsWithUnits(levels)[0] ?? 0,
    filters: new Map(),
    unit: undefined,
    fid: undefined,
    view: undefined,
    format: DEFAULT_FORMAT,
    pageSize: '',
    startAt: '',
  };
}

/**
 * Does the overview of the release show this place?
 * @param {Place} place
 * @param {readonly LevelColumns[]} levels
 */
export function isWorld({ level, filters, pageSize, startAt }, levels) {
  return level === worldOf(levels).level && filters.size === 0 && pageSize === '' && startAt === '';
}

/**
 * The units inside a unit.
 * @param {{ level: number, gid: string | null }} unit
 * @param {Place} place whose format is kept
 * @param {readonly LevelColumns[]} levels
 * @returns {Place | undefined} undefined without GID or level below
 */
export function inside({ level, gid }, place, levels) {
  const below = levelsWithUnits(levels).find((other) => other > level);
  if (below === undefined || gid === null) return undefined;
  return { ...worldOf(levels), level: below, filters: new Map([[level, gid]]), format: place.format };
}

/**
 * The place that lists a unit among its siblings, selected.
 * @param {{ level: number, fid: number, gid: string | null, parent: string | null }} unit
 * @param {Place} place whose format is kept
 * @param {readonly LevelColumns[]} levels
 * @returns {Place}
 */
export function placeOf({ level, fid, gid, parent }, place, levels) {
  const above = levelsWithUnits(levels).findLast((other) => other < level);
  /** @type {[number, string][]} */
  const filters = above !== undefined && parent !== null ? [[above, parent]] : [];
  return { ...worldOf(levels), format: place.format, level, filters: new Map(filters), ...selection({ fid, gid }) };
}

/**
 * How a place names its selected unit.
 * @param {{ fid: number, gid: string | null } | undefined} unit
 */
export function selection(unit) {
  return { unit: unit?.gid ?? undefined, fid: unit?.gid === null ? unit.fid : undefined };
}

/**
 * Do both places list the same units by the same request?
 * @param {Place} a
 * @param {Place} b
 */
export function isSameListing(a, b) {
  const key = (/** @type {Place} */ { level, filters, format, pageSize, startAt }) =>
    JSON.stringify([level, [...filters].sort(([one], [other]) => one - other), format, pageSize, startAt]);
  return key(a) === key(b);
}
