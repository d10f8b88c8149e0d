// The vector tiles of a level: what the service says of them (TileJSON 3.0.0).

/**
 * @typedef {object} LevelTiles
 * @property {string} template the address of a tile, with {z}, {x} and {y}
 * @property {number} minzoom the first zoom at which the level has tiles
 * @property {number} maxzoom the last one
 * @property {import('../map/geometry/box.js').Box} bounds of its units
 */

/**
 * @param {number} level
 * @param {import('./client.js').Client} client
 * @param {AbortSignal} signal
 * @returns {Promise<LevelTiles>}
 * @throws {import('./client.js').RefusalError}
 */
export async function readTiles(level, client, signal) {
  const { json } = await client.json(`tiles/lv${level}.json`, signal);
  const { tiles, minzoom, maxzoom, bounds } = /** @type {{ tiles: [string] } & LevelTiles} */ (json);
  // Only the query, because this page knows at which address it reaches the service.
  const template = `${client.urlOf(`tiles/lv${level}/`)}{z}/{x}/{y}.mvt${new URL(tiles[0]).search}`;
  return { template, minzoom, maxzoom, bounds };
}
