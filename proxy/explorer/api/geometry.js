// The geometries of units: which one a map needs, how many units a page has with it, and what a person is told of it.
// Used by state/, panels/ and download/.

/** @typedef {import('./about.js').About} About */

/** What each geometry is, from most to least text. */
export const GEOMETRY_NOTES = new Map([
  ['full', 'as published'],
  ['medium', 'to about 100 m'],
  ['low', 'to about 1 km'],
  ['point', 'a point inside each unit'],
  ['none', 'attributes alone'],
]);

/** Simplified shapes, the coarsest first, with the zoom from which their edges are seen: about two pixels off. */
const COARSE = /** @type {const} */ ([
  ['low', 7],
  ['medium', 10.3],
]);

/**
 * The lightest shapes that look right at a zoom.
 * @param {number} zoom
 * @param {readonly string[]} geometries of the release
 */
export function shapesAt(zoom, geometries) {
  const [name = 'full'] = COARSE.find(([name, end]) => zoom < end && geometries.includes(name)) ?? [];
  return name;
}

/** Text of a full shape that a map draws at any zoom. */
const LIGHT_CHARACTERS = 250_000;

/**
 * Is the full shape of a unit light enough for a map at any zoom? Others, such as a country with thousands of islands,
 * are drawn in the geometry that suits the zoom.
 * @param {import('./client.js').Unit} unit
 */
export function isLight({ text = '' }) {
  return text.length <= LIGHT_CHARACTERS;
}

/**
 * Is one geometry finer than another? A point is no shape.
 * @param {string} geometry
 * @param {string} other
 */
export function isFiner(geometry, other) {
  const names = [...GEOMETRY_NOTES.keys()];
  return names.indexOf(geometry) < names.indexOf(other);
}

/**
 * The least text that has the attributes of units.
 * @param {readonly string[]} geometries of the release
 */
export function attributesAlone(geometries) {
  return [...GEOMETRY_NOTES.keys()].findLast((name) => geometries.includes(name)) ?? 'full';
}

/**
 * The most units of a page; undefined if the service does not say.
 * @param {About} about
 * @param {{ format: string, level: number, geometry: string }} request
 */
export function capOf({ caps, lightCaps }, { format, level, geometry }) {
  return lightCaps[geometry] ?? caps[format]?.[level];
}
