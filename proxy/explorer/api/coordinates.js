// Points as people write them: two numbers in either order. Used by the search field and the answer to 'what is here'.

/**
 * In degrees, with the order in which it was written.
 * @typedef {{ longitude: number, latitude: number, order?: 'latitude first' | 'longitude first' }} Point
 */

/** Two numbers, perhaps with degree signs; between them a comma, a semicolon, or space alone. */
const TWO_NUMBERS = /^\s*([+-]?\d+(?:\.\d+)?)\s*°?(\s*[,;]\s*|\s+)([+-]?\d+(?:\.\d+)?)\s*°?\s*$/;
/** Digits for about 10 cm. */
const DECIMALS = 6;
const TURN = 360;

/**
 * The points that a text may mean. The first number is the latitude, as in most maps; the other order comes second.
 * @param {string} text
 * @returns {Point[]} none where it is no point; whole numbers with space alone between them may be a GID
 */
export function textToPoints(text) {
  const [, first = '', between = '', second = ''] = TWO_NUMBERS.exec(text) ?? [];
  if (first === '' || (between.trim() === '' && !/[.+-]/.test(first + second))) return [];
  /** @type {Point[]} */
  const orders = [
    { latitude: Number(first), longitude: Number(second), order: 'latitude first' },
    { latitude: Number(second), longitude: Number(first), order: 'longitude first' },
  ];
  return orders.filter(({ longitude, latitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180);
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
export function wrap(longitude) {
  return Math.abs(longitude) <= TURN / 2 ? longitude : longitude - TURN * Math.floor((longitude + TURN / 2) / TURN);
}
