// What is shown: a place, the names of its units, their pages and the selected unit. app.js draws it after each change.
import { textToUnit } from '../api/client.js';
import { attributesAlone, shapesAt } from '../api/geometry.js';
import { downloadToPath, listingToPath, requestToPath, unitToPath } from '../api/page-request.js';
import { identify, unitToRow } from '../api/unit.js';
import { Listing } from './listing.js';
import { isPlain, isSpot, isWorld, selection } from './place.js';

/**
 * @typedef {import('./place.js').Place} Place
 * @typedef {import('../api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('../api/client.js').Unit} Unit
 *
 * @typedef {object} Listeners
 * @property {(what: 'place' | 'rows' | 'pages' | 'selection' | 'unit' | 'unknown') => void} onChange
 * @property {(units: Unit[], isFirst: boolean) => void} onUnits units of a page, for the map
 * @property {(error: unknown) => void} onError of what is not part of the listing
 */

/** Rows of a list whose units only the service knows. */
const ROWS_MAX = 10_000;

/** The state of the page while someone is signed in. */
export class Shown {
  #client;
  #names;
  #levels;
  #geometries;
  #zoomOf;
  #listeners;
  #ended = new AbortController();
  /** @type {AbortController | undefined} */
  #unitRequest;

  /** @type {Place} */
  place;
  /** The units of the list, complete up to 10,000. @type {NamedUnit[]} */
  rows = [];
  /** How many units the list would have. */
  total = 0;
  /** Are the rows of this place known? */
  hasRows = false;
  /** Could the names of this place not be had? */
  hasFailed = false;
  /** Could the selected unit not be had? */
  hasUnitFailed = false;
  /** The GID or fid that the place selects, if this release has no such unit. @type {string | undefined} */
  unknown;
  /** The units on the way from the world to this place, the opened one last. @type {NamedUnit[]} */
  lineage = [];
  /** The pages of this place; undefined while the overview is enough. @type {Listing | undefined} */
  listing;
  /** The geometry of these pages. */
  geometry = 'full';
  /** @type {NamedUnit | undefined} */
  selected;
  /** The selected unit in full, as the service has it. @type {Unit | undefined} */
  unit;

  /**
   * @param {object} options
   * @param {import('../api/client.js').Client} options.client
   * @param {import('../api/names.js').Names} options.names
   * @param {import('../api/about.js').About} options.about
   * @param {(place: Place) => number} options.zoomOf at which zoom the map will show a place
   * @param {Place} options.place
   * @param {Listeners} options.listeners
   */
  constructor({ client, names, about, zoomOf, place, listeners }) {
    this.#client = client;
    this.#names = names;
    this.#levels = about.levels;
    this.#geometries = about.geometries;
    this.#zoomOf = zoomOf;
    this.#listeners = listeners;
    this.place = place;
  }

  /** Is the overview what the map shows? */
  get isWorld() {
    return this.listing === undefined;
  }

  /** Did the user say what the request is like? Then the map shows what it brings and no more. */
  get isChosen() {
    return !isPlain(this.place);
  }

  /** The address of the request for the units of this place. */
  get url() {
    return this.#client.urlOf(requestToPath({ ...this.place, geometry: this.geometry }));
  }

  /**
   * Shows a place from the beginning.
   * @param {Place} place
   * @param {boolean} [withPages] also where the overview is enough
   */
  async show(place, withPages = false) {
    this.stop();
    this.place = place;
    Object.assign(this, { rows: [], total: 0, hasRows: false, hasFailed: false, lineage: [] });
    Object.assign(this, { selected: undefined, unit: undefined, hasUnitFailed: false, unknown: undefined });
    const hasPages = withPages || !isWorld(place, this.#levels);
    this.geometry = place.geometry || 'full';
    if (hasPages && isPlain(place)) this.geometry = shapesAt(this.#zoomOf(place), this.#geometries);
    const isAutomatic = (place.filters.size > 0 || isSpot(place)) && place.pageSize === '' && place.startAt === '';
    this.listing = hasPages ? this.#openListing(isAutomatic) : undefined;
    this.#listeners.onChange('place');
    const { listing } = this;
    await Promise.all([this.#loadRows(place), isAutomatic ? listing?.loadAll() : listing?.open()]);
  }

  /**
   * Selects a unit of the list.
   * @param {NamedUnit | undefined} row
   */
  async select(row) {
    this.#unitRequest?.abort();
    this.selected = row;
    this.hasUnitFailed = false;
    this.unit = row === undefined ? undefined : this.#loadedUnit(row.fid);
    this.place = { ...this.place, ...selection(row) };
    this.#listeners.onChange('selection');
    if (row !== undefined && this.unit === undefined) await this.#loadUnit(row);
  }

  /** Stops every request. */
  stop() {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.listing?.stop();
    this.#unitRequest?.abort();
  }

  /** @param {number} fid */
  #loadedUnit(fid) {
    return this.geometry !== 'full' ? undefined : this.listing?.units.find(({ id }) => id === fid);
  }

  /** @param {boolean} isAutomatic is all of it loaded? */
  #openListing(isAutomatic) {
    const { place, geometry } = this;
    const client = this.#client;
    /** @type {import('./listing.js').FetchWhole} */
    const fetchWhole = async function* (release, signal) {
      for await (const { lines } of client.download(downloadToPath({ ...place, geometry, release }), signal))
        yield { units: lines.map(textToUnit), characters: lines.reduce((sum, { length }) => sum + length, 0) };
    };
    /** @type {Listing} */
    const listing = new Listing({
      url: this.url,
      fetchPage: (url, signal) => client.page(url, signal),
      fetchWhole: isAutomatic ? fetchWhole : undefined,
      onPage: (units, isFirst) => {
        for (const unit of units) identify(unit, this.#levels[this.place.level]);
        if (listing === this.listing) this.#listeners.onUnits(units, isFirst);
      },
      onChange: () => listing === this.listing && this.#listeners.onChange('pages'),
    });
    return listing;
  }

  /**
   * The list from the names of the release; from the pages where the names cannot be had.
   * @param {Place} place
   */
  async #loadRows(place) {
    const { signal } = this.#ended;
    const isCurrent = () => !signal.aborted;
    const [deepest] = [...place.filters].sort(([a], [b]) => b - a);
    try {
      const [{ units, total }, lineage] = await Promise.all([
        this.#rowsOf(place, signal),
        deepest === undefined ? [] : this.#names.lineage(...deepest),
      ]);
      if (!isCurrent()) return;
      this.lineage = lineage;
      Object.assign(this, { rows: units, total, hasRows: true });
    } catch (error) {
      if (!isCurrent()) return;
      this.hasFailed = true;
      this.#listeners.onChange('rows');
      this.#listeners.onError(error);
      return;
    }
    this.#listeners.onChange('rows');
    const { unit, fid } = place;
    const listed = this.rows.find((row) => (unit === undefined ? row.fid === fid : row.gid === unit));
    try {
      const chosen = listed ?? (unit && (await this.#names.find(place.level, unit)));
      if (!isCurrent() || this.selected !== undefined) return;
      if (chosen) return await this.select(chosen);
      const isListed = this.total === this.rows.length && this.total > 0;
      if (unit === undefined && (fid === undefined || !isListed)) return;
      this.unknown = unit ?? `fid ${fid}`;
      this.#listeners.onChange('unknown');
    } catch (error) {
      if (isCurrent()) this.#listeners.onError(error);
    }
  }

  /**
   * @param {Place} place
   * @param {AbortSignal} signal
   * @returns {Promise<{ units: NamedUnit[], total: number }>}
   */
  async #rowsOf(place, signal) {
    const { level, filters } = place;
    if (isSpot(place)) return this.#rowsOfPages(place, signal);
    const own = filters.get(level);
    if (own !== undefined) {
      const unit = await this.#names.find(level, own);
      return { units: unit === undefined ? [] : [unit], total: unit === undefined ? 0 : 1 };
    }
    const above = [...filters].filter(([of]) => of < level).sort(([a], [b]) => b - a);
    const parents = above.length === 0 ? [{ of: level, gid: undefined }] : above.map(([of, gid]) => ({ of, gid }));
    const lists = await Promise.all(parents.map((parent) => this.#names.children({ level, ...parent })));
    const [first, ...others] = lists.filter((list) => list !== undefined);
    if (first === undefined || 1 + others.length < lists.length) return this.#rowsOfPages(place, signal);
    if (others.length === 0) return first;
    const fids = others.map(({ units }) => new Set(units.map((unit) => unit.fid)));
    const units = first.units.filter((unit) => fids.every((set) => set.has(unit.fid)));
    return { units, total: first.total > first.units.length ? first.total : units.length };
  }

  /**
   * The same where the names do not tell which units are inside, because a parent is missing between, or for a box or
   * point: the service does.
   * @param {Place} place
   * @param {AbortSignal} signal
   * @returns {Promise<{ units: NamedUnit[], total: number }>}
   */
  async #rowsOfPages(place, signal) {
    const columns = this.#levels[place.level];
    /** @type {NamedUnit[]} */
    const rows = [];
    let total = 0;
    /** @type {string | undefined} */
    let url = this.#client.urlOf(listingToPath(place, attributesAlone(this.#geometries)));
    while (url !== undefined && columns !== undefined && rows.length < ROWS_MAX) {
      const page = await this.#client.page(url, signal);
      for (const unit of page.units) {
        identify(unit, columns);
        rows.push(unitToRow(unit, columns));
      }
      [url, total] = [page.next, page.matched];
    }
    const known = await this.#names.findAll(
      place.level,
      rows.map(({ gid }) => gid ?? ''),
    );
    return { units: rows.map((row, i) => known[i] ?? row), total };
  }

  /** @param {NamedUnit} row */
  async #loadUnit(row) {
    const request = new AbortController();
    this.#unitRequest = request;
    try {
      const page = await this.#client.page(this.#client.urlOf(unitToPath(row)), request.signal);
      if (this.selected !== row) return;
      this.unit = page.units.find(({ id }) => id === row.fid);
      if (this.unit !== undefined) identify(this.unit, this.#levels[row.level]);
      this.#listeners.onChange('unit');
    } catch (error) {
      if (request.signal.aborted) return;
      this.hasUnitFailed = true;
      this.#listeners.onChange('unit');
      this.#listeners.onError(error);
    }
  }
}

/**
 * The rows of units whose names are not known.
 * @param {Shown} shown
 * @param {import('./place.js').LevelColumns | undefined} columns
 */
export function rowsOfUnits({ listing }, columns) {
  return columns === undefined || listing === undefined ? [] : listing.units.map((unit) => unitToRow(unit, columns));
}
