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
  const wests = Float64Array.from(boxes, ([west]) => wrapped(west)).sort();
  const easts = Float64Array.from(boxes, ([west, , east]) => wrapped(west) + widthOf(west, east)).sort();
  const last = easts.at(-1);
  if (last === undefined) return undefined;
  /** How far one reaches that comes round the globe. */
  const round = last - TURN;
  let [gap, start] = [-Infinity, 0];
  // Before a gap as many have ended as have begun.
  for (const [i, west] of wests.entries()) {
    const free = west - Math.max(round, easts[i - 1] ?? round);
    if (free > gap) [gap, start] = [free, west];
  }
  const south = boxes.reduce((least, box) => Math.min(least, box[1]), Infinity);
  const north = boxes.reduce((most, box) => Math.max(most, box[3]), -Infinity);
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
