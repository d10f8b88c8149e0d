// What a unit is called and where it lies, as far as its columns tell.

/**
 * A step on the way from the world to a unit.
 * @typedef {{ level: number, gid: string, name: string }} Step
 * @typedef {import('./client.js').Unit} Unit
 */

/**
 * The unit's GID at a level; undefined where no column has the usual name.
 * @param {Unit} unit
 * @param {number} level
 */
export function gidOf({ properties }, level) {
  const gid = properties[`GID_${level}`];
  return typeof gid === 'string' && gid !== '' ? gid : undefined;
}

/**
 * @param {Unit} unit
 * @param {number} level
 */
export function nameOf(unit, level) {
  const { properties } = unit;
  const columns = [`NAME_${level}`, ...(level === 0 ? ['COUNTRY'] : []), 'NAME', 'name'];
  const name = columns.map((column) => properties[column]).find((value) => typeof value === 'string' && value !== '');
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
