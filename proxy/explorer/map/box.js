// The box of a unit on a map that ends at the antimeridian.

/**
 * West, south, east, north, in degrees.
 * @typedef {[number, number, number, number]} Box
 */

/**
 * The unit's bbox; of one that crosses the antimeridian that of its largest part, for the whole would span the map.
 * @param {import('../request/client.js').Unit} unit
 * @returns {Box | undefined} undefined where there is nothing to show
 */
export function boxOf({ bbox, geometry }) {
  if (bbox === undefined || bbox.length !== 4) return undefined;
  if (bbox[0] <= bbox[2]) return bbox;
  return geometry?.type === 'MultiPolygon' ? largestPart(geometry.coordinates) : undefined;
}

/** @param {Box} box */
export function areaOf([west, south, east, north]) {
  return (east - west) * (north - south);
}

/** @param {import('geojson').Position[][][]} polygons */
function largestPart(polygons) {
  const boxes = polygons.map(([ring = []]) => boxOfRing(ring));
  return boxes.reduce((largest, box) => (areaOf(box) > areaOf(largest) ? box : largest));
}

/**
 * @param {import('geojson').Position[]} ring
 * @returns {Box}
 */
function boxOfRing(ring) {
  /** @type {Box} */
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x = 0, y = 0] of ring) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}
