// A unit with everything inside of it, from all levels. Used by workspace-view.js.
import { filtersToQuery } from '../api/page-request.js';
import { levelsWithUnits } from '../state/place.js';

/**
 * Follows the pages of a unit and of the units of each level inside of it.
 * @param {{ level: number, gid: string }} unit
 * @param {object} options
 * @param {import('../api/client.js').Client} options.client
 * @param {readonly import('../api/unit.js').LevelColumns[]} options.levels
 * @param {AbortSignal} options.signal
 * @param {(features: number) => void} options.onProgress how many there are so far
 * @returns {Promise<{ features: string[], release: string }>} each as GeoJSON text, from the top level down
 * @throws {import('../api/client.js').RefusalError}
 */
export async function loadAllLevels({ level, gid }, { client, levels, signal, onProgress }) {
  const [query = ''] = filtersToQuery(new Map([[level, gid]]));
  /** @type {string[]} */
  const features = [];
  let release = '';
  for (const other of levelsWithUnits(levels)) {
    if (other < level) continue;
    /** @type {string | undefined} */
    let url = client.urlOf(`geojsonl/lv${other}?${query}`);
    while (url !== undefined) {
      const page = await client.page(url, signal);
      for (const { text } of page.units) if (text !== undefined) features.push(text);
      onProgress(features.length);
      release = page.release;
      url = page.next;
    }
  }
  return { features, release };
}
