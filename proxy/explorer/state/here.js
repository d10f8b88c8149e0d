// What is at a point: the units that contain it, from the highest level down. Used by workspace.js.
import { pointToContains } from '../api/coordinates.js';
import { readUnits } from '../api/units.js';

/**
 * @param {import('../api/coordinates.js').Point} point
 * @param {import('../api/client.js').Client} client
 * @param {import('../api/about.js').About} about
 * @param {AbortSignal} signal
 * @returns {Promise<import('../api/unit.js').NamedUnit[]>}
 * @throws {import('../api/client.js').RefusalError}
 */
export async function unitsAt(point, client, { levels, lightest }, signal) {
  const path = `at?point=${pointToContains(point)}&geometry=${lightest}`;
  const { units } = await readUnits(path, client, levels, signal);
  return units.map(({ row }) => row);
}
