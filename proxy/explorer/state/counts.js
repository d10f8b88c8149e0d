// How many units a unit has at each level below it, asked by HEAD requests once per unit. Used by workspace.js.
import { encode } from '../api/page-request.js';
import { levelsWithUnits } from './place.js';

/** @typedef {import('../api/unit.js').NamedUnit} NamedUnit */

/** Counts by unit and level. */
export class Counts {
  #client;
  #levels;
  #onChange;
  /** @type {Map<string, Map<number, number>>} */
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
   * What is known of a unit; the first call asks for the rest.
   * @param {NamedUnit | undefined} unit
   * @returns {ReadonlyMap<number, number>} units by level, ascending
   */
  of(unit) {
    if (unit === undefined || unit.gid === null || unit.children === 0) return new Map();
    const key = `${unit.level}/${unit.gid}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [first, ...deeper] = levelsWithUnits(this.#levels).filter((level) => level > unit.level);
    const counts = new Map(first === undefined ? [] : [[first, unit.children]]);
    this.#known.set(key, counts);
    void this.#ask(unit.level, unit.gid, deeper, counts);
    return counts;
  }

  /**
   * @param {number} level
   * @param {string} gid
   * @param {readonly number[]} deeper levels
   * @param {Map<number, number>} counts gets the answers
   */
  async #ask(level, gid, deeper, counts) {
    const { signal } = new AbortController();
    for (const other of deeper) {
      // Without an answer the level is not offered; the listing itself says what is wrong.
      const path = `geojsonl/lv${other}?gid-${level}=${encode(gid)}&page-size=1`;
      const matched = await this.#client.count(path, signal).catch(() => 0);
      counts.set(other, matched);
    }
    if (deeper.length > 0) this.#onChange();
  }
}
