// How many units a unit has at each level below it, and what these are called: the names say it. Of a release, a box or
// a point the service is asked, once. Used by workspace-view.js.
import { requestToPath } from '../api/page-request.js';
import { levelTitle } from '../api/type-names.js';
import { typeOf } from '../api/unit.js';
import { isLinked, levelsWithUnits } from './place.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {{ units: number, title: string }} LevelCount
 */

/** Counts by unit and level. */
export class Counts {
  #client;
  #levels;
  #onChange;
  /** What was asked for, by the path of its first count. @type {Map<string, Map<number, LevelCount>>} */
  #known = new Map();

  /**
   * @param {import('../api/client.js').Client} client
   * @param {readonly import('./place.js').LevelColumns[]} levels
   * @param {() => void} onChange more counts are known
   */
  constructor(client, levels, onChange) {
    this.#client = client;
    this.#levels = levels;
    this.#onChange = onChange;
  }

  /**
   * What is inside of a unit. Of no unit, the release, it is asked where no unit leads to deeper levels, because these
   * have no GIDs of the one above.
   * @param {NamedUnit | undefined} unit
   * @returns {ReadonlyMap<number, LevelCount>} by level, ascending
   */
  of(unit) {
    if (unit === undefined)
      return isLinked(this.#levels)
        ? new Map()
        : this.#ask(levelsWithUnits(this.#levels), (level) => `names/lv${level}`);
    const inside = unit.inside ?? [];
    return new Map(inside.map(([level, units, type]) => [level, { units, title: levelTitle(level, typeOf(type)) }]));
  }

  /**
   * The same of a place that is limited to a box or a point.
   * @param {import('./place.js').Place} place
   * @returns {ReadonlyMap<number, LevelCount>}
   */
  ofSpot(place) {
    const top = Math.max(0, ...place.filters.keys());
    return this.#ask(
      levelsWithUnits(this.#levels).filter((level) => level >= top),
      (level) => requestToPath({ ...place, level, format: 'geojsonl', geometry: '', pageSize: '1', startAt: '' }),
    );
  }

  /**
   * @param {readonly number[]} levels
   * @param {(level: number) => string} pathOf what has the units of a level
   * @returns {ReadonlyMap<number, LevelCount>} complete after `onChange`
   */
  #ask(levels, pathOf) {
    const key = pathOf(levels[0] ?? 0);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    /** @type {Map<number, LevelCount>} */
    const counts = new Map();
    this.#known.set(key, counts);
    const ask = async (/** @type {number} */ level) => {
      const { matched } = await this.#client.size(pathOf(level), new AbortController().signal);
      counts.set(level, { units: matched, title: levelTitle(level, null) });
    };
    // Asked again when it is shown again; its listing says what is wrong.
    Promise.all(levels.map(ask)).then(this.#onChange, () => this.#known.delete(key));
    return counts;
  }
}
