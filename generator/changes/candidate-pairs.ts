// Pairs of units whose boxes meet, for `changes`: what may have area in common.
import { FULL_TURN } from '../../format/boxes.ts';
import { elementAt } from '../../format/element-at.ts';

/** A unit, by its number in a list, and a box of it: west, south, east, north as in the index of a level. */
export interface UnitBox {
  unit: number;
  box: readonly number[];
}

const HALF = FULL_TURN / 2;

/**
 * The pairs whose boxes meet, each once, in the order of both lists. A box across the antimeridian (west > east) is
 * two.
 */
export function candidatePairs(from: readonly UnitBox[], to: readonly UnitBox[]): { from: number; to: number }[] {
  const [old, now] = [from.flatMap(onMap), to.flatMap(onMap)].map((boxes) =>
    boxes.sort((a, b) => westOf(a) - westOf(b)),
  );
  const pairs = new Map<number, Set<number>>();
  let active: UnitBox[] = [];
  let next = 0;
  // From west to east: the new units whose boxes have begun and may not have ended.
  for (const { unit, box } of old ?? []) {
    const [west = 0, south = 0, east = 0, north = 0] = box;
    active = active.filter((other) => elementAt(other.box, 2) >= west);
    for (let other = now?.[next]; other !== undefined && westOf(other) <= east; other = now?.[++next])
      active.push(other);
    for (const other of active) {
      const [otherWest = 0, otherSouth = 0, otherEast = 0, otherNorth = 0] = other.box;
      if (otherWest > east || otherEast < west || otherSouth > north || otherNorth < south) continue;
      const own = pairs.get(unit) ?? new Set();
      pairs.set(unit, own.add(other.unit));
    }
  }
  return [...pairs]
    .sort(([a], [b]) => a - b)
    .flatMap(([unit, own]) => [...own].sort((a, b) => a - b).map((other) => ({ from: unit, to: other })));
}

function westOf({ box }: UnitBox): number {
  return elementAt(box, 0);
}

/** The boxes of a unit from -180 to 180 degrees. */
function onMap({ unit, box }: UnitBox): UnitBox[] {
  const [west = 0, south = 0, east = 0, north = 0] = box;
  if (west <= east && west >= -HALF && east <= HALF) return [{ unit, box }];
  // What lies beyond is cut there and moved onto the map.
  if (west <= east) return [{ unit, box: [-HALF, south, HALF, north] }];
  return [
    { unit, box: [west, south, HALF, north] },
    { unit, box: [-HALF, south, east, north] },
  ];
}
