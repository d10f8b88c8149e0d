// What is at a point: the units that contain it, from the highest level down. Used by workspace.js.
import { pointToContains } from '../api/coordinates.js';
import { attributesAlone } from '../api/geometry.js';
import { identify, unitToRow } from '../api/unit.js';
import { readUnits } from '../api/units.js';

/**
 * @param {import('../api/coordinates.js').Point} point
 * @param {import('../api/client.js').Client} client
 * @param {import('../api/about.js').About} about
 * @param {AbortSignal} signal
 * @returns {Promise<import('../api/unit.js').NamedUnit[]>}
 * @throws {import('../api/client.js').RefusalError}
 */
export async function unitsAt(point, client, { levels, geometries }, signal) {
  const path = `at?point=${pointToContains(point)}&geometry=${attributesAlone(geometries)}`;
  const { units } = await readUnits(path, client, signal);
  return units.map(({ level, feature }) => {
    const columns = levels[level];
    if (columns === undefined) throw new RangeError(`level ${level} has no columns`);
    identify(feature, columns);
    return unitToRow(feature, columns);
  });
}
