// What is shown, as signals: a place, the units that it lists, the opened and the selected one. What follows on the map
// is told by name. One file, as one request after the other fills these, and another place ends all of them.
import { batch, type Signal, signal } from '@preact/signals';
import type { About } from '../api/about.ts';
import type { Client, Unit } from '../api/client.ts';
import type { Names } from '../api/names.ts';
import { listingToPath, unitToPath } from '../api/page-request.ts';
import { readTree, type Tree, type UnitAbove } from '../api/tree.ts';
import { type NamedUnit, unitToRow } from '../api/unit.ts';
import { gidsFromBelow, isSpot, isWorld, levelBelow, type Place, selection } from './place.ts';

/** What has changed. */
export type ShownChange = 'place' | 'rows' | 'selection' | 'unit' | 'opened' | 'unknown';

interface Listeners {
  onChange: (what: ShownChange) => void;
  onError: (error: unknown) => void;
}

interface Options {
  client: Client;
  names: Names;
  about: About;
  place: Place;
  listeners: Listeners;
}

/** The units of a place: they are asked for, known, or could not be had. */
export interface List {
  is: 'coming' | 'there' | 'failed';
  /** Complete up to 10,000. */
  rows: readonly NamedUnit[];
  /** How many there are. */
  total: number;
}

const COMING: List = { is: 'coming', rows: [], total: 0 };

/** What a place lists. */
type Listed = Pick<Tree, 'units' | 'total'>;

const NONE: Listed = { units: [], total: 0 };

/** Rows of a list. */
const ROWS_MAX = 10_000;

/** The state of the page while someone is signed in. */
export class Shown {
  #options;
  #ended = new AbortController();
  #unitRequest: AbortController | undefined;
  #byFid: ReadonlyMap<number, NamedUnit> = new Map();

  readonly place: Signal<Place>;
  readonly list = signal<List>(COMING);
  /** The units on the way from the world to this place, the opened one last. */
  readonly lineage = signal<readonly UnitAbove[]>([]);
  /** The opened unit, as a list of its siblings has it. */
  readonly opened = signal<NamedUnit | undefined>(undefined);
  /** The same as the service has it, without its geometry: its box has far islands, too. */
  readonly openedUnit = signal<Unit | undefined>(undefined);
  readonly selected = signal<NamedUnit | undefined>(undefined);
  /** The selected unit in full, as the service has it. */
  readonly unit = signal<Unit | undefined | 'failed'>(undefined);

  constructor(options: Options) {
    this.#options = options;
    this.place = signal(options.place);
  }

  /** Is the whole release shown, by its highest level? */
  get isWorld() {
    return isWorld(this.place.value, this.#options.about.levels);
  }

  /** The row of the unit that a place selects. */
  rowOf({ level, unit, fid }: Pick<Place, 'level' | 'fid'> & { unit?: string | undefined }) {
    if (level !== this.place.value.level) return undefined;
    return unit === undefined
      ? this.#byFid.get(fid ?? Number.NaN)
      : this.list.value.rows.find((row) => row.gid === unit);
  }

  /** The address of the request for the selected unit, else for the units of this place. */
  get url() {
    const { gid = null, level = 0 } = this.selected.value ?? {};
    const listing = gid === null ? this.place.value : { level, filters: new Map([[level, gid]]) };
    return this.#options.client.urlOf(listingToPath(listing));
  }

  /** Shows a place from the beginning. */
  async show(place: Place) {
    this.stop();
    this.#byFid = new Map();
    batch(() => {
      this.place.value = place;
      this.list.value = COMING;
      this.lineage.value = [];
      for (const one of [this.opened, this.openedUnit, this.selected, this.unit]) one.value = undefined;
    });
    this.#options.listeners.onChange('place');
    await this.#loadRows(place);
  }

  /** Selects a unit of the list. */
  async select(row: NamedUnit | undefined) {
    this.#unitRequest?.abort();
    batch(() => {
      this.selected.value = row;
      this.unit.value = undefined;
      this.place.value = { ...this.place.value, ...selection(row) };
    });
    this.#options.listeners.onChange('selection');
    await (row === undefined ? this.#loadOpenedUnit() : Promise.all([this.#loadUnit(row), this.#complete(row)]));
  }

  /** Stops every request. */
  stop() {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#unitRequest?.abort();
  }

  async #loadRows(place: Place) {
    const { signal } = this.#ended;
    const isCurrent = () => !signal.aborted;
    try {
      const { units, total } = await this.#list(place, signal);
      if (!isCurrent()) return;
      this.#byFid = new Map(units.map((row) => [row.fid, row]));
      this.list.value = { is: 'there', rows: units, total };
    } catch (error) {
      if (!isCurrent()) return;
      this.list.value = { ...COMING, is: 'failed' };
      this.#options.listeners.onChange('rows');
      this.#options.listeners.onError(error);
      return;
    }
    this.#options.listeners.onChange('rows');
    const { unit } = place;
    try {
      const chosen = this.rowOf(place) ?? (unit && (await this.#readRow(place.level, unit, signal)));
      if (!isCurrent()) return;
      if (chosen && this.selected.value === undefined) return await this.select(chosen);
      if (this.selected.value !== undefined) return;
      // While a unit is selected nobody asks for all of the opened one.
      void this.#loadOpenedUnit();
      const { rows, total } = this.list.value;
      const isListed = total === rows.length && total > 0;
      const now = this.place.value;
      if (now.unit !== undefined || (now.fid !== undefined && isListed)) this.#options.listeners.onChange('unknown');
    } catch (error) {
      if (isCurrent()) this.#options.listeners.onError(error);
    }
  }

  /**
   * What a place lists: of one unit those directly below it, as the service has them; all units of a level, or those
   * that are deeper in a unit, from the names; else from pages.
   */
  async #list(place: Place, signal: AbortSignal): Promise<Listed> {
    const { names, about } = this.#options;
    const { level } = place;
    const [opened, ...others] = gidsFromBelow(place);
    const isPlain = others.length === 0 && !isSpot(place);
    const listed = async (): Promise<Listed> => {
      const { level: of = level, gid } = opened ?? {};
      const isNamed = isPlain && (opened === undefined || of < level);
      return (isNamed && (await names.children({ level, of, gid }))) || this.#readRows(place, signal);
    };
    if (opened === undefined) return listed();
    const isNext = isPlain && level === levelBelow(opened.level, about.levels);
    const tree = await readTree(this.#options, opened, isNext ? ROWS_MAX : 1, signal, ({ lineage, own }) => {
      if (signal.aborted) return;
      batch(() => {
        this.lineage.value = lineage;
        this.opened.value = own;
      });
      // Where to go is known before all that is there.
      if (isPlain) this.#options.listeners.onChange('opened');
    });
    if (tree === undefined) return NONE;
    const { below } = tree;
    if (!isPlain || opened.level >= level) return listed();
    if (below === undefined || below > level) return NONE;
    if (below < level) return listed();
    return (isNext ? tree : await readTree(this.#options, opened, ROWS_MAX, signal)) ?? tree;
  }

  /** Units of a box, a point or several parents, and those that the names do not tell because parents are missing. */
  async #readRows(place: Place, signal: AbortSignal): Promise<Listed> {
    const { client, about } = this.#options;
    const columns = about.levels[place.level];
    const units: NamedUnit[] = [];
    let total = 0;
    let url: string | undefined = client.urlOf(listingToPath(place, about.lightest));
    while (url !== undefined && columns !== undefined && units.length < ROWS_MAX) {
      const page = await client.page(url, signal);
      for (const unit of page.units) units.push(unitToRow(unit, columns, about.lang));
      [url, total] = [page.next, page.matched];
    }
    return { units, total };
  }

  /** A unit that the list does not have. */
  async #readRow(level: number, gid: string, signal: AbortSignal): Promise<NamedUnit | undefined> {
    const listing = { level, filters: new Map([[level, gid]]) };
    return (await this.#readRows({ ...this.place.value, ...listing, bbox: '', contains: '' }, signal)).units[0];
  }

  /** Asks for the opened unit, without its geometry, unless it is there. */
  async #loadOpenedUnit() {
    const { signal } = this.#ended;
    const opened = this.lineage.value.at(-1);
    if (opened === undefined || this.openedUnit.value !== undefined) return;
    const { level, gid } = opened;
    const path = listingToPath({ level, filters: new Map([[level, gid]]) }, this.#options.about.lightest);
    try {
      const unit = await this.#read(path, signal);
      if (signal.aborted) return;
      this.openedUnit.value = unit;
      this.#options.listeners.onChange('opened');
    } catch (error) {
      if (!signal.aborted) this.#options.listeners.onError(error);
    }
  }

  /** Learns what is inside of a selected unit and which codes it has, where its list does not say it. */
  async #complete({ level, gid, fid, inside, codes }: NamedUnit) {
    const isKnown = inside !== undefined && (codes !== undefined || !this.#options.about.levels[level]?.hasCodes);
    if (isKnown || gid === null) return;
    const tree = await readTree(this.#options, { level, gid }, 1, this.#ended.signal).catch(() => undefined);
    if (tree?.own?.fid !== fid || this.selected.value?.fid !== fid) return;
    this.selected.value = tree.own;
    this.#options.listeners.onChange('unit');
  }

  async #loadUnit(row: NamedUnit) {
    const request = new AbortController();
    this.#unitRequest = request;
    try {
      const unit = await this.#read(unitToPath(row), request.signal);
      if (request.signal.aborted) return;
      this.unit.value = unit?.id === row.fid ? unit : undefined;
      this.#options.listeners.onChange('unit');
    } catch (error) {
      if (request.signal.aborted) return;
      this.unit.value = 'failed';
      this.#options.listeners.onChange('unit');
      this.#options.listeners.onError(error);
    }
  }

  /** @param path of a page, whose first unit it is */
  async #read(path: string, signal: AbortSignal): Promise<Unit | undefined> {
    const { units } = await this.#options.client.page(this.#options.client.urlOf(path), signal);
    return units[0];
  }
}
