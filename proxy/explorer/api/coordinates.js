// Points as people write them: two numbers in either order.

/**
 * In degrees, with the order in which it was written.
 * @typedef {{ longitude: number, latitude: number, order?: 'latitude first' | 'longitude first' }} Point
 */

/**
 * Two numbers, perhaps with degree signs and points of the compass; between them a comma, a semicolon, or space alone.
 */
const TWO_NUMBERS =
  /^\s*([+-]?\d+(?:\.\d+)?)\s*°?\s*([NSEW]?)(\s*[,;]\s*|\s+)([+-]?\d+(?:\.\d+)?)\s*°?\s*([NSEW]?)\s*$/i;
/** Digits for about 10 cm. */
const DECIMALS = 6;
const TURN = 360;

/**
 * The points that a text may mean. The first number is the latitude, as in most maps; the other order comes second.
 * @param {string} text
 * @returns {Point[]} none where it is no point; whole numbers with space alone between them may be a GID
 */
export function textToPoints(text) {
  const [, first = '', side = '', between = '', second = '', other = ''] = TWO_NUMBERS.exec(text) ?? [];
  if (first === '' || (between.trim() === '' && !/[.+-]/.test(first + second) && side + other === '')) return [];
  const [one, two] = [signed(first, side), signed(second, other)];
  /** @type {Point[]} */
  const orders = [];
  if (!/[EW]/i.test(side) && !/[NS]/i.test(other))
    orders.push({ latitude: one, longitude: two, order: 'latitude first' });
  if (!/[NS]/i.test(side) && !/[EW]/i.test(other))
    orders.push({ latitude: two, longitude: one, order: 'longitude first' });
  return orders.filter(({ longitude, latitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180);
}

/**
 * @param {string} number
 * @param {string} side of the equator or of the first meridian; empty for the sign's own
 */
function signed(number, side) {
  return /[SW]/i.test(side) ? -Number(number) : Number(number);
}

/**
 * As the parameter `contains` has it: a longitude of the map beyond the antimeridian is brought back.
 * @param {Point} point
 */
export function pointToContains({ longitude, latitude }) {
  return `${degrees(wrap(longitude))},${degrees(latitude)}`;
}

/**
 * '40.4168° N, 3.7038° W'
 * @param {Point} point
 */
export function pointToText({ longitude, latitude }) {
  const side = (/** @type {number} */ value, /** @type {string} */ sides) =>
    `${degrees(Math.abs(value))}° ${sides.charAt(value < 0 ? 1 : 0)}`;
  return `${side(latitude, 'NS')}, ${side(wrap(longitude), 'EW')}`;
}

/** @param {number} value */
function degrees(value) {
  return String(Number(value.toFixed(DECIMALS)));
}

/** @param {number} longitude */
function wrap(longitude) {
  return Math.abs(longitude) <= TURN / 2 ? longitude : longitude - TURN * Math.floor((longitude + TURN / 2) / TURN);
}
