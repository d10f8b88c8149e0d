// The names of the units, with their parents, what is inside and where a map goes to show them: from the names files of
// the release, each level loaded when it is first needed.
import { RefusalError } from './client.js';
import { typeOf } from './unit.js';

/**
 * @typedef {import('./unit.js').NamedUnit} NamedUnit
 *
 * @typedef {[fid: number, gid: string | null, name: string | null, type: string | null, parent: string | null,
 * children: number, view: import('../map/geometry/box.js').Box | null, inside: import('./unit.js').UnitsInside[]]} Row
 *
 * The units of a level.
 * @typedef {object} LevelNames
 * @property {string} release
 * @property {NamedUnit[]} units in order of fid
 * @property {Map<string, NamedUnit>} byGid of several with a GID the first
 * @property {boolean} hasOrphans has a unit no GID of a parent?
 */

/** The columns that are read; others are ignored. */
const COLUMNS = ['fid', 'gid', 'name', 'type', 'parent', 'children', 'view', 'inside'];
/** Units that `children` returns at most. */
const CHILDREN_MAX = 10_000;
/** How often the levels are loaded until they are all of one release. */
const ROUNDS_MAX = 3;

/** The names that are loaded: an object for each unit, some 150 bytes. Promises reject with RefusalError. */
export class Names {
  #client;
  #token;
  #ended = new AbortController();
  /** @type {Map<number, { load: Promise<LevelNames>, token: string, isLoaded: boolean }>} */
  #levels = new Map();
  /** That of the newest answer. */
  #release = '';

  /**
   * @param {import('./client.js').Client} client
   * @param {() => string} token
   */
  constructor(client, token) {
    this.#client = client;
    this.#token = token;
  }

  /**
   * Loads the levels from 0 to this one, as far as they are not loaded.
   * @param {number} level
   * @returns {Promise<LevelNames[]>} by level
   */
  async load(level) {
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      const loads = Array.from({ length: level + 1 }, (_, n) => this.#level(n));
      const loaded = await Promise.all(loads);
      const release = this.#release;
      if (loaded.every((one) => one.release === release)) return loaded;
      for (const [n, load] of loads.entries())
        if (loaded[n]?.release !== release && this.#levels.get(n)?.load === load) this.#levels.delete(n);
    }
    const detail = 'A new release was published while the names were loading. Try again.';
    throw new RefusalError({ code: 'release-changed', detail });
  }

  /** What waits rejects with an AbortError. The next call loads again. */
  close() {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#levels.clear();
  }

  /**
   * The units of `level` that are in the unit of level `of` with this GID, in order of fid. Those whose parent is
   * another unit have its title.
   * @param {{ level: number, of: number, gid: string | undefined }} place undefined for all units of the level
   * @returns {Promise<{ total: number, units: NamedUnit[] } | undefined>} CHILDREN_MAX units at most, and how many
   *   there are; undefined where the names do not tell
   */
  async children({ level, of, gid }) {
    const levels = await this.load(level);
    const units = gid === undefined ? levels[level]?.units : unitsInside(levels, { level, of, gid });
    if (units === undefined) return undefined;
    const first = units.slice(0, CHILDREN_MAX);
    return { total: units.length, units: withParents(first, gid, levelAbove(levels, level)) };
  }

  /**
   * @param {number} level
   * @param {readonly string[]} gids
   * @returns {Promise<(NamedUnit | undefined)[]>} in the same order
   */
  async findAll(level, gids) {
    const levels = await this.load(level);
    return gids.map((gid) => levels[level]?.byGid.get(gid));
  }

  /**
   * @param {number} level
   * @param {string} gid
   * @returns {Promise<NamedUnit | undefined>}
   */
  async find(level, gid) {
    return (await this.findAll(level, [gid]))[0];
  }

  /**
   * @param {number} level
   * @param {string} gid
   * @returns {Promise<NamedUnit[]>} the units from the top down to this one; none if there is no such unit
   */
  async lineage(level, gid) {
    const levels = await this.load(level);
    const unit = levels[level]?.byGid.get(gid);
    return unit === undefined ? [] : [...above(levels, unit), unit];
  }

  /** @param {number} level */
  #level(level) {
    const known = this.#levels.get(level);
    const token = this.#token();
    // What another token does not permit must not fail this one.
    if (known !== undefined && (known.isLoaded || known.token === token)) return known.load;
    const entry = { load: this.#read(level), token, isLoaded: false };
    this.#levels.set(level, entry);
    entry.load.then(
      () => {
        entry.isLoaded = true;
      },
      () => this.#levels.get(level) === entry && this.#levels.delete(level),
    );
    return entry.load;
  }

  /**
   * @param {number} level
   * @returns {Promise<LevelNames>}
   */
  async #read(level) {
    /** @type {NamedUnit[]} */
    const units = [];
    let [release, matched] = ['', 0];
    /** Where the columns are in each row. @type {number[] | undefined} */
    let columns;
    try {
      for await (const batch of this.#client.lines(`names/lv${level}`, this.#ended.signal)) {
        ({ release, matched } = batch);
        this.#release = release;
        const [header, ...others] = batch.lines;
        if (header === undefined) continue;
        const rows = columns === undefined ? others : batch.lines;
        const known = columns ?? columnsIn(header);
        columns = known;
        for (const values of JSON.parse(`[${rows.join(',')}]`)) {
          const row = Array.isArray(values) ? known.map((column) => values[column]) : [];
          if (!isRow(row)) throw new SyntaxError(`line ${units.length + 2} is not a unit`);
          units.push(toUnit(level, row));
        }
      }
      if (columns === undefined) columnsIn('');
      if (units.length !== matched) throw new SyntaxError(`they are of ${units.length} units, expected ${matched}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const detail = `The names of lv${level} could not be read: ${error.message}.`;
      throw new RefusalError({ status: 200, detail });
    }
    /** @type {LevelNames['byGid']} */
    const byGid = new Map();
    for (const unit of units) if (unit.gid !== null && !byGid.has(unit.gid)) byGid.set(unit.gid, unit);
    return { release, units, byGid, hasOrphans: units.some(({ parent }) => parent === null) };
  }
}

/**
 * Where the columns are, by their names.
 * @param {string} header
 */
function columnsIn(header) {
  const names = header.startsWith('[') ? JSON.parse(header) : [];
  const columns = COLUMNS.map((column) => names.indexOf(column));
  if (columns.includes(-1)) throw new SyntaxError(`they begin with "${header.slice(0, 80)}", expected ${COLUMNS}`);
  return columns;
}

/**
 * @param {unknown[]} row
 * @returns {row is Row}
 */
function isRow(row) {
  const [fid, , , , , children, view, inside] = row;
  const areTexts = row.slice(1, 5).every((text) => text === null || typeof text === 'string');
  const hasView = view === null || (Array.isArray(view) && view.length === 4);
  return areTexts && hasView && Array.isArray(inside) && typeof fid === 'number' && typeof children === 'number';
}

/**
 * @param {number} level
 * @param {Row} row
 * @returns {NamedUnit}
 */
function toUnit(level, [fid, gid, name, type, parent, children, view, inside]) {
  return { level, fid, gid, name, type: typeOf(type), parent, children, view: view ?? undefined, inside };
}

/**
 * The nearest level above that has units.
 * @param {readonly LevelNames[]} levels
 * @param {number} level
 */
function levelAbove(levels, level) {
  return levels.slice(0, level).findLast(({ units }) => units.length > 0);
}

/**
 * The units that a unit is in, from the top.
 * @param {readonly LevelNames[]} levels
 * @param {NamedUnit} unit
 */
function above(levels, unit) {
  /** @type {NamedUnit[]} */
  const units = [];
  let { level, parent } = unit;
  while (parent !== null) {
    const found = levelAbove(levels, level)?.byGid.get(parent);
    if (found === undefined) break;
    units.unshift(found);
    ({ level, parent } = found);
  }
  return units;
}

/**
 * The units of `level` that are in the unit of level `of` with this GID. Names have the nearest parent alone: what is
 * inside is not known where units of a level on the way have none.
 * @param {readonly LevelNames[]} levels
 * @param {{ level: number, of: number, gid: string }} place
 * @returns {NamedUnit[] | undefined}
 */
function unitsInside(levels, { level, of, gid }) {
  const way = levels.slice(of + 1, level + 1);
  const [, ...deeper] = way.filter(({ units }) => units.length > 0);
  if (deeper.some(({ hasOrphans }) => hasOrphans)) return undefined;
  /** GIDs of the units at the level above. @type {Set<string | null>} */
  let gids = new Set([gid]);
  /** @type {NamedUnit[]} */
  let inside = [];
  for (const { units } of way) {
    inside = units.filter(({ parent }) => parent !== null && gids.has(parent));
    if (units.length > 0) gids = new Set(inside.map((unit) => unit.gid));
  }
  return inside;
}

/**
 * @param {NamedUnit[]} units
 * @param {string | undefined} known GID of a parent that goes without saying
 * @param {LevelNames | undefined} parents the level of their parents
 */
function withParents(units, known, parents) {
  return units.map((unit) => {
    const { parent } = unit;
    if (parent === null || parent === known) return unit;
    return { ...unit, parentTitle: parents?.byGid.get(parent)?.name ?? parent };
  });
}
