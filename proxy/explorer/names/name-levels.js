// The names of all levels: loads each when it is first needed, and answers what the page asks for. Runs in the worker.
import { RefusalError } from '../api/client.js';
import { loadNames } from './load-names.js';

/**
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('./name-index.js').NameIndex} NameIndex
 * @typedef {{ token: string, onProgress: (progress: import('./load-names.js').Progress) => void }} Access
 */

/** Units that `children` returns at most. */
export const CHILDREN_MAX = 10_000;
/** How often the levels are loaded until they are all of one release. */
const ROUNDS_MAX = 3;

/** The names that are loaded. */
export class NameLevels {
  #base;
  /** @type {Map<number, { load: Promise<{ index: NameIndex, release: string }>, token: string, isLoaded: boolean }>} */
  #levels = new Map();
  /** That of the newest answer. */
  #release = '';

  /** @param {string} base URL of the service, with the slash at its end */
  constructor(base) {
    this.#base = base;
  }

  /**
   * Loads the levels from 0 to this one, as far as they are not loaded.
   * @param {number} level
   * @param {Access} access
   * @returns {Promise<{ indexes: NameIndex[], release: string }>} indexes by level
   * @throws {RefusalError}
   */
  async load(level, access) {
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const loads = Array.from({ length: level + 1 }, (_, n) => this.#level(n, access));
      const loaded = await Promise.all(loads);
      const release = this.#release;
      if (loaded.every((one) => one.release === release)) return { indexes: loaded.map(({ index }) => index), release };
      for (const [n, load] of loads.entries())
        if (loaded[n]?.release !== release && this.#levels.get(n)?.load === load) this.#levels.delete(n);
    }
    const detail = 'A new release was published while the names were loaded. Try again.';
    throw new RefusalError({ status: 0, code: 'release-changed', detail });
  }

  /**
   * The units of `level` that are in the unit of level `of` with this GID, in order of fid. Those whose parent is
   * another unit have its title.
   * @param {{ level: number, of: number, gid: string | undefined }} place undefined for all units of the level
   * @param {Access} access
   * @returns {Promise<{ total: number, units: NamedUnit[] } | undefined>} CHILDREN_MAX units at most, and how many
   * there
   *   are; undefined where the names do not tell
   * @throws {RefusalError}
   */
  async children({ level, of, gid }, access) {
    const { indexes } = await this.load(level, access);
    const index = indexAt(indexes, level);
    if (gid === undefined) {
      const first = Array.from({ length: Math.min(index.length, CHILDREN_MAX) }, (_, row) => row);
      return { total: index.length, units: withParents(indexes, unitsAt(index, first), gid) };
    }
    const rows = rowsInside(indexes, { level, of, gid });
    if (rows === undefined) return undefined;
    return { total: rows.length, units: withParents(indexes, unitsAt(index, rows.slice(0, CHILDREN_MAX)), gid) };
  }

  /**
   * How many of the units of `level` that are in the unit of level `of` with this GID have each type.
   * @param {{ level: number, of: number, gid: string }} place
   * @param {Access} access
   * @returns {Promise<[type: string | null, units: number][] | undefined>} the commonest type first; undefined where
   * the
   *   names do not tell
   * @throws {RefusalError}
   */
  async types(place, access) {
    const { indexes } = await this.load(place.level, access);
    const index = indexAt(indexes, place.level);
    /** @type {Map<string | null, number>} */
    const counts = new Map();
    const rows = rowsInside(indexes, place);
    if (rows === undefined) return undefined;
    for (const row of rows) {
      const { type } = index.unitAt(row);
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  /**
   * @param {number} level
   * @param {string} gid
   * @param {Access} access
   * @returns {Promise<NamedUnit | undefined>}
   * @throws {RefusalError}
   */
  async find(level, gid, access) {
    const [unit] = await this.findAll(level, [gid], access);
    return unit;
  }

  /**
   * @param {number} level
   * @param {readonly string[]} gids
   * @param {Access} access
   * @returns {Promise<(NamedUnit | undefined)[]>} in the same order
   * @throws {RefusalError}
   */
  async findAll(level, gids, access) {
    const { indexes } = await this.load(level, access);
    return gids.map((gid) => indexAt(indexes, level).find(gid));
  }

  /**
   * @param {number} level
   * @param {string} gid
   * @param {Access} access
   * @returns {Promise<NamedUnit[]>} the units from the top down to this one; none if there is no such unit
   * @throws {RefusalError}
   */
  async lineage(level, gid, access) {
    const { indexes } = await this.load(level, access);
    const unit = indexAt(indexes, level).find(gid);
    return unit === undefined ? [] : [...above(indexes, unit), unit];
  }

  /**
   * @param {number} level
   * @param {Access} access
   */
  #level(level, { token, onProgress }) {
    const known = this.#levels.get(level);
    // What another token does not permit must not fail this one.
    if (known !== undefined && (known.isLoaded || known.token === token)) return known.load;
    const onRelease = (/** @type {string} */ release) => {
      this.#release = release;
    };
    const load = loadNames(this.#base, level, { token, onRelease, onProgress });
    const entry = { load, token, isLoaded: false };
    this.#levels.set(level, entry);
    load.then(
      () => {
        entry.isLoaded = true;
      },
      () => this.#levels.get(level) === entry && this.#levels.delete(level),
    );
    return load;
  }
}

/**
 * The units that a unit is in, from the top.
 * @param {readonly NameIndex[]} indexes by level
 * @param {NamedUnit} unit
 */
function above(indexes, unit) {
  /** @type {NamedUnit[]} */
  const units = [];
  let { level, parent } = unit;
  while (parent !== null) {
    const index = indexes.slice(0, level).findLast(({ length }) => length > 0);
    const found = index?.find(parent);
    if (found === undefined) break;
    units.unshift(found);
    ({ level, parent } = found);
  }
  return units;
}

/**
 * The rows of the units of `level` that are in the unit of level `of` with this GID. Names have the nearest parent
 * alone: what is inside is not known where units of a level on the way have none.
 * @param {readonly NameIndex[]} indexes by level
 * @param {{ level: number, of: number, gid: string }} place
 * @returns {number[] | undefined}
 */
function rowsInside(indexes, { level, of, gid }) {
  const [, ...deeper] = indexes.slice(of + 1, level + 1).filter(({ length }) => length > 0);
  if (deeper.some(({ hasOrphans }) => hasOrphans)) return undefined;
  /** GIDs of the units at the level above. @type {ReadonlySet<string>} */
  let gids = new Set([gid]);
  for (const between of indexes.slice(of + 1, level)) {
    if (between.length === 0) continue;
    const units = between.rowsIn(gids).map((row) => between.unitAt(row).gid);
    gids = new Set(units.filter((value) => value !== null));
  }
  return indexAt(indexes, level).rowsIn(gids);
}

/**
 * @param {readonly NameIndex[]} indexes by level
 * @param {NamedUnit[]} units of one level
 * @param {string | undefined} known GID of a parent that goes without saying
 */
function withParents(indexes, units, known) {
  /** @type {Map<string, string>} */
  const titles = new Map();
  for (const unit of units) {
    const { parent } = unit;
    if (parent === null || parent === known) continue;
    const title = titles.get(parent) ?? above(indexes, unit).at(-1)?.name ?? parent;
    titles.set(parent, title);
    unit.parentTitle = title;
  }
  return units;
}

/**
 * @param {readonly NameIndex[]} indexes
 * @param {number} level
 */
function indexAt(indexes, level) {
  const index = indexes[level];
  if (index === undefined) throw new RangeError(`level ${level} of ${indexes.length}`);
  return index;
}

/**
 * @param {NameIndex} index
 * @param {readonly number[]} rows
 */
function unitsAt(index, rows) {
  return rows.map((row) => index.unitAt(row));
}
