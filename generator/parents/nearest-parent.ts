// The parent by place of a unit whose point lies in no unit of the level above, or in several. Borders of two levels
// seldom agree exactly, and a level above may be coarser.
import type { Geometry } from 'gdal-async';
import { elementAt, i32At } from '../../format/element-at.ts';
import { sharedArea, toValid } from '../gdal/valid-polygons.ts';
import { type Box, doOverlap } from '../rings/bbox.ts';
import { boxOfOpen, doubledArea, type OpenPolygon } from '../rings/open-rings.ts';
import { endBefore, type FlatRings, type RingsByUnit, unitPolygons } from '../topology/level-rings.ts';

/** The units of the level above that a unit may lie in; all are given by position. */
export interface Above {
  units: RingsByUnit;
  /** Of each unit the boxes of its polygons. */
  boxes: readonly (readonly Box[])[];
  /** The polygons that the last unit was compared with, by their boxes: the next one is often beside it. */
  made: ReadonlyMap<Box, Geometry>;
}

export function newAbove(units: RingsByUnit): Above {
  return { units, boxes: Array.from(units.all(), (unit) => boxesOf(unitPolygons(unit))), made: new Map() };
}

/** The unit with the least area. */
export function smallestOf(units: readonly number[], rings: RingsByUnit): number {
  const areas = units.map((unit) =>
    unitPolygons(rings.at(unit))
      .flat()
      .reduce((sum, ring) => sum + doubledArea(ring), 0),
  );
  return elementAt(units, areas.indexOf(areas.reduce((a, b) => Math.min(a, b), Infinity)));
}

/**
 * The unit that holds most of a unit, by the areas that they share; undefined if none holds any. Rings are cut at the
 * antimeridian, so that areas are the same across it.
 */
export function holderOfMost(unit: FlatRings, above: Above): number | undefined {
  const polygons = unitPolygons(unit);
  if (polygons.length === 0) return undefined;
  const own = boxesOf(polygons);
  const geometry = toValid(polygons);
  const used = new Map<Box, Geometry>();
  let best: { unit: number; area: number } | undefined;
  for (const [other, boxes] of above.boxes.entries()) {
    const near = boxes.flatMap((box, i) => (own.some((one) => doOverlap(one, box)) ? [{ box, i }] : []));
    if (near.length === 0) continue;
    const others = unitPolygons(above.units.at(other));
    let area = 0;
    for (const { box, i } of near) {
      const polygon = above.made.get(box) ?? toValid([elementAt(others, i)]);
      used.set(box, polygon);
      area += sharedArea(geometry, polygon);
    }
    if (area > (best?.area ?? 0)) best = { unit: other, area };
  }
  above.made = used;
  return best?.unit;
}

/**
 * The unit nearest to a point of a unit, no farther than the longer side of the largest part of that unit; undefined if
 * there is none. Distances are those of the short way round the globe.
 */
export function nearestTo(
  [longitude, latitude]: readonly [number, number],
  unit: FlatRings,
  above: Above,
): number | undefined {
  // Degrees of longitude are as long as those of latitude when they are multiplied by this.
  const narrow = Math.cos((latitude * Math.PI) / 180);
  const y = latitude * unit.scale;
  const turns = [0, -360, 360].map((turn) => (longitude + turn) * unit.scale);
  let best: { unit: number; distance: number } | undefined;
  let reach = boxesOf(unitPolygons(unit))
    .map(([west, south, east, north]) => Math.max((east - west) * narrow, north - south))
    .reduce((a, b) => Math.max(a, b), -1);
  for (const [other, boxes] of above.boxes.entries())
    for (const x of turns) {
      if (boxes.every((box) => isBeyond(x, y, box, narrow, reach))) continue;
      const distance = distanceTo(x, y, above.units.at(other), narrow);
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
function distanceTo(x: number, y: number, { x: xs, y: ys, ringEnds }: FlatRings, narrow: number): number {
  let least = Infinity;
  for (const [ring, end] of ringEnds.entries())
    for (let i = endBefore(ringEnds, ring), before = end - 1; i < end; before = i++) {
      const ax = (i32At(xs, before) - x) * narrow;
      const ay = i32At(ys, before) - y;
      const dx = (i32At(xs, i) - x) * narrow - ax;
      const dy = i32At(ys, i) - y - ay;
      const length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
      least = Math.min(least, Math.hypot(ax + along * dx, ay + along * dy));
    }
  return least;
}

function boxesOf(polygons: readonly OpenPolygon[]): Box[] {
  return polygons.map((polygon) => boxOfOpen(elementAt(polygon, 0)));
}
