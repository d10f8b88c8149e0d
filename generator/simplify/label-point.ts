// The geometry `point` of a unit: its visual centre, inside its full geometry. The only file that knows the package
// polylabel, which finds the pole of inaccessibility (Garcia-Castellanos and Lombardo 2007) with a quadtree.
import polylabel from 'polylabel';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { boxOfOpen, closedRing, doubledArea, eachEdge, type OpenPolygon, type OpenRing } from '../rings/open-rings.ts';
import { sideOf } from '../rings/predicates.ts';
import { type FlatRings, unitPolygons } from '../topology/level-rings.ts';

/** Longitude and latitude in scaled degrees, as those of the rings. */
export type LabelPoint = readonly [x: number, y: number];

/** The pole is exact to this share of the smaller side of its polygon. */
const PRECISION = 1 / 64;

/** A polygon that is longer, for its width, is made wider while its pole is sought. */
const LENGTH_MAX = 100;

/**
 * The point of a unit: the pole of inaccessibility of its largest polygon in `medium`, or that of the
 * full geometry if the first one is not inside of it, or the middle of the unit where it is widest if that is not,
 * either; undefined for a unit without area.
 * @param rings the full geometry
 * @param medium its simplified polygons, empty if it has no area, with so many decimals
 */
export function labelPoint(rings: FlatRings, medium: readonly OpenPolygon[], decimals: number): LabelPoint | undefined {
  if (medium.length === 0) return undefined;
  const cell = rings.scale / 10 ** decimals;
  const full = unitPolygons(rings);
  const [x, y] = poleOf(medium, 10 ** decimals);
  const pole = [Math.round(x * cell), Math.round(y * cell)] as const;
  if (contains(full, pole)) return pole;
  const other = roundedPole(full, rings.scale);
  return contains(full, other) ? other : (middleOf(full) ?? other);
}

function roundedPole(polygons: readonly OpenPolygon[], scale: number): LabelPoint {
  const [x, y] = poleOf(polygons, scale);
  return [Math.round(x), Math.round(y)];
}

/**
 * How wide a text can be that is centred at a point of a unit and stays inside, in scaled degrees; 0 if the point is
 * not inside.
 */
export function widthAround(polygons: readonly OpenPolygon[], [x, y]: LabelPoint): number {
  const crossings = crossingsAt(y, polygons.flat());
  const after = crossings.findIndex((crossing) => crossing > x);
  if (after < 1 || after % 2 === 0) return 0;
  return 2 * Math.min(x - numberAt(crossings, after - 1), numberAt(crossings, after) - x);
}

/** The area of a unit as a share of that of the globe, over which it is drawn evenly; 0 without rings. */
export function shareOfGlobe(polygons: readonly OpenPolygon[], scale: number): number {
  const even = polygons.flat().map((ring) => ring.map((at, i) => (i % 2 === 0 ? at / scale : sineOf(at / scale))));
  return even.reduce((sum, ring) => sum + doubledArea(ring), 0) / 2 / 720;
}

function sineOf(degrees: number): number {
  return Math.sin((degrees / 180) * Math.PI);
}

/** Is a position inside of polygons and on no border (even-odd)? */
function contains(polygons: readonly OpenPolygon[], [x, y]: LabelPoint): boolean {
  const sides = polygons.flat().map((ring) => sideOf(x, y, ring));
  return !sides.includes(0) && sides.filter((side) => side > 0).length % 2 === 1;
}

/** Lines from west to east on which the widest place of a polygon is sought. */
const LINES = 64;

/**
 * The middle of the widest stretch of a line from west to east that is inside of polygons, across the largest of them;
 * undefined if none has a whole position inside.
 */
function middleOf(polygons: readonly OpenPolygon[]): LabelPoint | undefined {
  const rings = polygons.flat();
  const [, south, , north] = boxOfOpen(elementAt(largestOf(polygons), 0));
  const lines = Array.from({ length: LINES }, (_, i) => Math.round(south + ((north - south) * (i + 0.5)) / LINES));
  const widest = lines.map((y) => ({ y, ...widestAt(y, rings) })).sort((a, b) => b.width - a.width);
  const points = widest.map(({ x, y }): LabelPoint => [Math.round(x), y]);
  return points.find((point) => contains(polygons, point));
}

/** The widest stretch of a line from west to east inside of rings (even-odd), and its middle. */
function widestAt(y: number, rings: readonly OpenRing[]): { x: number; width: number } {
  const crossings = crossingsAt(y, rings);
  let best = { x: 0, width: 0 };
  for (let i = 1; i < crossings.length; i += 2) {
    const [west, east] = [numberAt(crossings, i - 1), numberAt(crossings, i)];
    if (east - west > best.width) best = { x: (west + east) / 2, width: east - west };
  }
  return best;
}

/** Where a line from west to east crosses rings, ascending. */
function crossingsAt(y: number, rings: readonly OpenRing[]): number[] {
  const crossings: number[] = [];
  for (const ring of rings)
    eachEdge(ring, (x1, y1, x2, y2) => {
      if (y1 > y !== y2 > y) crossings.push(x1 + ((y - y1) * (x2 - x1)) / (y2 - y1));
    });
  return crossings.sort((a, b) => a - b);
}

function largestOf(polygons: readonly OpenPolygon[]): OpenPolygon {
  const areas = polygons.map((polygon) => polygon.reduce((sum, ring) => sum + doubledArea(ring), 0));
  return elementAt(polygons, areas.indexOf(areas.reduce((a, b) => Math.max(a, b))));
}

/** The pole of the largest polygon, found where a degree of longitude is as long as one of latitude. */
function poleOf(polygons: readonly OpenPolygon[], scale: number): LabelPoint {
  const largest = largestOf(polygons);
  const [west, south, east, north] = boxOfOpen(elementAt(largest, 0));
  const width = (east - west) * Math.cos(((south + north) / 2 / scale / 180) * Math.PI);
  const height = north - south;
  // polylabel begins with squares as wide as the narrower side: of a very narrow polygon there would be millions.
  const across = Math.max(width, height / LENGTH_MAX) / (east - west);
  const along = Math.max(height, width / LENGTH_MAX) / height;
  const scaled = largest.map((ring) => closedRing(ring).map(([x, y]): [number, number] => [x * across, y * along]));
  const side = Math.min((east - west) * across, height * along);
  const [x, y] = polylabel(scaled, side * PRECISION);
  return [x / across, y / along];
}
