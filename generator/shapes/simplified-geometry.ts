// The geometries `medium` and `low` of a level: simplified polygons of every unit, and their GeoJSON. Used in a child
// process, one level at a time, from the rings that were collected while the level was read.
import { closedRing, type OpenPolygon, type OpenRing } from './assemble-polygons.ts';
import type { LevelRings } from './level-rings.ts';
import { limitOf, newSimplifier } from './simplify-level.ts';

/** A simplified geometry by its name in requests. */
export type SimplifiedName = 'medium' | 'low';

/** Decimals of the coordinates, and the tolerance in metres. */
const DETAIL: Readonly<Record<SimplifiedName, { decimals: number; tolerance: number }>> = {
  medium: { decimals: 4, tolerance: 100 },
  low: { decimals: 3, tolerance: 1000 },
};

/** The most by which the area of a ring that stays may change, as a share of it: small units remain recognisable. */
const CHANGE_MAX = 0.1;

/** The simplified units of a level. */
export interface SimplifiedUnits {
  /** Decimals of their coordinates. */
  decimals: number;
  /**
   * The polygons of the unit at a position, in whole units of the last decimal: rings that are not closed, exterior
   * ones counter-clockwise, holes clockwise. Empty if it has no polygon with an area: then its full geometry serves.
   */
  polygons(position: number): OpenPolygon[];
  /** Units that are not valid (OGC 06-103r4). */
  invalid: number;
}

/** Simplifies a level. */
export function simplifyUnits(rings: LevelRings, name: SimplifiedName): SimplifiedUnits {
  const { scale } = rings;
  const { tolerance } = DETAIL[name];
  const decimals = Math.min(DETAIL[name].decimals, Math.round(Math.log10(scale)));
  const perDegree = 10 ** decimals;
  const [right, top] = [180 * perDegree, 90 * perDegree];
  const grid = { cell: scale / perDegree, scale, left: -right, bottom: -top, right, top };
  const { polygons, mend } = newSimplifier([rings], grid, CHANGE_MAX)(limitOf(tolerance, grid));
  const invalid = mend(false);
  const moved = (ring: OpenRing): number[] => ring.map((place, i) => place - (i % 2 === 0 ? right : top));
  return {
    decimals,
    polygons: (position) => polygons(position).map((polygon) => polygon.map(moved)),
    invalid,
  };
}

/** Polygons as a GeoJSON geometry: a MultiPolygon if there are several, or if `isMulti`. */
export function polygonsToJson(polygons: readonly OpenPolygon[], isMulti: boolean, decimals: number): Buffer {
  const scale = 10 ** decimals;
  const all = polygons.map((polygon) =>
    polygon.map((ring) => closedRing(ring).map(([x, y]) => [x / scale, y / scale])),
  );
  const isSeveral = isMulti || all.length > 1;
  return Buffer.from(
    JSON.stringify({ type: isSeveral ? 'MultiPolygon' : 'Polygon', coordinates: isSeveral ? all : all[0] }),
  );
}
