// Where the map goes by itself: to what is listed, or to the selected unit, without far islands; and what 'Show all'
// brings into sight, with them.
import type { Unit } from '../api/client.ts';
import { textToBox } from '../api/page-request.ts';
import { type Box, covers, isWorld } from '../map/geometry/box.ts';
import type { Shown } from './shown.ts';

/**
 * Boxes of what is listed: the box that was asked for, the unit that is opened, or else all units of the list.
 * @returns none while they are not known
 */
export function boxesOfListed({ place, lineage, list, opened, openedUnit }: Shown): Box[] {
  const asked = textToBox(place.value.bbox);
  if (asked !== undefined) return [asked];
  const isOpened = place.value.contains === '' && lineage.value.length > 0;
  const views = isOpened ? [opened.value?.view ?? boxOf(openedUnit.value)] : list.value.rows.map(({ view }) => view);
  return views.filter((view) => view !== undefined);
}

/**
 * The box of the selected unit.
 * @returns undefined while it is not known, or without geometry
 */
export function boxOfSelected({ selected, unit }: Shown): Box | undefined {
  return selected.value?.view ?? boxOf(unit.value);
}

/** Boxes of all of what is selected, else of what is listed: far islands, too, as far as they are known. */
export function boxesOfAll(shown: Shown): Box[] {
  const { selected, unit, openedUnit } = shown;
  const isListed = selected.value === undefined;
  const box = boxOf(isListed ? openedUnit.value : unit.value);
  return box === undefined ? (isListed ? boxesOfListed(shown) : []) : [box];
}

function boxOf(unit: Unit | undefined | 'failed'): Box | undefined {
  return unit !== 'failed' && unit?.bbox?.length === 4 ? unit.bbox : undefined;
}

/** Is all of it in sight? */
export function isAllSeen(shown: Shown, seen: Box | undefined) {
  return seen === undefined || isWorld(seen) || boxesOfAll(shown).every((box) => covers(seen, box));
}
