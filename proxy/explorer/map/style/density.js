// How small units are on the map: borders are thin where units are small, so that many units are no white mist.

const TILE_PIXELS = 512;
const TURN = 360;
/** Classes of size, half a zoom level each; class 0 is the size of the world. */
const CLASSES = 60;
/** Borders have their full weight where a small unit (the 25th of 100 by size) is this wide. */
const READABLE_PIXELS = 28;
const SMALL_PART = 0.25;
const MIDDLE_PART = 0.5;
/**
 * At which half of the countries can be told apart. Units of one kind are more alike: there is no large one between.
 */
const COUNTRIES_ZOOM = 1.8;
const ALIKE = 1.25;

/**
 * @typedef {object} Density
 * @property {(box: import('../geometry/box.js').Box) => void} add
 * @property {(part?: number) => number} readableZoom the zoom at which units can be told apart, but for this part of
 * them
 */

/**
 * The zoom from which borders of units are no mist.
 * @param {readonly import('../geometry/box.js').Box[]} boxes of the units
 */
export function bordersZoom(boxes) {
  return Math.max(densityOf(boxes).readableZoom() - 1, 0);
}

/**
 * How much closer than the countries of the world units must be seen for borders of the same width.
 * @param {readonly import('../geometry/box.js').Box[]} boxes of the units
 */
export function bordersOffset(boxes) {
  return ALIKE * Math.max(densityOf(boxes).readableZoom(MIDDLE_PART) - COUNTRIES_ZOOM, 0);
}

/** @param {readonly import('../geometry/box.js').Box[]} boxes */
function densityOf(boxes) {
  const density = createDensity();
  for (const box of boxes) density.add(box);
  return density;
}

/** @returns {Density} */
export function createDensity() {
  const classes = new Float64Array(CLASSES);
  let count = 0;
  return {
    add([west, south, east, north]) {
      const middle = (Math.min(Math.abs(south), Math.abs(north), 80) * Math.PI) / 180;
      const size = Math.sqrt(Math.abs(east - west) * (Math.abs(north - south) / Math.cos(middle)));
      const index = Math.min(Math.max(Math.round(2 * Math.log2(TURN / Math.max(size, 1e-9))), 0), CLASSES - 1);
      classes[index] = (classes[index] ?? 0) + 1;
      count++;
    },
    readableZoom(part = SMALL_PART) {
      let smaller = 0;
      for (let index = CLASSES - 1; index > 0; index--) {
        smaller += classes[index] ?? 0;
        if (smaller >= count * part && count > 0) return index / 2 + Math.log2(READABLE_PIXELS / TILE_PIXELS);
      }
      return 0;
    },
  };
}
