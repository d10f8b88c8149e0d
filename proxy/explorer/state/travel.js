// Where the map goes by itself: to what is listed, or to the selected unit, without far islands; and what 'Show all'
// brings into sight, with them.
import { textToBox } from '../api/page-request.js';
import { covers, isWorld } from '../map/geometry/box.js';

/**
 * @typedef {import('../map/geometry/box.js').Box} Box
 * @typedef {import('./shown.js').Shown} Shown
 */

/**
 * Boxes of what is listed: the box that was asked for, the unit that is opened, or else all units of the list.
 * @param {Shown} shown
 * @returns {Box[]} none while they are not known
 */
export function boxesOfListed({ place, lineage, rows, opened }) {
  const asked = textToBox(place.bbox);
  if (asked !== undefined) return [asked];
  const parent = place.contains === '' ? lineage.at(-1) : undefined;
  const views = parent === undefined ? rows.map(({ view }) => view) : [parent.view ?? boxOf(opened)];
  return views.filter((view) => view !== undefined);
}

/**
 * The box of the selected unit.
 * @param {Shown} shown
 * @returns {Box | undefined} undefined while it is not known, or without geometry
 */
export function boxOfSelected({ selected, unit }) {
  return selected?.view ?? boxOf(unit);
}

/**
 * Boxes of all of what is selected, else of what is listed: far islands, too, as far as they are known.
 * @param {Shown} shown
 * @returns {Box[]}
 */
export function boxesOfAll(shown) {
  const { selected, unit, opened } = shown;
  const box = boxOf(selected === undefined ? opened : unit);
  return box === undefined ? (selected === undefined ? boxesOfListed(shown) : []) : [box];
}

/**
 * @param {import('../api/client.js').Unit | undefined} unit
 * @returns {Box | undefined}
 */
function boxOf(unit) {
  return unit?.bbox?.length === 4 ? unit.bbox : undefined;
}

/**
 * Is all of it in sight?
 * @param {Shown} shown
 * @param {Box | undefined} seen
 */
export function isAllSeen(shown, seen) {
  return seen === undefined || isWorld(seen) || boxesOfAll(shown).every((box) => covers(seen, box));
}
