// What is shown: a place, the names of its units, and the selected unit.
// workspace.ts draws it after each change.
import type { About } from '../api/about.ts';
import type { Client, Unit } from '../api/client.ts';
import type { Names } from '../api/names.ts';
import { listingToPath, unitToPath } from '../api/page-request.ts';
import { type NamedUnit, unitToRow } from '../api/unit.ts';
import { isSpot, isWorld, type Place, selection } from './place.ts';

interface Listeners {
  onChange: (what: 'place' | 'rows' | 'selection' | 'unit' | 'opened' | 'unknown') => void;
  onError: (error: unknown) => void;
}

interface Options {
  client: Client;
  names: Names;
  about: About;
  place: Place;
  listeners: Listeners;
}

/** Rows of a list whose units only the service knows. */
const ROWS_MAX = 10_000;

/** The state of the page while someone is signed in. */
export class Shown {
  #options;
  #ended = new AbortController();
  #unitRequest: AbortController | undefined;

  place: Place;
  /** The units of the list, complete up to 10,000. */
  rows: NamedUnit[] = [];
  /** How many units the list would have. */
  total = 0;
  /** Are the rows of this place known? */
  hasRows = false;
  /** Could the names of this place not be had? */
  hasFailed = false;
  /** Could the selected unit not be had? */
  hasUnitFailed = false;
  /** The GID or fid that the place selects, if this release has no such unit. */
  unknown: string | undefined;
  /** The units on the way from the world to this place, the opened one last. */
  lineage: NamedUnit[] = [];
  /** The opened unit without its geometry: its box has far islands, too. */
  opened: Unit | undefined;
  selected: NamedUnit | undefined;
  /** The selected unit in full, as the service has it. */
  unit: Unit | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.place = options.place;
  }

  /** Is the whole release shown, by its highest level? */
  get isWorld() {
    return isWorld(this.place, this.#options.about.levels);
  }

  /** The row of the unit that a place selects. */
  rowOf({ level, unit, fid }: Pick<Place, 'level' | 'fid'> & { unit?: string | undefined }) {
    if (level !== this.place.level) return undefined;
    return this.rows.find((row) => (unit === undefined ? row.fid === fid : row.gid === unit));
  }

  /** The address of the request for the selected unit, else for the units of this place. */
  get url() {
    const { gid = null, level = 0 } = this.selected ?? {};
    const listing = gid === null ? this.place : { level, filters: new Map([[level, gid]]) };
    return this.#options.client.urlOf(listingToPath(listing));
  }

  /** Shows a place from the beginning. */
  async show(place: Place) {
    this.stop();
    this.place = place;
    Object.assign(this, { rows: [], total: 0, hasRows: false, hasFailed: false, lineage: [], opened: undefined });
    Object.assign(this, { selected: undefined, unit: undefined, hasUnitFailed: false, unknown: undefined });
    this.#options.listeners.onChange('place');
    await this.#loadRows(place);
  }

  /** Selects a unit of the list. */
  async select(row: NamedUnit | undefined) {
    this.#unitRequest?.abort();
    this.selected = row;
    this.hasUnitFailed = false;
    this.unit = undefined;
    this.place = { ...this.place, ...selection(row) };
    this.#options.listeners.onChange('selection');
    await (row === undefined ? this.#loadOpened() : this.#loadUnit(row));
  }

  /** Stops every request. */
  stop() {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#unitRequest?.abort();
  }

  /** The list from the names of the release. */
  async #loadRows(place: Place) {
    const { signal } = this.#ended;
    const isCurrent = () => !signal.aborted;
    const [deepest] = [...place.filters].sort(([a], [b]) => b - a);
    try {
      const [{ units, total }, lineage] = await Promise.all([
        this.#rowsOf(place, signal),
        deepest === undefined ? [] : this.#options.names.lineage(...deepest),
      ]);
      if (!isCurrent()) return;
      this.lineage = lineage;
      Object.assign(this, { rows: units, total, hasRows: true });
    } catch (error) {
      if (!isCurrent()) return;
      this.hasFailed = true;
      this.#options.listeners.onChange('rows');
      this.#options.listeners.onError(error);
      return;
    }
    this.#options.listeners.onChange('rows');
    const { unit, fid } = place;
    const listed = this.rowOf(place);
    try {
      const chosen = listed ?? (unit && (await this.#options.names.find(place.level, unit)));
      if (!isCurrent() || this.selected !== undefined) return;
      if (chosen) return await this.select(chosen);
      // While a unit is selected nobody asks for all of the opened one.
      void this.#loadOpened();
      const isListed = this.total === this.rows.length && this.total > 0;
      if (unit === undefined && (fid === undefined || !isListed)) return;
      this.unknown = unit ?? `fid ${fid}`;
      this.#options.listeners.onChange('unknown');
    } catch (error) {
      if (isCurrent()) this.#options.listeners.onError(error);
    }
  }

  async #rowsOf(place: Place, signal: AbortSignal): Promise<{ units: NamedUnit[]; total: number }> {
    const { level, filters } = place;
    const [[of, gid] = [level, undefined], ...others] = filters;
    const isInOne = others.length === 0 && (gid === undefined || of < level) && !isSpot(place);
    return (isInOne && (await this.#options.names.children({ level, of, gid }))) || this.#rowsOfPages(place, signal);
  }

  /**
   * The same where the names do not tell which units are inside, because a parent is missing between, or for several
   * filters, a box or a point: the service does.
   */
  async #rowsOfPages(place: Place, signal: AbortSignal): Promise<{ units: NamedUnit[]; total: number }> {
    const columns = this.#options.about.levels[place.level];
    const rows: NamedUnit[] = [];
    let total = 0;
    let url: string | undefined = this.#options.client.urlOf(listingToPath(place, this.#options.about.lightest));
    while (url !== undefined && columns !== undefined && rows.length < ROWS_MAX) {
      const page = await this.#options.client.page(url, signal);
      for (const unit of page.units) rows.push(unitToRow(unit, columns));
      [url, total] = [page.next, page.matched];
    }
    const known = await this.#options.names.findAll(
      place.level,
      rows.map(({ gid }) => gid ?? ''),
    );
    return { units: rows.map((row, i) => known[i] ?? row), total };
  }

  /** Asks for the opened unit, without its geometry, unless it is there. */
  async #loadOpened() {
    const { signal } = this.#ended;
    const opened = this.lineage.at(-1);
    const { gid = null, level = 0 } = opened ?? {};
    if (gid === null || this.opened !== undefined) return;
    const path = listingToPath({ level, filters: new Map([[level, gid]]) }, this.#options.about.lightest);
    try {
      const unit = await this.#read(path, opened?.fid, signal);
      if (signal.aborted) return;
      this.opened = unit;
      this.#options.listeners.onChange('opened');
    } catch (error) {
      if (!signal.aborted) this.#options.listeners.onError(error);
    }
  }

  async #loadUnit(row: NamedUnit) {
    const request = new AbortController();
    this.#unitRequest = request;
    try {
      const unit = await this.#read(unitToPath(row), row.fid, request.signal);
      if (this.selected !== row) return;
      this.unit = unit;
      this.#options.listeners.onChange('unit');
    } catch (error) {
      if (request.signal.aborted) return;
      this.hasUnitFailed = true;
      this.#options.listeners.onChange('unit');
      this.#options.listeners.onError(error);
    }
  }

  /** @param path of a page */
  async #read(path: string, fid: number | undefined, signal: AbortSignal) {
    const { units } = await this.#options.client.page(this.#options.client.urlOf(path), signal);
    return units.find(({ id }) => id === fid);
  }
}
