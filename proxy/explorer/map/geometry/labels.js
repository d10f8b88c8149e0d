// Where the name of a unit is written, and from which zoom on there is room for it.

/**
 * @typedef {import('geojson').Position} Position
 * @typedef {{ point: [number, number], width: number }} Place longitude and latitude; degrees of longitude there is
 * room
 */

/** Lines across the unit that are tried, as parts of its height. */
const TRIED = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
/** So many vertices of a ring are enough to tell how far away it is. */
const VERTICES_MAX = 200;
const TILE_PIXELS = 512;
const TURN = 360;
/** Width of a letter of a label, and letters of a line, after which the label is broken. */
const LETTER_PIXELS = 6.5;
const LETTERS_MAX = 14;
/** A name may be so much wider than the place inside of its unit. */
const OVERHANG = 1.7;

/**
 * A place well inside of the largest polygon: of a few lines across it, the middle of the part that is wide and far
 * from the border. Distances are those of the map (Mercator).
 * @param {import('geojson').Geometry | null} geometry
 * @param {[number, number]} [point] that the service gives: only the room there is measured
 * @returns {Place | undefined} undefined without polygons
 */
export function labelPlace(geometry, point) {
  const rings = largestOf(geometry)?.map((ring) => ring.map(project));
  const exterior = rings?.[0];
  if (rings === undefined || exterior === undefined) return undefined;
  if (point !== undefined) {
    const [, y] = project(point);
    return { point, width: widest(rings, y)[1] };
  }
  const heights = exterior.map(([, y]) => y);
  const south = least(heights);
  const north = -least(heights.map((y) => -y));
  const sparse = rings.map(thinned);
  /** @type {Place | undefined} */
  let best;
  let bestScore = -Infinity;
  for (const part of TRIED) {
    // Off the vertices: a line through one has an odd number of crossings.
    const y = south + (north - south) * (part + 1e-5);
    const [x, width] = widest(rings, y);
    if (width <= 0) continue;
    const score = Math.min(width / 2, 2.5 * clearance(sparse, x, y));
    if (score <= bestScore) continue;
    bestScore = score;
    best = { point: [x, latitude(y)], width };
  }
  return best;
}

/**
 * The zoom at which a name fits into a unit.
 * @param {string} name
 * @param {number} width degrees of longitude
 */
export function labelZoom(name, width) {
  const letters = Math.min(name.length, LETTERS_MAX);
  const zoom = Math.log2((letters * LETTER_PIXELS * TURN) / (TILE_PIXELS * Math.max(width, 1e-9) * OVERHANG));
  return Math.max(zoom, 0);
}

/** @param {import('geojson').Geometry | null} geometry */
function largestOf(geometry) {
  if (geometry?.type === 'Polygon') return geometry.coordinates;
  if (geometry?.type !== 'MultiPolygon') return undefined;
  let largest = geometry.coordinates[0];
  let largestArea = -1;
  for (const polygon of geometry.coordinates) {
    const area = areaOf(polygon[0] ?? []);
    if (area > largestArea) [largest, largestArea] = [polygon, area];
  }
  return largest;
}

/** @param {readonly Position[]} ring */
function areaOf(ring) {
  let sum = 0;
  let [before = 0, beforeY = 0] = ring.at(-1) ?? [];
  for (const [x = 0, y = 0] of ring) {
    sum += before * y - x * beforeY;
    [before, beforeY] = [x, y];
  }
  return Math.abs(sum / 2);
}

/**
 * The middle and the width of the widest part of a line across the polygon.
 * @param {readonly (readonly [number, number])[][]} rings
 * @param {number} y
 * @returns {[number, number]}
 */
function widest(rings, y) {
  /** @type {number[]} */
  const crossings = [];
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const [a, b] = [ring[i - 1], ring[i]];
      if (a !== undefined && b !== undefined && a[1] > y !== b[1] > y)
        crossings.push(a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]));
    }
  crossings.sort((a, b) => a - b);
  /** @type {[number, number]} */
  let found = [0, 0];
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const [west = 0, east = 0] = crossings.slice(i, i + 2);
    if (east - west > found[1]) found = [(west + east) / 2, east - west];
  }
  return found;
}

/**
 * How far the nearest vertex or middle of an edge is.
 * @param {readonly (readonly [number, number])[][]} rings
 * @param {number} x
 * @param {number} y
 */
function clearance(rings, x, y) {
  let nearest = Infinity;
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const [a, b] = [ring[i - 1], ring[i]];
      if (a === undefined || b === undefined) continue;
      const t =
        ((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 || 1);
      const s = Math.min(Math.max(t, 0), 1);
      nearest = Math.min(nearest, (a[0] + s * (b[0] - a[0]) - x) ** 2 + (a[1] + s * (b[1] - a[1]) - y) ** 2);
    }
  return Math.sqrt(nearest);
}

/** @param {readonly (readonly [number, number])[]} ring */
function thinned(ring) {
  const step = Math.ceil(ring.length / VERTICES_MAX);
  return ring.filter((_, i) => i % step === 0 || i === ring.length - 1);
}

/** @param {readonly number[]} numbers */
function least(numbers) {
  let found = Infinity;
  for (const number of numbers) if (number < found) found = number;
  return found;
}

/**
 * @param {Position} position
 * @returns {[number, number]} degrees of longitude and as many units of the map to the north
 */
function project([x = 0, y = 0]) {
  const radians = (Math.min(Math.max(y, -85), 85) * Math.PI) / 180;
  return [x, (Math.log(Math.tan(Math.PI / 4 + radians / 2)) * 180) / Math.PI];
}

/** @param {number} y as `project` gives it */
function latitude(y) {
  return (Math.atan(Math.exp((y * Math.PI) / 180)) * 360) / Math.PI - 90;
}
