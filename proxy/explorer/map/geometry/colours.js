// Which of six colours a unit has, so that neighbours differ. The overview has a topology; units of pages come one page
// after another, so a unit takes the colour that is rarest among the vertices it shares with units before it.

/** @typedef {import('geojson').Position} Position */

export const COLOURS = 6;
const ALL = Array.from({ length: COLOURS }, (_, colour) => colour);
/** Entries of the table of vertices: 4 MB at one byte each; of vertices that fall into one entry both are meant. */
const TABLE_SIZE = 2 ** 22;
/** Vertices are compared to so many parts of a degree, about 1 m. */
const GRID = 1e5;

/**
 * Colours for units in a fixed order, with bounded memory. A colour is never changed: the same units in the same order
 * have the same colours.
 * @returns {(geometry: import('geojson').Geometry | null, fid: number) => number} a colour, 0 to 5
 */
export function colourist() {
  /** Bit c of an entry: a unit with this vertex has colour c. */
  const table = new Uint8Array(TABLE_SIZE);
  return (geometry, fid) => {
    const shared = ALL.map(() => 0);
    eachVertex(geometry, (entry) => {
      const colours = table[entry] ?? 0;
      if (colours !== 0) for (const colour of ALL) if (colours & (1 << colour)) shared[colour] = at(shared, colour) + 1;
    });
    const colour = rarest(shared, fid);
    eachVertex(geometry, (entry) => {
      table[entry] = at(table, entry) | (1 << colour);
    });
    return colour;
  };
}

/**
 * Colours for units of which all neighbours are known. In a planar map neighbours never have the same one: each unit
 * has at most five neighbours among those coloured before it.
 * @param {readonly (readonly number[])[]} neighbours the indexes of each unit's neighbours
 * @returns {number[]} a colour of each unit, 0 to 5
 */
export function colourNeighbours(neighbours) {
  /** @type {number[]} */
  const colours = neighbours.map(() => -1);
  const counts = ALL.map(() => 0);
  for (const unit of smallestLast(neighbours)) {
    const taken = ALL.map(() => 0);
    for (const other of at(neighbours, unit)) {
      const colour = at(colours, other);
      if (colour >= 0) taken[colour] = at(taken, colour) + 1;
    }
    const least = Math.min(...taken);
    // Of those that are free, the one with the fewest units so far.
    const colour = ALL.filter((c) => at(taken, c) === least).reduce((a, b) => (at(counts, b) < at(counts, a) ? b : a));
    colours[unit] = colour;
    counts[colour] = at(counts, colour) + 1;
  }
  return colours;
}

/**
 * The order in which a unit has the fewest neighbours before it: the reverse of taking away the unit with the fewest
 * neighbours left, again and again.
 * @param {readonly (readonly number[])[]} neighbours
 */
function smallestLast(neighbours) {
  const degrees = neighbours.map(({ length }) => length);
  const left = new Set(neighbours.keys());
  /** @type {number[]} */
  const order = [];
  while (left.size > 0) {
    let smallest = -1;
    for (const unit of left) if (smallest < 0 || at(degrees, unit) < at(degrees, smallest)) smallest = unit;
    left.delete(smallest);
    order.push(smallest);
    for (const other of at(neighbours, smallest)) degrees[other] = at(degrees, other) - 1;
  }
  return order.reverse();
}

/**
 * @param {readonly number[]} shared vertices shared with units of each colour
 * @param {number} fid spreads the colours of units that share none
 */
function rarest(shared, fid) {
  const start = Math.abs(Math.trunc(fid)) % COLOURS;
  let best = start;
  for (let n = 1; n < COLOURS; n++) {
    const colour = (start + n) % COLOURS;
    if (at(shared, colour) < at(shared, best)) best = colour;
  }
  return best;
}

/**
 * @param {import('geojson').Geometry | null} geometry
 * @param {(entry: number) => void} use with the entry of the table for each vertex
 */
function eachVertex(geometry, use) {
  const polygons =
    geometry?.type === 'Polygon'
      ? [geometry.coordinates]
      : geometry?.type === 'MultiPolygon'
        ? geometry.coordinates
        : [];
  for (const polygon of polygons)
    for (const ring of polygon)
      for (const [x = 0, y = 0] of ring) {
        const hash = Math.imul(Math.round(x * GRID), 0x9e3779b1) ^ Math.imul(Math.round(y * GRID), 0x85ebca6b);
        use((hash ^ (hash >>> 15)) & (TABLE_SIZE - 1));
      }
}

/**
 * @template T
 * @param {ArrayLike<T>} items
 * @param {number} index
 */
function at(items, index) {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index} of ${items.length}`);
  return item;
}
