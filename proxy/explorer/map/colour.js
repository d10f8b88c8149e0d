// Which colour a unit has on the map: another than its neighbours, as in an atlas.
import { areaOf, boxOf } from './box.js';

/** @typedef {import('../request/client.js').Unit} Unit */

const COLOURS = 6;

/**
 * Gives each unit a number from 0 to 5: the one that weighs least among the units drawn before it that it may touch.
 * @returns {(unit: Unit) => number}
 */
export function colourist() {
  /** @type {Map<Unit, { box: import('./box.js').Box | undefined, colour: number }>} */
  const chosen = new Map();
  return (unit) => {
    const known = chosen.get(unit);
    if (known !== undefined) return known.colour;
    const box = boxOf(unit);
    /** @type {number[]} */
    const weights = Array.from({ length: COLOURS }, (_, colour) => (colour === Number(unit.id) % COLOURS ? 0 : 0.001));
    for (const other of chosen.values()) weights[other.colour] = (weights[other.colour] ?? 0) + overlap(box, other.box);
    const colour = weights.indexOf(Math.min(...weights));
    chosen.set(unit, { box, colour });
    return colour;
  };
}

/**
 * How much of the smaller box lies in the other, 0 to 1, and a little where they only touch.
 * @param {import('./box.js').Box | undefined} a
 * @param {import('./box.js').Box | undefined} b
 */
function overlap(a, b) {
  if (a === undefined || b === undefined) return 0;
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (width < 0 || height < 0) return 0;
  return 0.1 + (width * height) / Math.max(Math.min(areaOf(a), areaOf(b)), Number.EPSILON);
}
