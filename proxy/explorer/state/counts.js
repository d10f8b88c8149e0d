// How many units a unit has at each level below it, and what these are called. From the names of small levels, which have the
// types; of others by HEAD requests. Each is asked once per unit. Used by workspace-view.js.
import { encode } from '../api/page-request.js';
import { levelTitle } from '../api/type-names.js';
import { levelsWithUnits } from './place.js';

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
    if (unit === undefined || unit.gid === null || unit.children === 0) return new Map();
    const key = `${unit.level}/${unit.gid}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const below = levelsWithUnits(this.#levels).filter((level) => level > unit.level);
    const [first] = below;
    /** @type {Map<number, LevelCount>} */
    const counts = new Map();
    if (first !== undefined) counts.set(first, { units: unit.children, title: levelTitle(first, []) });
    this.#known.set(key, counts);
    void this.#ask({ gid: unit.gid, of: unit.level }, below, counts).catch(() => {
      // Asked again when the unit is shown again; its listing says what is wrong.
      this.#known.delete(key);
    });
    return counts;
  }

  /**
   * @param {{ gid: string, of: number }} unit
   * @param {readonly number[]} below levels
   * @param {Map<number, LevelCount>} counts gets the answers
   */
  async #ask({ gid, of }, below, counts) {
    const { signal } = new AbortController();
    for (const level of below) {
      if (await this.#isSmall(below, level)) {
        const types = await this.#names.types({ level, gid, of });
        counts.set(level, { units: types.reduce((sum, [, units]) => sum + units, 0), title: levelTitle(level, types) });
      } else if (!counts.has(level)) {
        const path = `geojsonl/lv${level}?gid-${of}=${encode(gid)}&page-size=1`;
        counts.set(level, { units: await this.#client.count(path, signal), title: levelTitle(level, []) });
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
    const waiting = levels.filter((other) => other <= level && !this.#isLoaded(other));
    const sizes = await Promise.all(waiting.map((other) => this.#sizeOf(other)));
    return sizes.reduce((sum, units) => sum + units, 0) <= SMALL_UNITS;
  }

  /** @param {number} level */
  async #sizeOf(level) {
    const known = this.#sizes.get(level);
    if (known !== undefined) return known;
    const units = await this.#client.count(`names/lv${level}`, new AbortController().signal);
    this.#sizes.set(level, units);
    return units;
  }

  /** @param {number} level */
  #isLoaded(level) {
    const progress = this.#names.progress(level);
    return progress !== undefined && progress.units === progress.of;
  }
}
