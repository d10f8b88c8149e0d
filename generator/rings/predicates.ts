// Questions about positions, edges and rings whose answers have to be exact, as polygons are taken apart by them. Each
// says for which whole numbers it is: the grids of simplified geometries and tiles have places below 2^25, published
// positions have up to 12 decimals.
import { numberAt } from '../../format/element-at.ts';

/**
 * Twice the area of a triangle: positive if its corners run counter-clockwise, 0 if they are in line. Exact below 2^25;
 * `turnOf` beyond.
 */
export function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
}

/** Do two edges cross elsewhere than at an end of either? Exact below 2^25. */
export function doCross(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  if (turn(ax, ay, bx, by, cx, cy) * turn(ax, ay, bx, by, dx, dy) >= 0) return false;
  return turn(cx, cy, dx, dy, ax, ay) * turn(cx, cy, dx, dy, bx, by) < 0;
}

/** The same, also at an end, of two that do not lie in one line. */
export function haveCommonPoint(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  if (turn(ax, ay, bx, by, cx, cy) * turn(ax, ay, bx, by, dx, dy) > 0) return false;
  return turn(cx, cy, dx, dy, ax, ay) * turn(cx, cy, dx, dy, bx, by) <= 0;
}

/** Is a place on an edge, between its ends? Exact below 2^25. */
export function isOnEdge(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return isWithin(ax, ay, bx, by, x, y) && turn(ax, ay, bx, by, x, y) === 0;
}

/** Does a place that is in line with an edge lie between its ends? */
export function isWithin(ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean {
  return isBetween(ax, bx, x) && isBetween(ay, by, y);
}

function isBetween(from: number, to: number, own: number): boolean {
  return from === to ? own === from : own > Math.min(from, to) && own < Math.max(from, to);
}

/**
 * Is a position inside of a ring (1), outside (-1) or on it (0)? Even-odd, exact below 2^52.
 * @param ring x and y, one after the other, not closed
 */
export function sideOf(x: number, y: number, ring: readonly number[]): -1 | 0 | 1 {
  let isIn = false;
  for (let i = 0; i < ring.length; i += 2) {
    const side = sideOfEdge(x, y, ring, i);
    if (side === 0) return 0;
    if (side > 0) isIn = !isIn;
  }
  return isIn ? 1 : -1;
}

/**
 * Does the way east from a position cross the edge that begins at an index of a ring (1), or not (-1), or is it on it
 * (0)? Exact below 2^52.
 */
export function sideOfEdge(x: number, y: number, ring: readonly number[], i: number): -1 | 0 | 1 {
  const after = i + 2 === ring.length ? 0 : i + 2;
  const [y1, y2] = [numberAt(ring, i + 1), numberAt(ring, after + 1)];
  if ((y1 > y && y2 > y) || (y1 < y && y2 < y)) return -1;
  const [x1, x2] = [numberAt(ring, i), numberAt(ring, after)];
  if (x1 < x && x2 < x) return -1;
  const side = turnOf(x2 - x1, y2 - y1, x - x1, y - y1);
  if (side === 0 && Math.min(x1, x2) <= x) return 0;
  return y1 > y !== y2 > y && side > 0 === y2 > y1 ? 1 : -1;
}

/** A number with the sign of the turn from one vector to another; positive to the left. Exact below 2^53. */
function turnOf(ax: number, ay: number, bx: number, by: number): number {
  const [left, right] = [ax * by, ay * bx];
  const difference = left - right;
  // Products beyond 2^53 are rounded by at most 2^-53 of themselves.
  if (Math.abs(left) <= Number.MAX_SAFE_INTEGER || Math.abs(difference) > Math.abs(left) * Number.EPSILON * 2)
    return difference;
  return Number(BigInt(ax) * BigInt(by) - BigInt(ay) * BigInt(bx));
}
