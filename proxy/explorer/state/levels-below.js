// The levels below a unit, and those of a release, a box or a point: what the list may show instead.
import { typeOf } from '../api/unit.js';
import { isLinked, isSpot, levelsWithUnits } from './place.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 *
 * @typedef {object} LevelBelow
 * @property {number} level
 * @property {string} title the commonest type of its units, in the words of the data, or the level
 * @property {number} [units] how many there are; undefined where the names do not tell
 */

/**
 * The levels that have units inside of a unit.
 * @param {NamedUnit | undefined} unit
 * @returns {LevelBelow[]} ascending
 */
export function levelsInside(unit) {
  return (unit?.inside ?? []).map(([level, units, type]) => ({
    level,
    units,
    title: typeOf(type) ?? levelText(level),
  }));
}

/**
 * The levels that a place may list instead: of an opened unit those inside of it, of a box or a point all below the
 * units that it is limited to, and of a release where no unit leads to deeper levels, because these have no GIDs of the
 * one above, all of them.
 * @param {Pick<import('./shown.js').Shown, 'place' | 'lineage'>} shown
 * @param {readonly import('./place.js').LevelColumns[]} levels
 * @returns {LevelBelow[]} ascending
 */
export function levelsBelow({ place, lineage }, levels) {
  const opened = lineage.at(-1);
  if (!isSpot(place) && (opened !== undefined || isLinked(levels))) return levelsInside(opened);
  const top = Math.max(0, ...place.filters.keys());
  return levelsWithUnits(levels).flatMap((level) => (level < top ? [] : [{ level, title: levelText(level) }]));
}

/** @param {number} level */
function levelText(level) {
  return `Level ${level}`;
}
