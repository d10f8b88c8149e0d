// The area of a unit on the ellipsoid of WGS 84, and whether the unit is torn at the antimeridian.
import type { Geometry, Position } from 'geojson';

/** Semi-major axis in km, and first eccentricity, of WGS 84. */
const AXIS_KM = 6378.137;
const ECCENTRICITY = Math.sqrt(0.00669437999014);
const RADIAN = Math.PI / 180;
const TURN = 360;

/**
 * Edges are straight on a map of equal area: from a geodesic this differs by less than 0.01% for edges of up to 50 km.
 * @returns km², 0 without polygons
 */
export function areaKm2(geometry: Geometry | null): number {
  return polygonsOf(geometry).reduce((sum, [exterior = [], ...holes]) => {
    return sum + ringArea(exterior) - holes.reduce((total, hole) => total + ringArea(hole), 0);
  }, 0);
}

/** Does a ring jump from one side of the map to the other, instead of being cut at the antimeridian? */
export function isTorn(geometry: Geometry | null) {
  const rings = polygonsOf(geometry).flat();
  return rings.some((ring) => ring.some(([x = 0], i) => isJump(x - (ring.at(i - 1)?.[0] ?? x))));
}

function polygonsOf(geometry: Geometry | null): Position[][][] {
  if (geometry?.type === 'MultiPolygon') return geometry.coordinates;
  return geometry?.type === 'Polygon' ? [geometry.coordinates] : [];
}

/**
 * Goes an edge the short way across the antimeridian? A whole turn is an edge along a parallel or a pole.
 * @param step degrees of longitude from its start to its end
 */
function isJump(step: number) {
  return Math.abs(step) > TURN / 2 && Math.abs(step) < TURN;
}

function ringArea(ring: readonly Position[]) {
  let [sum, turned] = [0, 0];
  let [before = 0, beforeY = 0] = ring.at(-1) ?? [];
  let beforeHeight = height(beforeY);
  for (const [x = 0, y = 0] of ring) {
    const now = height(y);
    const step = x - before;
    const short = isJump(step) ? step - Math.sign(step) * TURN : step;
    turned += short;
    sum += short * RADIAN * (now + beforeHeight);
    [before, beforeHeight] = [x, now];
  }
  // A ring that goes round a pole has the pole inside: the rest of its hemisphere.
  const isRound = Math.abs(turned) > TURN / 2;
  const doubled = isRound ? 2 * TURN * RADIAN * height(90) - Math.abs(sum) : Math.abs(sum);
  return (doubled / 4) * AXIS_KM ** 2;
}

/**
 * The area from the equator to a latitude, for one radian of longitude, in halves of the squared axis (J. P. Snyder,
 * Map Projections: A Working Manual, 3-12).
 * @param latitude in degrees
 */
function height(latitude: number) {
  const sine = Math.sin(latitude * RADIAN);
  const e = ECCENTRICITY;
  const logarithm = Math.log((1 - e * sine) / (1 + e * sine));
  return (1 - e * e) * (sine / (1 - e * e * sine * sine) - logarithm / (2 * e));
}
