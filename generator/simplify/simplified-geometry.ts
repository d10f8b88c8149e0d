// The geometries `medium` and `low` of a level, or of levels that nest: all units are simplified at once, borders that
// units share stay shared, every unit with an area keeps a ring, and what has come to cross itself is taken at half the
// tolerance. It is our own: the coverage simplification of GEOS needs GEOS 3.12, where Debian 12 has 3.11, and
// gdal-async has no binding of it. mapshaper 0.7.70 would do for size: 10,000 units with 40 million positions took it
// 26 s and 1.4 GB. But small units are not recognisable afterwards: of 35,283 communes 6,254 changed their area by more
// than a fifth at 1 km, and 584 at 450 m, which leaves about as many positions as 1 km does here, where 3 do. And its
// packages have 160 MB.
import { numberAt } from '../../format/element-at.ts';
import { SPHERE_METRES } from '../../format/neighbours.ts';
import { isValid } from '../gdal/valid-polygons.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { Coordinates } from '../rings/coordinates.ts';
import { boxOfOpen, type OpenPolygon, type OpenRing } from '../rings/open-rings.ts';
import { type FlatRings, type RingsByUnit, unitPolygons } from '../topology/level-rings.ts';
import { type Grid, shareArcs } from '../topology/shared-arcs.ts';
import { keepShapes } from './keep-shapes.ts';
import { mendUnits } from './mend-units.ts';
import { simplifyArcs, weighArcs } from './simplify-arcs.ts';
import { UnitRings } from './unit-rings.ts';

/** A simplified geometry by its name in requests. */
export type SimplifiedName = 'medium' | 'low';

/** Decimals of the coordinates, and the tolerance in metres. */
const DETAIL: Readonly<Record<SimplifiedName, { decimals: number; tolerance: number }>> = {
  medium: { decimals: 4, tolerance: 100 },
  low: { decimals: 3, tolerance: 1000 },
};

/** The most by which the area of a ring that stays may change, as a share of it: small units remain recognisable. */
const CHANGE_MAX = 0.1;

/** A unit that was simplified. */
export interface SimplifiedShape {
  /**
   * In whole units of the last decimal: rings that are not closed, exterior ones counter-clockwise, holes clockwise.
   * Empty if the unit has no area: its full geometry serves.
   */
  polygons: OpenPolygon[];
  /** Was nothing left of its rings? Then it is the cell in the middle of them: a shape that the source does not have. */
  isCell: boolean;
}

/** The simplified units of levels, by position, which is counted on from level to level. */
export interface SimplifiedUnits {
  shape(position: number): SimplifiedShape;
  /** The units that are not valid (OGC 06-103r4), ascending. What is invalid in the source stays so. */
  invalid: readonly number[];
}

/** Gives polygons to a sink as closed rings, with the area 0: they run as they should already. */
export function givePolygons(polygons: readonly OpenPolygon[], sink: RingSink): void {
  const positions = new Coordinates();
  for (const polygon of polygons)
    for (const [number, ring] of polygon.entries()) {
      const count = ring.length / 2;
      positions.resize(count + 1);
      for (let i = 0; i <= count; i++)
        positions.set(i, numberAt(ring, 2 * (i % count)), numberAt(ring, 2 * (i % count) + 1));
      sink.ring(positions, number > 0, 0);
    }
}

/** Decimals of the coordinates of a simplified geometry. @param precision of the full one */
export function decimalsOf(name: SimplifiedName, precision: number): number {
  return Math.min(DETAIL[name].decimals, precision);
}

/**
 * Makes a function that simplifies the units of levels together. Borders are shared on the grid of `medium`, also those
 * of `low`, and weighed once: each geometry has the points above a weight.
 * @param levels of one precision; more than one where they nest
 */
export function simplifierOf(levels: readonly RingsByUnit[]): (name: SimplifiedName) => SimplifiedUnits {
  const scale = levels[0]?.scale ?? 1;
  const gridOf = (name: SimplifiedName): Grid => {
    const perDegree = 10 ** decimalsOf(name, Math.round(Math.log10(scale)));
    const [right, top] = [180 * perDegree, 90 * perDegree];
    return { cell: scale / perDegree, scale, left: -right, bottom: -top, right, top };
  };
  const finest = gridOf('medium');
  const shared = shareArcs(levels, finest.cell);
  const weights = weighArcs(shared, finest);
  const unitAt = (position: number): FlatRings => {
    let before = 0;
    for (const level of levels) {
      if (position < before + level.count) return level.at(position - before);
      before += level.count;
    }
    throw new RangeError(`no unit is at position ${position}`);
  };
  return (name) => {
    const grid = gridOf(name);
    const limit = limitOf(DETAIL[name].tolerance, grid);
    const simplified = simplifyArcs(shared, weights, limit * (grid.cell / finest.cell) ** 2);
    const rings = new UnitRings(shared, simplified, grid, limit);
    keepShapes(rings, CHANGE_MAX);
    const invalid = mendUnits(rings, (position) => isValid(unitPolygons(unitAt(position))));
    const moved = (ring: OpenRing): number[] => ring.map((place, i) => place - (i % 2 === 0 ? grid.right : grid.top));
    return {
      shape(position) {
        const polygons = rings.polygons(position);
        const cell = polygons.length === 0 ? cellOf(unitAt(position), grid) : undefined;
        const own = cell === undefined ? polygons : [[cell]];
        return { polygons: own.map((polygon) => polygon.map(moved)), isCell: cell !== undefined };
      },
      invalid,
    };
  };
}

/** Kilometres are measured on a sphere with the mean radius of the Earth. */
const METRES_PER_DEGREE = (SPHERE_METRES * Math.PI) / 180;

/** The area below which triangles, islands and holes go, in cells at the equator: half the square of the tolerance. */
function limitOf(tolerance: number, { cell, scale }: Grid): number {
  return (tolerance * scale) ** 2 / (METRES_PER_DEGREE * cell) ** 2 / 2;
}

/** The cell in the middle of the first ring of a unit; undefined if it has none. */
function cellOf(unit: FlatRings, grid: Grid): OpenRing | undefined {
  const [ring] = unitPolygons(unit).flat();
  if (ring === undefined) return undefined;
  const [west, south, east, north] = boxOfOpen(ring);
  const cellAt = (middle: number, from: number, to: number): number =>
    Math.max(0, Math.min(Math.floor(middle / grid.cell), to - 1) - from);
  const left = cellAt((west + east) / 2, grid.left, grid.right);
  const bottom = cellAt((south + north) / 2, grid.bottom, grid.top);
  return [left, bottom, left + 1, bottom, left + 1, bottom + 1, left, bottom + 1];
}
