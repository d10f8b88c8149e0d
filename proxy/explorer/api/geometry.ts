// The geometries of units: the lightest one, and what a person is told of each.

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
 * @param geometries of the release
 */
export function attributesAlone(geometries: readonly string[]) {
  return [...GEOMETRY_NOTES.keys()].findLast((name) => geometries.includes(name)) ?? 'full';
}
