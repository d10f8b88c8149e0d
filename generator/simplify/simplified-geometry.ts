// The geometries `medium` and `low` of a level, or of levels that nest: simplified polygons of every unit. Used in
// child processes, from the rings that were collected while the levels were read.
import { numberAt } from '../../format/element-at.ts';
import type { RingSink } from '../rings/coordinates.ts';
import { Coordinates } from '../rings/coordinates.ts';
import type { OpenPolygon, OpenRing } from '../rings/open-rings.ts';
import type { RingsByUnit } from '../topology/level-rings.ts';
import type { Grid } from '../topology/shared-arcs.ts';
import { limitOf, newSimplifier, type SimplifiedShape } from './simplify-level.ts';

/** A simplified geometry by its name in requests. */
export type SimplifiedName = 'medium' | 'low';

/** Decimals of the coordinates, and the tolerance in metres. */
const DETAIL: Readonly<Record<SimplifiedName, { decimals: number; tolerance: number }>> = {
  medium: { decimals: 4, tolerance: 100 },
  low: { decimals: 3, tolerance: 1000 },
};

/** The most by which the area of a ring that stays may change, as a share of it: small units remain recognisable. */
const CHANGE_MAX = 0.1;

/** The simplified units of levels. */
export interface SimplifiedUnits {
  /**
   * The unit at a position, counted on from level to level. Polygons are in whole units of the last decimal: rings that
   * are not closed, exterior ones counter-clockwise, holes clockwise. Without polygons its full geometry serves.
   */
  shape(position: number): SimplifiedShape;
  /** Positions of the units that are not valid (OGC 06-103r4), ascending. */
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
 * of `low`.
 * @param levels of one precision; more than one where they nest
 */
export function simplifierOf(levels: readonly RingsByUnit[]): (name: SimplifiedName) => SimplifiedUnits {
  const scale = levels[0]?.scale ?? 1;
  const gridOf = (name: SimplifiedName): Grid => {
    const perDegree = 10 ** decimalsOf(name, Math.round(Math.log10(scale)));
    const [right, top] = [180 * perDegree, 90 * perDegree];
    return { cell: scale / perDegree, scale, left: -right, bottom: -top, right, top };
  };
  const simplify = newSimplifier(levels, gridOf('medium'), CHANGE_MAX);
  return (name) => {
    const grid = gridOf(name);
    const { shape, mend } = simplify(limitOf(DETAIL[name].tolerance, grid), grid);
    const invalid = mend();
    const moved = (ring: OpenRing): number[] => ring.map((place, i) => place - (i % 2 === 0 ? grid.right : grid.top));
    return {
      shape(position) {
        const { polygons, isCell } = shape(position);
        return { polygons: polygons.map((polygon) => polygon.map(moved)), isCell };
      },
      invalid,
    };
  };
}
