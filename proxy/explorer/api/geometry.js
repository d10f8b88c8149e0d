// The geometries of units: the lightest one, how many units a page has with it, and what a person is told of it.

/** @typedef {import('./about.js').About} About */

/** What each geometry is, from most to least text. */
export const GEOMETRY_NOTES = new Map([
  ['full', 'as published'],
  ['medium', 'to about 100 m'],
  ['low', 'to about 1 km'],
  ['point', 'a point inside each unit'],
  ['none', 'attributes alone'],
]);

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
