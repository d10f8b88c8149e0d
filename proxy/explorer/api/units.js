// Units of several levels in one answer, as `at` and `search` send them. Used by search.js and state/here.js.

/** @typedef {{ level: number, feature: import('./client.js').Unit }} UnitOfLevel */

/**
 * @param {string} path under api/v1/
 * @param {import('./client.js').Client} client
 * @param {AbortSignal} signal
 * @returns {Promise<{ matched: number, units: UnitOfLevel[] }>} how many there are, and those that were sent
 * @throws {import('./client.js').RefusalError}
 */
export async function readUnits(path, client, signal) {
  const { json, matched } = await client.json(path, signal);
  const { features, levels } = /** @type {{ features: import('./client.js').Unit[], levels: string[] }} */ (json);
  const units = features.map((feature, i) => ({ level: Number(levels[i]?.slice('lv'.length)), feature }));
  return { matched, units };
}
