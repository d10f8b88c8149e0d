// Boxes of units on the globe: [west, south, east, north] in degrees, west > east where one crosses the antimeridian.

/**
 * @typedef {[number, number, number, number]} Box
 * @typedef {import('geojson').Geometry} Geometry
 * @typedef {import('geojson').Position} Position
 */

const TURN = 360;
const HALF_TURN = 180;
/** Gaps between boxes smaller than this are rounding, in degrees. */
const EPSILON = 1e-6;

/**
 * The smallest box round a geometry, across the antimeridian where that is smaller.
 * @param {Geometry | null} geometry longitudes may lie beyond 180
 */
export function boxOfGeometry(geometry) {
  return unionOf(partsOf(geometry).map(boxOfPositions));
}

/**
 * The smallest box round others: it leaves out the widest gap between them.
 * @param {readonly Box[]} boxes
 * @returns {Box | undefined} undefined for none
 */
export function unionOf(boxes) {
  const spans = boxes.map(([west, , east]) => ({ west: wrapped(west), width: widthOf(west, east) }));
  spans.sort((a, b) => a.west - b.west);
  const [first] = spans;
  if (first === undefined) return undefined;
  let gap = -Infinity;
  let start = first.west;
  let reach = first.west + first.width;
  for (const { west, width } of spans.slice(1)) {
    if (west - reach > gap) [gap, start] = [west - reach, west];
    reach = Math.max(reach, west + width);
  }
  // The gap between the last and the first one, round the globe.
  if (first.west + TURN - reach >= gap) [gap, start] = [first.west + TURN - reach, first.west];
  const south = Math.min(...boxes.map((box) => box[1]));
  const north = Math.max(...boxes.map((box) => box[3]));
  if (gap < EPSILON) return [-HALF_TURN, south, HALF_TURN, north];
  const end = start + TURN - gap;
  return [start, south, end > HALF_TURN ? end - TURN : end, north];
}

/**
 * Degrees of longitude from west to east.
 * @param {number} west
 * @param {number} east less than west where the way crosses the antimeridian
 */
export function widthOf(west, east) {
  return Math.min(east < west ? east - west + TURN : east - west, TURN);
}

/**
 * Whether two boxes have a place in common.
 * @param {Box} a
 * @param {Box} b
 */
export function overlaps(a, b) {
  if (a[1] > b[3] || b[1] > a[3]) return false;
  const offset = (b[0] - a[0] + 2 * TURN) % TURN;
  return offset <= widthOf(a[0], a[2]) || TURN - offset <= widthOf(b[0], b[2]);
}

/**
 * Whether all of a box lies in another one.
 * @param {Box} outer
 * @param {Box} inner
 */
export function covers(outer, inner) {
  if (inner[1] < outer[1] || inner[3] > outer[3]) return false;
  const offset = (inner[0] - outer[0] + 2 * TURN) % TURN;
  return offset + widthOf(inner[0], inner[2]) <= widthOf(outer[0], outer[2]);
}

/**
 * The exterior ring of each polygon.
 * @param {import('geojson').Polygon | import('geojson').MultiPolygon} geometry
 * @returns {Position[][]}
 */
export function exteriorRings(geometry) {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  return polygons.flatMap((polygon) => polygon.slice(0, 1));
}

/**
 * The exterior rings of polygons; other geometries as they are.
 * @param {Geometry | null} geometry
 * @returns {Position[][]}
 */
function partsOf(geometry) {
  if (geometry === null) return [];
  if (geometry.type === 'Polygon' || geometry.type === 'MultiPolygon') return exteriorRings(geometry);
  if (geometry.type === 'LineString' || geometry.type === 'MultiPoint') return [geometry.coordinates];
  if (geometry.type === 'MultiLineString') return geometry.coordinates;
  if (geometry.type === 'Point') return geometry.coordinates.length > 1 ? [[geometry.coordinates]] : [];
  return geometry.geometries.flatMap(partsOf);
}

/**
 * @param {readonly Position[]} positions
 * @returns {Box}
 */
export function boxOfPositions(positions) {
  /** @type {Box} */
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x = Number.NaN, y = Number.NaN] of positions) {
    if (x < box[0]) box[0] = x;
    if (y < box[1]) box[1] = y;
    if (x > box[2]) box[2] = x;
    if (y > box[3]) box[3] = y;
  }
  return box;
}

/**
 * A longitude between -180 (included) and 180.
 * @param {number} longitude
 */
function wrapped(longitude) {
  return ((((longitude + HALF_TURN) % TURN) + TURN) % TURN) - HALF_TURN;
}
