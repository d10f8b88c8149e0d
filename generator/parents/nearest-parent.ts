// The parent by place of a unit whose point lies in no unit of the level above, or in several. Borders of two levels
// seldom agree exactly, and a level above may be coarser.
import type { Geometry } from 'gdal-async';
import { elementAt, i32At } from '../../format/element-at.ts';
import { sharedArea, toValid } from '../gdal/valid-polygons.ts';
import type { Box } from '../rings/bbox.ts';
import { boxOfOpen, doubledArea, type OpenPolygon } from '../rings/open-rings.ts';
import { endBefore, type LevelRings, unitPolygons } from '../topology/level-rings.ts';

/** The units of the level above that a unit may lie in; all are given by position. */
export interface Above {
  rings: LevelRings;
  /** Of each unit the boxes of its polygons. */
  boxes: readonly (readonly Box[])[];
  /** The polygons that the last unit was compared with, by their boxes: the next one is often beside it. */
  made: ReadonlyMap<Box, Geometry>;
}

export function newAbove(rings: LevelRings): Above {
  const boxes = Array.from(rings.unitEnds, (_, unit) => boxesOf(unitPolygons(rings, unit)));
  return { rings, boxes, made: new Map() };
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

/**
 * The unit that holds most of a unit, by the areas that they share; undefined if none holds any. Rings are cut at the
 * antimeridian, so that areas are the same across it.
 */
export function holderOfMost(rings: LevelRings, unit: number, above: Above): number | undefined {
  const polygons = unitPolygons(rings, unit);
  if (polygons.length === 0) return undefined;
  const own = boxesOf(polygons);
  const geometry = toValid(polygons);
  const used = new Map<Box, Geometry>();
  let best: { unit: number; area: number } | undefined;
  for (const [other, boxes] of above.boxes.entries()) {
    const near = boxes.flatMap((box, i) => (own.some((one) => overlap(one, box)) ? [{ box, i }] : []));
    if (near.length === 0) continue;
    const others = unitPolygons(above.rings, other);
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
  rings: LevelRings,
  unit: number,
  above: Above,
): number | undefined {
  // Degrees of longitude are as long as those of latitude when they are multiplied by this.
  const narrow = Math.cos((latitude * Math.PI) / 180);
  const y = latitude * rings.scale;
  const turns = [0, -360, 360].map((turn) => (longitude + turn) * rings.scale);
  let best: { unit: number; distance: number } | undefined;
  let reach = boxesOf(unitPolygons(rings, unit))
    .map(([west, south, east, north]) => Math.max((east - west) * narrow, north - south))
    .reduce((a, b) => Math.max(a, b), -1);
  for (const [other, boxes] of above.boxes.entries())
    for (const x of turns) {
      if (boxes.every((box) => isBeyond(x, y, box, narrow, reach))) continue;
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

function boxesOf(polygons: readonly OpenPolygon[]): Box[] {
  return polygons.map((polygon) => boxOfOpen(elementAt(polygon, 0)));
}

function overlap(a: Box, b: Box): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}
