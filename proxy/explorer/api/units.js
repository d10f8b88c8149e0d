// Units of several levels in one answer, as `at` and `search` send them.

import { unitToRow } from './unit.js';

/**
 * With the columns of its level, and as a row.
 * @typedef {object} UnitOfLevel
 * @property {import('./client.js').Unit} feature
 * @property {import('./unit.js').LevelColumns} columns
 * @property {import('./unit.js').NamedUnit} row
 */

/**
 * @param {string} path under api/v1/
 * @param {import('./client.js').Client} client
 * @param {readonly import('./unit.js').LevelColumns[]} columnsOf each level
 * @param {AbortSignal} signal
 * @returns {Promise<{ matched: number, units: UnitOfLevel[] }>} how many there are, and those that were sent
 * @throws {import('./client.js').RefusalError}
 */
export async function readUnits(path, client, columnsOf, signal) {
  const { json, matched } = await client.json(path, signal);
  const { features, levels } = /** @type {{ features: import('./client.js').Unit[], levels: string[] }} */ (json);
  const units = features.map((feature, i) => {
    const columns = columnsOf[Number(levels[i]?.slice('lv'.length))];
    if (columns === undefined) throw new RangeError(`level ${levels[i]} has no columns`);
    return { feature, columns, row: unitToRow(feature, columns) };
  });
  return { matched, units };
}
