// What is at a point: the units that contain it, from the highest level down. Used by workspace.js.
import { pointToContains } from '../api/coordinates.js';
import { attributesAlone } from '../api/geometry.js';
import { requestToPath } from '../api/page-request.js';
import { identify, unitToRow } from '../api/unit.js';
import { levelsWithUnits, worldOf } from './place.js';

/**
 * One request for each level; units of a level may overlap.
 * @param {import('../api/coordinates.js').Point} point
 * @param {import('../api/client.js').Client} client
 * @param {import('../api/about.js').About} about
 * @param {AbortSignal} signal
 * @returns {Promise<import('../api/unit.js').NamedUnit[]>}
 * @throws {import('../api/client.js').RefusalError}
 */
export async function unitsAt(point, client, { levels, geometries }, signal) {
  const asked = { ...worldOf(levels), contains: pointToContains(point), geometry: attributesAlone(geometries) };
  const found = levelsWithUnits(levels).map(async (level) => {
    const { units } = await client.page(client.urlOf(requestToPath({ ...asked, level })), signal);
    return units.map((unit) => {
      const columns = levels[level];
      if (columns === undefined) throw new RangeError(`level ${level} has no columns`);
      identify(unit, columns);
      return unitToRow(unit, columns);
    });
  });
  return (await Promise.all(found)).flat();
}
