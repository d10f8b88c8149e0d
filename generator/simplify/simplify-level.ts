// Simplifies all units of one or several levels at once: borders that units share stay shared, every unit with an area
// keeps a ring, and what has come to cross itself is taken at half the tolerance. Used for `medium` and `low`. It is
// our own: the coverage simplification of GEOS needs GEOS 3.12, where Debian 12 has 3.11, and
// gdal-async has no binding of it. mapshaper 0.7.70 would do for size: 10,000 units with 40 million positions took it
// 26 s and 1.4 GB. But small units are not recognisable afterwards: of 35,283 communes 6,254 changed their area by more
// than a fifth at 1 km, and 584 at 450 m, which leaves about as many positions as 1 km does here, where 3 do. And its
// packages have 160 MB.
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import type { OpenPolygon, OpenRing } from '../rings/open-rings.ts';
import { endBefore, type LevelRings, type RingsByUnit, unitPolygons } from '../topology/level-rings.ts';
import { type Grid, shareArcs } from '../topology/shared-arcs.ts';
import { keepShapes } from './keep-shapes.ts';
import { mendUnits } from './mend-units.ts';
import { simplifyArcs, weighArcs } from './simplify-arcs.ts';
import { UnitRings } from './unit-rings.ts';

/** A unit that was simplified. */
export interface SimplifiedShape {
  /** In cells of the grid; empty if the unit has no area. */
  polygons: OpenPolygon[];
  /** Was nothing left of its rings? Then it is the cell in the middle of them: a shape that the source does not have. */
  isCell: boolean;
}

/** The units of one or several levels, each with simplified polygons. */
export interface SimplifiedLevels {
  /** @param position counted on from level to level */
  shape(position: number): SimplifiedShape;
  /**
   * Makes polygons valid (OGC 06-103r4): what crosses is taken at half the tolerance, and again, and its neighbours
   * with it. What is invalid in the source stays so.
   * @returns the units that are not valid, ascending
   */
  mend(): number[];
}

/** Kilometres are measured on a sphere with the mean radius of the Earth. */
const METRES_PER_DEGREE = (SPHERE_METRES * Math.PI) / 180;

/** The limit for a tolerance in metres: half its square. */
export function limitOf(tolerance: number, { cell, scale }: Grid): number {
  return (tolerance * scale) ** 2 / (METRES_PER_DEGREE * cell) ** 2 / 2;
}

/**
 * Makes a function that simplifies levels. Their arcs are weighed once: every detail is a cut of these weights.
 * @param grid on which arcs are shared and weighed
 * @param change the most by which the area of a ring that stays may change, as a share of it
 * @returns a function of the area below which triangles, islands and holes go, in cells at the equator of the grid on
 *   which the polygons are: that of the arcs, or a coarser one
 */
export function newSimplifier(
  levels: readonly RingsByUnit[],
  grid: Grid,
  change: number,
): (limit: number, coarser?: Grid) => SimplifiedLevels {
  const shared = shareArcs(levels, grid.cell);
  const weights = weighArcs(shared, grid);
  const unitAt = (position: number): LevelRings => {
    let before = 0;
    for (const level of levels) {
      if (position < before + level.count) return level.at(position - before);
      before += level.count;
    }
    throw new RangeError(`no unit is at position ${position}`);
  };
  return (limit, ofPolygons = grid) => {
    const cut = simplifyArcs(shared, weights, limit * (ofPolygons.cell / grid.cell) ** 2);
    const rings = new UnitRings(shared, cut, ofPolygons, limit);
    keepShapes(rings, change);
    return {
      shape(position) {
        const polygons = rings.polygons(position);
        if (polygons.length > 0) return { polygons, isCell: false };
        const cell = cellOf(unitAt(position), ofPolygons);
        return { polygons: cell === undefined ? [] : [[cell]], isCell: cell !== undefined };
      },
      mend: () => mendUnits(rings, (position) => isValid(unitPolygons(unitAt(position), 0))),
    };
  };
}

/** The cell in the middle of the first ring of a unit; undefined if it has none. */
function cellOf(unit: LevelRings, grid: Grid): OpenRing | undefined {
  if (unit.ringEnds.length === 0) return undefined;
  const end = endBefore(unit.ringEnds, 1);
  const [left, bottom] = [unit.x, unit.y].map((values, axis) => {
    const own = values.subarray(0, end);
    const middle = (own.reduce((a, b) => Math.min(a, b)) + own.reduce((a, b) => Math.max(a, b))) / 2;
    const [from, to] = axis === 0 ? [grid.left, grid.right] : [grid.bottom, grid.top];
    return Math.max(0, Math.min(Math.floor(middle / grid.cell), to - 1) - from);
  }) as [number, number];
  return [left, bottom, left + 1, bottom, left + 1, bottom + 1, left, bottom + 1];
}
