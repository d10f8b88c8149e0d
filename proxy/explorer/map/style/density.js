// How small units are on the map: borders are thin where units are small, so that many units are no white mist.

const TILE_PIXELS = 512;
const TURN = 360;
/** Classes of size, half a zoom level each; class 0 is the size of the world. */
const CLASSES = 60;
/** Borders have their full weight where a small unit (the 25th of 100 by size) is this wide. */
const READABLE_PIXELS = 28;
const SMALL_PART = 0.25;

/**
 * @typedef {object} Density
 * @property {(box: import('../geometry/box.js').Box) => void} add
 * @property {() => number} readableZoom the zoom at which units can be told apart
 */

/**
 * The zoom from which borders of units are no mist.
 * @param {readonly import('../geometry/box.js').Box[]} boxes of the units
 */
export function bordersZoom(boxes) {
  const density = createDensity();
  for (const box of boxes) density.add(box);
  return Math.max(density.readableZoom() - 1, 0);
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
    readableZoom() {
      let smaller = 0;
      for (let index = CLASSES - 1; index > 0; index--) {
        smaller += classes[index] ?? 0;
        if (smaller >= count * SMALL_PART && count > 0) return index / 2 + Math.log2(READABLE_PIXELS / TILE_PIXELS);
      }
      return 0;
    },
  };
}
