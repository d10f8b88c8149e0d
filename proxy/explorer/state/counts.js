// How many units a unit has at each level below it, and what these are called: the names say it. Of a release, a box or
// a point the service is asked, once.
import { listingToPath } from '../api/page-request.js';
import { levelTitle } from '../api/type-names.js';
import { typeOf } from '../api/unit.js';
import { isLinked, levelsWithUnits } from './place.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {{ units: number, title: string }} LevelCount
 */

/**
 * Counts by unit and level.
 * @typedef {object} Counts
 * @property {(unit: NamedUnit | undefined) => ReadonlyMap<number, LevelCount>} of what is inside of a unit, by level,
 * ascending. Of no unit, the release, it is asked where no unit leads to deeper levels, because these have no GIDs of
 * the one above
 * @property {(place: import('./place.js').Place) => ReadonlyMap<number, LevelCount>} ofSpot the same of a place that is
 * limited to a box or a point
 */

/**
 * @param {import('../api/client.js').Client} client
 * @param {readonly import('./place.js').LevelColumns[]} levels
 * @param {() => void} onChange more counts are known
 * @returns {Counts}
 */
export function createCounts(client, levels, onChange) {
  /** What was asked for, by the path of its first count. @type {Map<string, Map<number, LevelCount>>} */
  const known = new Map();
  const filled = levelsWithUnits(levels);
  /** @type {(asked: readonly number[], pathOf: (level: number) => string) => ReadonlyMap<number, LevelCount>} */
  const askAll = (asked, pathOf) => {
    const key = pathOf(asked[0] ?? 0);
    const counts = known.get(key) ?? new Map();
    if (known.has(key)) return counts;
    known.set(key, counts);
    const ask = async (/** @type {number} */ level) => {
      const { matched } = await client.size(pathOf(level), new AbortController().signal);
      counts.set(level, { units: matched, title: levelTitle(level, null) });
    };
    // Asked again when it is shown again; its listing says what is wrong.
    Promise.all(asked.map(ask)).then(onChange, () => known.delete(key));
    return counts;
  };
  return {
    of(unit) {
      if (unit === undefined) return isLinked(levels) ? new Map() : askAll(filled, (level) => `names/lv${level}`);
      const inside = unit.inside ?? [];
      return new Map(inside.map(([level, units, type]) => [level, { units, title: levelTitle(level, typeOf(type)) }]));
    },
    ofSpot(place) {
      const top = Math.max(0, ...place.filters.keys());
      const below = filled.filter((level) => level >= top);
      return askAll(below, (level) => listingToPath({ ...place, level }, '', '1'));
    },
  };
}
