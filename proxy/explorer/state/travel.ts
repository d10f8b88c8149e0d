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
export function boxesOfListed({ place, lineage, rows, opened, openedUnit }: Shown): Box[] {
  const asked = textToBox(place.bbox);
  if (asked !== undefined) return [asked];
  const isOpened = place.contains === '' && lineage.length > 0;
  const views = isOpened ? [opened?.view ?? boxOf(openedUnit)] : rows.map(({ view }) => view);
  return views.filter((view) => view !== undefined);
}

/**
 * The box of the selected unit.
 * @returns undefined while it is not known, or without geometry
 */
export function boxOfSelected({ selected, unit }: Shown): Box | undefined {
  return selected?.view ?? boxOf(unit);
}

/** Boxes of all of what is selected, else of what is listed: far islands, too, as far as they are known. */
export function boxesOfAll(shown: Shown): Box[] {
  const { selected, unit, openedUnit } = shown;
  const box = boxOf(selected === undefined ? openedUnit : unit);
  return box === undefined ? (selected === undefined ? boxesOfListed(shown) : []) : [box];
}

function boxOf(unit: Unit | undefined): Box | undefined {
  return unit?.bbox?.length === 4 ? unit.bbox : undefined;
}

/** Is all of it in sight? */
export function isAllSeen(shown: Shown, seen: Box | undefined) {
  return seen === undefined || isWorld(seen) || boxesOfAll(shown).every((box) => covers(seen, box));
}
