// The parent by place of a unit whose point lies in no unit of the level above, or in several: used by find-parents.ts.
// Borders of two levels seldom agree exactly, and a level above may be coarser.
import { elementAt, i32At } from '../../format/element-at.ts';
import { type Box, grow, newBox } from '../geojson/bbox.ts';
import { doubledArea, sideOf } from '../geometries/assemble-polygons.ts';
import { endBefore, type LevelRings, unitPolygons } from '../geometries/level-rings.ts';

/** Points of a side of the grid in a unit. */
const GRID_POINTS = 24;

/** The units of the level above that a unit may lie in; all are given by position. */
export interface Above {
  rings: LevelRings;
  boxes: readonly (Box | undefined)[];
  /** The units at a longitude and latitude in degrees. */
  unitsAt(point: readonly number[]): number[];
}

export function newAbove(rings: LevelRings, unitsAt: Above['unitsAt']): Above {
  return { rings, unitsAt, boxes: Array.from(rings.unitEnds, (_, unit) => boxOfUnit(rings, unit)) };
}

/** The unit with the least area. */
export function smallestOf(units: readonly number[], rings: LevelRings): number {
  const areas = units.map((unit) =>
    unitPolygons(rings, unit)
      .flat()
      .reduce((sum, ring) => sum + doubledArea(ring), 0),
  );
  return elementAt(units, areas.indexOf(areas.reduce((a, b) => Math.min(a, b), Infinity)));
}

/** The unit that holds most of a unit, by a grid of points inside of it; undefined if none holds any. */
export function holderOfMost(rings: LevelRings, unit: number, above: Above): number | undefined {
  const parts = unitPolygons(rings, unit).flat();
  const box = boxOfUnit(rings, unit);
  if (box === undefined) return undefined;
  const [west, south, east, north] = box;
  const held = new Map<number, number>();
  for (let row = 0.5; row < GRID_POINTS; row++)
    for (let column = 0.5; column < GRID_POINTS; column++) {
      const x = Math.round(west + ((east - west) * column) / GRID_POINTS);
      const y = Math.round(south + ((north - south) * row) / GRID_POINTS);
      if (parts.filter((ring) => sideOf(x, y, ring) > 0).length % 2 === 0) continue;
      for (const holder of above.unitsAt([x / rings.scale, y / rings.scale]))
        held.set(holder, (held.get(holder) ?? 0) + 1);
    }
  return [...held].sort(([a, one], [b, other]) => other - one || a - b)[0]?.[0];
}

/** The unit nearest to a point of a unit, no farther than the longer side of that unit; undefined if there is none. */
export function nearestTo(
  [longitude, latitude]: readonly [number, number],
  rings: LevelRings,
  unit: number,
  above: Above,
): number | undefined {
  const box = boxOfUnit(rings, unit);
  if (box === undefined) return undefined;
  // Degrees of longitude are as long as those of latitude when they are multiplied by this.
  const narrow = Math.cos((latitude * Math.PI) / 180);
  const [west, south, east, north] = box;
  const [x, y] = [longitude * rings.scale, latitude * rings.scale];
  let best: { unit: number; distance: number } | undefined;
  let reach = Math.max((east - west) * narrow, north - south);
  for (const [other, otherBox] of above.boxes.entries()) {
    if (otherBox === undefined || isBeyond(x, y, otherBox, narrow, reach)) continue;
    const distance = distanceTo(x, y, above.rings, other, narrow);
    if (distance > reach || (best !== undefined && distance === reach)) continue;
    best = { unit: other, distance };
    reach = distance;
  }
  return best?.unit;
}

function isBeyond(x: number, y: number, [west, south, east, north]: Box, narrow: number, reach: number): boolean {
  return Math.max(west - x, x - east) * narrow > reach || Math.max(south - y, y - north) > reach;
}

/** The distance of a point from the borders of a unit. */
function distanceTo(x: number, y: number, rings: LevelRings, unit: number, narrow: number): number {
  let least = Infinity;
  for (let ring = endBefore(rings.unitEnds, unit); ring < i32At(rings.unitEnds, unit); ring++) {
    const end = i32At(rings.ringEnds, ring);
    for (let i = endBefore(rings.ringEnds, ring), before = end - 1; i < end; before = i++) {
      const ax = (i32At(rings.x, before) - x) * narrow;
      const ay = i32At(rings.y, before) - y;
      const dx = (i32At(rings.x, i) - x) * narrow - ax;
      const dy = i32At(rings.y, i) - y - ay;
      const length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
      least = Math.min(least, Math.hypot(ax + along * dx, ay + along * dy));
    }
  }
  return least;
}

/** West, south, east and north of a unit in scaled degrees; undefined without rings. */
function boxOfUnit(rings: LevelRings, unit: number): Box | undefined {
  const last = i32At(rings.unitEnds, unit);
  const first = endBefore(rings.unitEnds, unit);
  if (first === last) return undefined;
  const box = newBox();
  for (let i = endBefore(rings.ringEnds, first); i < i32At(rings.ringEnds, last - 1); i++)
    grow(box, i32At(rings.x, i), i32At(rings.y, i));
  return box;
}
