// The names of the units, with their parents, what is inside and where a map goes to show them: from the names files of
// the release, each level loaded when it is first needed.
import type { Box } from '../map/geometry/box.ts';
import { type Client, type Kept, OTHER_RELEASE, RELEASE_CHANGED, RefusalError } from './client.ts';
import { type NamedUnit, typeOf, type UnitsInside } from './unit.ts';

type Row = [
  fid: number,
  gid: string | null,
  name: string | null,
  type: string | null,
  parent: string | null,
  children: number,
  view: Box | null,
  inside: UnitsInside[],
  own: string | null,
];

/** Units of `level` in the unit of level `of` with this GID. */
type PlaceInNames = { level: number; of: number; gid: string | undefined };

/** The units of a level. */
interface LevelNames {
  release: string;
  /** In order of fid. */
  units: NamedUnit[];
  /** Of several with a GID the first. */
  byGid: Map<string, NamedUnit>;
  /** Has a unit no GID of a parent? */
  hasOrphans: boolean;
}

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
  #lang;
  #wanted;
  #ended = new AbortController();
  #levels: Map<number, { load: Promise<LevelNames>; token: string; isLoaded: boolean }> = new Map();
  /** That of the newest answer. */
  #release = '';

  /**
   * @param lang the tag of the language; that of the default names where the release does not have it
   * @param wanted the release that is shown; undefined while none is, for the newest one
   */
  constructor(
    client: Client,
    token: () => string,
    lang: () => string,
    wanted: () => string | undefined = () => undefined,
  ) {
    this.#client = client;
    this.#token = token;
    this.#lang = lang;
    this.#wanted = wanted;
  }

  /**
   * Loads the levels from 0 to this one, as far as they are not loaded.
   * @returns by level, all of one release
   */
  async load(level: number): Promise<LevelNames[]> {
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      // What the browser keeps may be of a release before.
      const cache = round === 1 ? 'default' : 'no-cache';
      const loads = Array.from({ length: level + 1 }, (_, n) => this.#level(n, cache));
      const loaded = await Promise.all(loads);
      const release = this.#wanted() ?? this.#release;
      if (loaded.every((one) => one.release === release)) return loaded;
      for (const [n, load] of loads.entries())
        if (loaded[n]?.release !== release && this.#levels.get(n)?.load === load) this.#levels.delete(n);
    }
    throw new RefusalError({ code: RELEASE_CHANGED, detail: `${OTHER_RELEASE} Try again in a minute.` });
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
   * @param place undefined for all units of the level
   * @returns CHILDREN_MAX units at most, and how many there are; undefined where the names do not tell
   */
  async children(place: PlaceInNames): Promise<{ total: number; units: NamedUnit[] } | undefined> {
    const { level, of, gid } = place;
    const levels = await this.load(level);
    const units = gid === undefined ? levels[level]?.units : unitsInside(levels, { level, of, gid });
    if (units === undefined) return undefined;
    const first = units.slice(0, CHILDREN_MAX);
    return { total: units.length, units: withParents(first, gid, levelAbove(levels, level)) };
  }

  #level(level: number, cache: Kept) {
    const known = this.#levels.get(level);
    const token = this.#token();
    // What another token does not permit must not fail this one.
    if (known !== undefined && (known.isLoaded || known.token === token)) return known.load;
    const entry = { load: this.#read(level, cache), token, isLoaded: false };
    this.#levels.set(level, entry);
    entry.load.then(
      () => {
        entry.isLoaded = true;
      },
      () => this.#levels.get(level) === entry && this.#levels.delete(level),
    );
    return entry.load;
  }

  async #read(level: number, cache: Kept): Promise<LevelNames> {
    const units: NamedUnit[] = [];
    let [release, matched] = ['', 0];
    /** Where the columns are in each row. */
    let columns: number[] | undefined;
    const own = `name:${this.#lang()}`;
    try {
      for await (const batch of this.#client.lines(`names/lv${level}`, this.#ended.signal, cache)) {
        ({ release, matched } = batch);
        this.#release = release;
        const [header, ...others] = batch.lines;
        if (header === undefined) continue;
        const rows = columns === undefined ? others : batch.lines;
        const known = columns ?? columnsIn(header, own);
        columns = known;
        for (const values of JSON.parse(`[${rows.join(',')}]`)) {
          const row = Array.isArray(values) ? known.map((column) => values[column]) : [];
          if (!isRow(row)) throw new SyntaxError(`line ${units.length + 2} is not a unit`);
          units.push(toUnit(level, row));
        }
      }
      if (columns === undefined) columnsIn('', own);
      if (units.length !== matched) throw new SyntaxError(`they are of ${units.length} units, expected ${matched}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const detail = `The names of lv${level} could not be read: ${error.message}.`;
      throw new RefusalError({ status: 200, detail });
    }
    const byGid: LevelNames['byGid'] = new Map();
    for (const unit of units) if (unit.gid !== null && !byGid.has(unit.gid)) byGid.set(unit.gid, unit);
    return { release, units, byGid, hasOrphans: units.some(({ parent }) => parent === null) };
  }
}

/** Where the columns are, by their names; the last one of names in a language, or else of the default ones again. */
function columnsIn(header: string, own: string) {
  const names = header.startsWith('[') ? JSON.parse(header) : [];
  const columns = COLUMNS.map((column) => names.indexOf(column));
  if (columns.includes(-1)) throw new SyntaxError(`they begin with "${header.slice(0, 80)}", expected ${COLUMNS}`);
  return [...columns, names.indexOf(names.includes(own) ? own : 'name')];
}

function isRow(row: unknown[]): row is Row {
  const [fid, , , , , children, view, inside] = row;
  const areTexts = [...row.slice(1, 5), row.at(-1)].every((text) => text === null || typeof text === 'string');
  const hasView = view === null || (Array.isArray(view) && view.length === 4);
  return areTexts && hasView && Array.isArray(inside) && typeof fid === 'number' && typeof children === 'number';
}

function toUnit(level: number, [fid, gid, name, type, parent, children, view, inside, own]: Row): NamedUnit {
  return { level, fid, gid, name: own ?? name, type: typeOf(type), parent, children, view: view ?? undefined, inside };
}

/** The nearest level above that has units. */
function levelAbove(levels: readonly LevelNames[], level: number) {
  return levels.slice(0, level).findLast(({ units }) => units.length > 0);
}

/**
 * The units of `level` that are in the unit of level `of` with this GID. Names have the nearest parent alone: what is
 * inside is not known where units of a level on the way have none.
 */
function unitsInside(
  levels: readonly LevelNames[],
  { level, of, gid }: { level: number; of: number; gid: string },
): NamedUnit[] | undefined {
  const way = levels.slice(of + 1, level + 1);
  const [, ...deeper] = way.filter(({ units }) => units.length > 0);
  if (deeper.some(({ hasOrphans }) => hasOrphans)) return undefined;
  /** GIDs of the units at the level above. */
  let gids: Set<string | null> = new Set([gid]);
  let inside: NamedUnit[] = [];
  for (const { units } of way) {
    inside = units.filter(({ parent }) => parent !== null && gids.has(parent));
    if (units.length > 0) gids = new Set(inside.map((unit) => unit.gid));
  }
  return inside;
}

/**
 * @param known GID of a parent that goes without saying
 * @param parents the level of their parents
 */
function withParents(units: NamedUnit[], known: string | undefined, parents: LevelNames | undefined) {
  return units.map((unit) => {
    const { parent } = unit;
    if (parent === null || parent === known) return unit;
    return { ...unit, parentTitle: parents?.byGid.get(parent)?.name ?? parent };
  });
}
