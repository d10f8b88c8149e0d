// How many units a unit has at each level below it, and what these are called. From the names of small levels, which
// have the types; of others by HEAD requests. Each is asked once per unit. Used by workspace-view.js.
import { encode, requestToPath } from '../api/page-request.js';
import { levelTitle } from '../api/type-names.js';
import { isLinked, levelsWithUnits } from './place.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {{ units: number, title: string }} LevelCount
 */

/** Names of so many units, some 300 kB, are loaded to know what the units are called. */
const SMALL_UNITS = 20_000;

/** Counts by unit and level. */
export class Counts {
  #client;
  #names;
  #levels;
  #onChange;
  /** @type {Map<string, Map<number, LevelCount>>} */
  #known = new Map();

  /** Units of each level. @type {Map<number, number>} */
  #sizes = new Map();

  /**
   * @param {import('../api/client.js').Client} client
   * @param {import('../api/names.js').Names} names
   * @param {readonly import('./place.js').LevelColumns[]} levels
   * @param {() => void} onChange more counts are known
   */
  constructor(client, names, levels, onChange) {
    this.#client = client;
    this.#names = names;
    this.#levels = levels;
    this.#onChange = onChange;
  }

  /**
   * What is known of a unit; the first call asks for the rest.
   * @param {NamedUnit | undefined} unit
   * @returns {ReadonlyMap<number, LevelCount>} by level, ascending
   */
  of(unit) {
    const below = this.#below(unit);
    if (below.length === 0) return new Map();
    const key = `${unit?.level}/${unit?.gid}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [first] = below;
    /** @type {Map<number, LevelCount>} */
    const counts = new Map();
    if (first !== undefined && unit !== undefined && unit.children > 0)
      counts.set(first, { units: unit.children, title: levelTitle(first, []) });
    this.#known.set(key, counts);
    void this.#ask(unit, below, counts).catch(() => {
      // Asked again when the unit is shown again; its listing says what is wrong.
      this.#known.delete(key);
    });
    return counts;
  }

  /**
   * The same of a place that is limited to a box or a point.
   * @param {import('./place.js').Place} place
   * @returns {ReadonlyMap<number, LevelCount>}
   */
  ofSpot(place) {
    const pathOf = (/** @type {number} */ level) =>
      requestToPath({ ...place, level, format: 'geojsonl', geometry: '', pageSize: '1', startAt: '' });
    const top = Math.max(0, ...place.filters.keys());
    const key = pathOf(top);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    /** @type {Map<number, LevelCount>} */
    const counts = new Map();
    this.#known.set(key, counts);
    const ask = async (/** @type {number} */ level) => {
      counts.set(level, { units: await this.#countAt(pathOf(level)), title: levelTitle(level, []) });
    };
    const asked = levelsWithUnits(this.#levels).filter((level) => level >= top);
    // As above.
    Promise.all(asked.map(ask)).then(this.#onChange, () => this.#known.delete(key));
    return counts;
  }

  /**
   * The levels at which a unit may have units. Nothing is asked for a unit without children, but where levels have no
   * GIDs of the one above: then deeper levels may have units of it, and of no unit, the release, all levels are
   * counted.
   * @param {NamedUnit | undefined} unit
   */
  #below(unit) {
    const filled = levelsWithUnits(this.#levels);
    if (unit === undefined) return isLinked(this.#levels) ? [] : filled;
    if (unit.gid === null || (unit.children === 0 && isLinked(this.#levels))) return [];
    return filled.filter((level) => level > unit.level && this.#levels[level]?.gidColumns[unit.level] !== '');
  }

  /**
   * @param {NamedUnit | undefined} unit
   * @param {readonly number[]} below levels
   * @param {Map<number, LevelCount>} counts gets the answers
   */
  async #ask(unit, below, counts) {
    for (const level of below) {
      const { gid = null, level: of = 0 } = unit ?? {};
      const isSmall = gid !== null && (await this.#isSmall(below, level));
      const types = isSmall ? await this.#names.types({ level, gid, of }) : undefined;
      if (gid === null) {
        counts.set(level, { units: await this.#sizeOf(level), title: levelTitle(level, []) });
      } else if (types !== undefined) {
        counts.set(level, { units: types.reduce((sum, [, units]) => sum + units, 0), title: levelTitle(level, types) });
      } else if (!counts.has(level)) {
        const path = `geojsonl/lv${level}?gid-${of}=${encode(gid)}&page-size=1`;
        counts.set(level, { units: await this.#countAt(path), title: levelTitle(level, []) });
      }
    }
    this.#onChange();
  }

  /**
   * Are the names of a level, and of those above it, loaded or quickly loaded?
   * @param {readonly number[]} levels of which it is one
   * @param {number} level
   */
  async #isSmall(levels, level) {
    const waiting = levels.filter((other) => other <= level && !this.#names.isLoaded(other));
    const sizes = await Promise.all(waiting.map((other) => this.#sizeOf(other)));
    return sizes.reduce((sum, units) => sum + units, 0) <= SMALL_UNITS;
  }

  /** @param {number} level */
  async #sizeOf(level) {
    const known = this.#sizes.get(level);
    if (known !== undefined) return known;
    const units = await this.#countAt(`names/lv${level}`);
    this.#sizes.set(level, units);
    return units;
  }

  /** @param {string} path */
  async #countAt(path) {
    const { matched } = await this.#client.size(path, new AbortController().signal);
    return matched;
  }
}
