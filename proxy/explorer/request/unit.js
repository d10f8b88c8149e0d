// What a unit is called and where it lies, as far as its columns tell.

/**
 * A step on the way from the world to a unit.
 * @typedef {{ level: number, gid: string, name: string }} Step
 * @typedef {import('./client.js').Unit} Unit
 */

/**
 * The columns of a level that have the GIDs of the levels 0 to this one, and its names; empty texts for none.
 * @typedef {{ gidColumns: string[], nameColumn: string }} LevelColumns
 */

/**
 * Reads a unit's GIDs and name from its columns, once.
 * @param {Unit} unit
 * @param {LevelColumns | undefined} columns undefined if the service does not say
 */
export function identify(unit, columns) {
  const textIn = (/** @type {string} */ column) => {
    const value = unit.properties[column];
    return value === undefined || value === null || value === '' ? undefined : String(value);
  };
  unit.gids = columns?.gidColumns.map(textIn) ?? [];
  unit.title = columns === undefined ? undefined : textIn(columns.nameColumn);
}

/**
 * The unit's GID at a level; undefined if it has none.
 * @param {Unit} unit
 * @param {number} level
 */
export function gidOf({ gids }, level) {
  return gids?.[level];
}

/**
 * The name of the unit, or of its parent at a level above.
 * @param {Unit} unit
 * @param {number} level
 */
export function nameOf(unit, level) {
  const isOwn = level === (unit.gids?.length ?? 0) - 1;
  const columns = [`NAME_${level}`, ...(level === 0 ? ['COUNTRY'] : [])];
  const name = isOwn ? unit.title : columns.map((column) => unit.properties[column]).find((value) => value);
  return String(name ?? gidOf(unit, level) ?? `fid ${unit.id}`);
}

/**
 * The steps from the world down to the unit, itself included, as far as they have GIDs.
 * @param {Unit} unit
 * @param {number} level
 * @returns {Step[]}
 */
export function lineageOf(unit, level) {
  /** @type {Step[]} */
  const steps = [];
  for (let n = 0; n <= level; n++) {
    const gid = gidOf(unit, n);
    if (gid !== undefined) steps.push({ level: n, gid, name: nameOf(unit, n) });
  }
  return steps;
}
