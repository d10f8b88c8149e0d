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
 * @property {string} bbox the box that the list is limited to; empty for none
 * @property {string} contains the point that the list is limited to; empty for none
 */

/**
 * The levels that have units.
 * @param {readonly LevelColumns[]} levels
 * @returns {number[]} ascending
 */
export function levelsWithUnits(levels) {
  return levels.filter(({ gidColumns }) => gidColumns.length > 0).map(({ level }) => level);
}

/**
 * Have the units of each level a column with the GIDs of the level above?
 * @param {readonly LevelColumns[]} levels
 */
export function isLinked(levels) {
  const filled = levelsWithUnits(levels);
  return filled.every((level, i) => i === 0 || levels[level]?.gidColumns[filled[i - 1] ?? 0] !== '');
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
    bbox: '',
    contains: '',
  };
}

/**
 * Is this the whole release, by its highest level?
 * @param {Place} place
 * @param {readonly LevelColumns[]} levels
 */
export function isWorld(place, levels) {
  return place.level === worldOf(levels).level && place.filters.size === 0 && !isSpot(place);
}

/**
 * Is the list limited to a box or a point?
 * @param {Place} place
 */
export function isSpot({ bbox, contains }) {
  return bbox !== '' || contains !== '';
}

/**
 * The units inside a unit.
 * @param {Pick<import('../api/unit.js').NamedUnit, 'level' | 'gid' | 'inside'>} unit
 * @param {readonly LevelColumns[]} levels
 * @param {number} [below] their level; otherwise the next one that has some, or whose units have GIDs of this one
 * @returns {Place | undefined} undefined without GID or level below
 */
export function inside(unit, levels, below = unit.inside?.[0]?.[0] ?? levelBelow(unit.level, levels)) {
  const { level, gid } = unit;
  if (below === undefined || gid === null) return undefined;
  return { ...worldOf(levels), level: below, filters: new Map([[level, gid]]) };
}

/**
 * @param {number} level
 * @param {readonly LevelColumns[]} levels
 */
function levelBelow(level, levels) {
  return levelsWithUnits(levels).find((other) => other > level && levels[other]?.gidColumns[level] !== '');
}

/**
 * The place that lists a unit among its siblings, selected.
 * @param {{ level: number, fid: number, gid: string | null, parent: string | null, parentLevel?: number }} unit
 * @param {readonly LevelColumns[]} levels
 * @returns {Place}
 */
export function placeOf({ level, fid, gid, parent, parentLevel }, levels) {
  const above = parentLevel ?? levelsWithUnits(levels).findLast((other) => other < level);
  /** @type {[number, string][]} */
  const filters = above !== undefined && parent !== null ? [[above, parent]] : [];
  return { ...worldOf(levels), level, filters: new Map(filters), ...selection({ fid, gid }) };
}

/**
 * How a place names its selected unit.
 * @param {{ fid: number, gid: string | null } | undefined} unit
 */
export function selection(unit) {
  return { unit: unit?.gid ?? undefined, fid: unit?.gid === null ? unit.fid : undefined };
}

/**
 * Do both places list the same units?
 * @param {Place} a
 * @param {Place} b
 */
export function isSameListing(a, b) {
  const key = (/** @type {Place} */ { level, filters, bbox, contains }) => {
    const gids = [...filters].sort(([one], [other]) => one - other);
    return JSON.stringify([level, gids, bbox, contains]);
  };
  return key(a) === key(b);
}
