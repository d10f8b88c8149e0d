// Points as people write them: two numbers in either order.

/** In degrees, with the order in which it was written. */
export type Point = { longitude: number; latitude: number; order?: 'latitude first' | 'longitude first' };

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
 * @returns none where it is no point; whole numbers with space alone between them may be a GID
 */
export function textToPoints(text: string): Point[] {
  const [, first = '', side = '', between = '', second = '', other = ''] = TWO_NUMBERS.exec(text) ?? [];
  if (first === '' || (between.trim() === '' && !/[.+-]/.test(first + second) && side + other === '')) return [];
  const [one, two] = [signed(first, side), signed(second, other)];
  const orders: Point[] = [];
  if (!/[EW]/i.test(side) && !/[NS]/i.test(other))
    orders.push({ latitude: one, longitude: two, order: 'latitude first' });
  if (!/[NS]/i.test(side) && !/[EW]/i.test(other))
    orders.push({ latitude: two, longitude: one, order: 'longitude first' });
  return orders.filter(({ longitude, latitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180);
}

/** @param side of the equator or of the first meridian; empty for the sign's own */
function signed(number: string, side: string) {
  return /[SW]/i.test(side) ? -Number(number) : Number(number);
}

/** As the parameter `contains` has it: a longitude of the map beyond the antimeridian is brought back. */
export function pointToContains({ longitude, latitude }: Point) {
  return `${degrees(wrap(longitude))},${degrees(latitude)}`;
}

/** '40.4168° N, 3.7038° W' */
export function pointToText({ longitude, latitude }: Point) {
  const side = (value: number, sides: string) => `${degrees(Math.abs(value))}° ${sides.charAt(value < 0 ? 1 : 0)}`;
  return `${side(latitude, 'NS')}, ${side(wrap(longitude), 'EW')}`;
}

function degrees(value: number) {
  return String(Number(value.toFixed(DECIMALS)));
}

function wrap(longitude: number) {
  return Math.abs(longitude) <= TURN / 2 ? longitude : longitude - TURN * Math.floor((longitude + TURN / 2) / TURN);
}
