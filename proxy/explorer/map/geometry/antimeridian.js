// Units that cross the antimeridian in one piece: longitudes go on beyond 180 (the map repeats the world), and the
// edges along which the data is cut are not drawn. Used for the few units that span more than half the globe.
import { boxOfPositions, unionOf } from './box.js';

/**
 * @typedef {import('geojson').Position} Position
 * @typedef {import('geojson').Polygon | import('geojson').MultiPolygon} Areal
 */

const TURN = 360;
const HALF_TURN = 180;
const POLE = 90;
/** A longer edge across the antimeridian or up to it is a seam that the source made, no border. */
const SEAM_DEGREES = 5;
/** Seams end near the antimeridian: on it, but for the rounding of the overview. */
const NEAR_DEGREES = 0.05;
/** Positions so near the antimeridian lie on it, in degrees. */
const EPSILON = 0.001;

/**
 * @param {Areal} geometry a step of more than 180 degrees of longitude goes the short way round
 * @returns {{ geometry: import('geojson').MultiPolygon, outline: import('geojson').MultiLineString }} the outline has
 * no
 *   edges along the antimeridian, at a pole, or along seams of the source
 */
export function inOnePiece(geometry) {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const parts = polygons.map((polygon) => polygon.map(unroll)).filter((rings) => rings.length > 0);
  const [west = -HALF_TURN] = unionOf(parts.map(([exterior = []]) => boxOfPositions(exterior))) ?? [];
  const aligned = parts.map((rings) => alignedTo(west, rings));
  // A source that made one seam made others, inside of the unit.
  const hasSeams = aligned.flat().some((ring) =>
    ring.some((position, i) => {
      const before = ring[i - 1] ?? position;
      return isSeam(before, position) && !isCutEdge(before, position);
    }),
  );
  const isCut = hasSeams ? isCutOrLong : isCutEdge;
  return {
    geometry: { type: 'MultiPolygon', coordinates: aligned.map((rings) => rings.map(closed)) },
    outline: { type: 'MultiLineString', coordinates: aligned.flat().flatMap((ring) => withoutCuts(ring, isCut)) },
  };
}

/**
 * Makes the longitudes of a ring continuous. A ring that only has steps from -180 to 180, a rectangle round the world,
 * stays as it is; so does one that is closed only if its step along a pole, as Antarctica has one, is no short way.
 * @param {Position[]} ring
 */
function unroll(ring) {
  const short = continued(ring, () => true);
  const unrolled = isOpen(short) ? continued(ring, (a, b) => !(atPole(a) && atPole(b))) : short;
  const [west, , east] = boxOfPositions(unrolled);
  return east - west > EPSILON ? unrolled : ring;
}

/**
 * @param {Position[]} ring
 * @param {(a: Position, b: Position) => boolean} isShort does a step of more than 180 degrees go the short way?
 * @returns {Position[]}
 */
function continued(ring, isShort) {
  let turns = 0;
  return ring.map((position, i) => {
    const [x = Number.NaN, y = Number.NaN] = position;
    const before = ring[i - 1] ?? position;
    const step = x - (before[0] ?? x);
    if (Math.abs(step) > HALF_TURN && isShort(before, position)) turns -= Math.sign(step);
    return [x + turns * TURN, y];
  });
}

/**
 * Does a ring end a turn away from where it begins?
 * @param {Position[]} ring
 */
function isOpen(ring) {
  const [[x = 0] = [], [end = 0] = []] = [ring[0], ring.at(-1)];
  return Math.abs(end - x) >= HALF_TURN;
}

/**
 * Shifts a polygon by whole turns: its west is at most one turn east of the whole unit's, its holes lie in it.
 * @param {number} west
 * @param {Position[][]} rings
 */
function alignedTo(west, rings) {
  const exterior = boxOfPositions(rings[0] ?? []);
  const turns = -Math.floor((exterior[0] - west + EPSILON) / TURN);
  return rings.map((ring) => {
    const box = boxOfPositions(ring);
    const apart = Math.round((exterior[0] + exterior[2] - box[0] - box[2]) / 2 / TURN);
    return ring.map(([x = Number.NaN, y = Number.NaN]) => [x + (turns + apart) * TURN, y]);
  });
}

/**
 * Closes a ring that goes round a pole, by way of the pole.
 * @param {Position[]} ring
 */
function closed(ring) {
  if (!isOpen(ring)) return ring;
  const [[x = 0] = [], [end = 0] = []] = [ring[0], ring.at(-1)];
  const pole = POLE * Math.sign(ring.reduce((sum, [, y = 0]) => sum + y, 0));
  return [...ring, [end, pole], [x, pole], .../** @type {Position[]} */ (ring.slice(0, 1))];
}

/**
 * The lines of a ring between edges that are no borders.
 * @param {Position[]} ring
 * @param {(a: Position, b: Position) => boolean} isCut
 */
function withoutCuts(ring, isCut) {
  /** @type {Position[][]} */
  const lines = [];
  /** @type {Position[]} */
  let line = [];
  for (const position of ring) {
    const last = line.at(-1);
    if (last !== undefined && isCut(last, position)) {
      lines.push(line);
      line = [];
    }
    line.push(position);
  }
  lines.push(line);
  return lines.filter(({ length }) => length > 1);
}

/**
 * @param {Position} a
 * @param {Position} b
 */
function isCutEdge(a, b) {
  return (onAntimeridian(a) && onAntimeridian(b)) || (atPole(a) && atPole(b));
}

/**
 * @param {Position} a
 * @param {Position} b
 */
function isCutOrLong(a, b) {
  return isCutEdge(a, b) || Math.abs((a[0] ?? 0) - (b[0] ?? 0)) > SEAM_DEGREES;
}

/**
 * @param {Position} a
 * @param {Position} b
 */
function isSeam([x = 0], [end = 0]) {
  if (Math.abs(end - x) < SEAM_DEGREES) return false;
  const turn = (/** @type {number} */ longitude) => Math.floor((longitude - HALF_TURN) / TURN);
  return [-NEAR_DEGREES, NEAR_DEGREES].some((near) => turn(x + near) !== turn(end + near));
}

/** @param {Position} position */
function onAntimeridian([x = 0]) {
  return Math.abs((((x % TURN) + TURN) % TURN) - HALF_TURN) < NEAR_DEGREES;
}

/** @param {Position} position */
function atPole([, y = 0]) {
  return Math.abs(y) > POLE - EPSILON;
}
