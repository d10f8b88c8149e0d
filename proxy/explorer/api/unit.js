// Units: their names and GIDs, from the columns that the release names.

/**
 * A row of names.jsonl, with its level.
 * @typedef {object} NamedUnit
 * @property {number} level
 * @property {number} fid
 * @property {string | null} gid
 * @property {string | null} name
 * @property {string | null} type
 * @property {string | null} parent GID at the nearest level above that has units
 * @property {number} [parentLevel] of the parent, where it is at another one
 * @property {number} children units of the next level that has some of it
 * @property {import('../map/geometry/box.js').Box | undefined} [view] of its main part, without far islands
 * @property {readonly UnitsInside[]} [inside] for each level below that has units with its GID, ascending
 * @property {string} [parentTitle] what to call its parent, in a list of units that have several parents
 *
 * A level, the number of units, and their commonest type.
 * @typedef {[level: number, units: number, type: string | null]} UnitsInside
 *
 * @typedef {import('./client.js').Unit} Unit
 * The columns of a level that have the GIDs of the levels 0 to this one, its names and its types; empty texts for none.
 * `typeName`: the type of units that have none in that column.
 * `hasBoxes`: are units in a box if their own box touches it, because nothing better is known of the level?
 * @typedef {{ level: number, gidColumns: string[], nameColumn: string, typeColumn?: string, typeName?: string | undefined,
 *   hasBoxes?: boolean }}
 * LevelColumns
 */

/** A type that says the level and nothing else, such as 'ADM1' of geoBoundaries. */
const LEVEL_AS_TYPE = /^(adm|admin|level|lv)[ _-]?\d$/i;

/**
 * The type of a unit, as a person would say it.
 * @param {string | null} type as in the data
 */
export function typeOf(type) {
  return type === null || LEVEL_AS_TYPE.test(type) ? null : type;
}

/**
 * What to call a unit: its name, else its GID, else its fid.
 * @param {{ name: string | null, gid: string | null, fid: number }} unit
 */
export function titleOf({ name, gid, fid }) {
  return name ?? gid ?? `fid ${fid}`;
}

/**
 * The GIDs of a unit: those of the units it is in, from the top, and its own.
 * @param {Unit} unit
 * @param {LevelColumns} columns
 */
export function gidsOf(unit, { gidColumns }) {
  return gidColumns.map((column) => textIn(unit, column));
}

/**
 * A unit of a page as a row of a list; the number of its children is unknown, so 0.
 * @param {Unit} unit
 * @param {LevelColumns} columns
 * @returns {NamedUnit}
 */
export function unitToRow(unit, columns) {
  const { level, nameColumn, typeColumn = '', typeName } = columns;
  const gids = gidsOf(unit, columns);
  const above = gids.slice(0, level);
  const parentLevel = above.findLastIndex((gid) => gid !== undefined);
  return {
    level,
    fid: Number(unit.id),
    gid: gids[level] ?? null,
    name: textIn(unit, nameColumn) ?? null,
    type: typeOf(textIn(unit, typeColumn) ?? typeName ?? null),
    parent: above[parentLevel] ?? null,
    parentLevel,
    children: 0,
  };
}

/**
 * @param {Unit} unit
 * @param {string} column
 */
function textIn(unit, column) {
  return String(unit.properties[column] ?? '') || undefined;
}
