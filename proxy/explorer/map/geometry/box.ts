// Boxes of units on the globe: [west, south, east, north] in degrees, west > east where one crosses the antimeridian.

export type Box = [west: number, south: number, east: number, north: number];

const TURN = 360;
/** Boxes that span more than this are fitted as the world. */
const WORLD_DEGREES = 300;
const HALF_TURN = 180;
/** Gaps between boxes smaller than this are rounding, in degrees. */
const EPSILON = 1e-6;

/**
 * The smallest box round others: it leaves out the widest gap between them.
 * @returns undefined for none
 */
export function unionOf(boxes: readonly Box[]): Box | undefined {
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
 * @param east less than west where the way crosses the antimeridian
 */
function widthOf(west: number, east: number) {
  return Math.min(east < west ? east - west + TURN : east - west, TURN);
}

/** Is a box shown as the world? */
export function isWorld([west, , east]: Box) {
  return widthOf(west, east) > WORLD_DEGREES;
}

/** Whether all of a box lies in another one. */
export function covers(outer: Box, inner: Box) {
  if (inner[1] < outer[1] || inner[3] > outer[3]) return false;
  const offset = (inner[0] - outer[0] + 2 * TURN) % TURN;
  return offset + widthOf(inner[0], inner[2]) <= widthOf(outer[0], outer[2]);
}

/** A longitude between -180 (included) and 180. */
function wrapped(longitude: number) {
  return ((((longitude + HALF_TURN) % TURN) + TURN) % TURN) - HALF_TURN;
}
