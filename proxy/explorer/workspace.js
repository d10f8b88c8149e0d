// The page while someone is signed in: goes from place to place, and keeps map, address and panels in step. Used by
// app.js.
import { RefusalError } from './api/client.js';
import { isLight } from './api/geometry.js';
import { readOverview } from './api/overview.js';
import { unitToRow } from './api/unit.js';
import { showMapNote } from './panels/layout.js';
import { hashToPlace, placeToHash, writeHash } from './state/address.js';
import { Detail } from './state/detail.js';
import { unitsAt } from './state/here.js';
import { inside, isSameListing, placeOf } from './state/place.js';
import { Refinement } from './state/refinement.js';
import { Shown } from './state/shown.js';
import { Travel } from './state/travel.js';
import { WorkspaceView } from './workspace-view.js';

/**
 * @typedef {import('./state/place.js').Place} Place
 * @typedef {import('./api/unit.js').NamedUnit} NamedUnit
 *
 * @typedef {object} Parts
 * @property {import('./api/client.js').Client} client
 * @property {import('./api/names.js').Names} names
 * @property {import('./api/about.js').About} about
 * @property {import('./map/map.js').UnitMap} map
 * @property {() => void} onUnauthorized the service does not accept the token
 * @property {() => void} onRetry something did not work, and the user wants to try it again
 */

/** A point that was typed is shown from this zoom on. */
const POINT_ZOOM = 6;

/** The page between sign-in and sign-out. */
export class Workspace {
  #parts;
  #levels;
  #shown;
  #view;
  #detail;
  #refinement;
  #travel;
  #ended = new AbortController();
  /** The last question what is at a point. @type {AbortController | undefined} */
  #question;
  #hasOverview = false;

  /** @param {Parts} parts */
  constructor(parts) {
    const { client, names, about, map } = parts;
    this.#parts = parts;
    this.#levels = about.levels;
    this.#shown = new Shown({
      client,
      names,
      about,
      zoomOf: (place) => this.#travel.zoomOf(place),
      place: hashToPlace(location.hash, this.#levels),
      listeners: {
        onChange: (what) => this.#change(what),
        onUnits: (units, isFirst) => this.#addUnits(units, isFirst),
        onError: (error) => this.#fail(error),
      },
    });
    this.#travel = new Travel(map, this.#shown);
    this.#detail = new Detail(client, about, map, () => this.#shown.selected);
    this.#refinement = new Refinement({ client, about, map, shown: this.#shown });
    this.#view = new WorkspaceView({
      ...parts,
      shown: this.#shown,
      signal: this.#ended.signal,
      onGo: (place, withPages) => void this.go(place, 'push', withPages),
      onHere: (point, other) => {
        const zoom = Math.max(map.view().zoom, POINT_ZOOM);
        map.setView({ zoom, ...point });
        void this.tellHere(point, other);
      },
      onHereClose: () => this.#closeHere(),
      onFind: (place) => void this.#find(place),
      onOpen: (row, level) => this.#open(row, level),
      onSelect: (row) => void this.#select(row, true),
      onZoom: () => {
        this.#travel.plan({ fit: false, flight: true });
        this.#travel.fly();
      },
    });
  }

  /** Shows the place of the page's address, and the overview. */
  async start() {
    void this.#begin(hashToPlace(location.hash, this.#levels));
    await this.#loadOverview();
  }

  /**
   * Shows the first place. Of a release with one unit at the top nobody needs a list of one line: it is opened.
   * @param {Place} place
   */
  async #begin(place) {
    await this.go(place, 'replace');
    const { rows, selected, isWorld } = this.#shown;
    const [only] = rows;
    const isUntouched = isWorld && place.view === undefined && selected === undefined;
    const within = rows.length === 1 && only && only.children > 0 ? inside(only, place, this.#levels) : undefined;
    if (isUntouched && within !== undefined) await this.go(within, 'replace');
  }

  /** Asks again for what is shown, and for the overview if it is not there. */
  async retry() {
    const { place, isWorld } = this.#shown;
    void this.go(place, 'replace', !isWorld);
    if (!this.#hasOverview) await this.#loadOverview();
  }

  async #loadOverview() {
    const { client, map } = this.#parts;
    showMapNote('Loading the map…');
    try {
      const { exchange, json } = await client.json('overview', this.#ended.signal);
      const overview = readOverview(/** @type {import('topojson-specification').Topology} */ (json));
      showMapNote('');
      map.showOverview(overview);
      this.#view.setOverview(exchange, overview.flat());
      this.#travel.setOverview(overview);
      this.#hasOverview = true;
      this.#travel.fit();
      this.#travel.fly();
    } catch (error) {
      showMapNote('The map is missing: the overview of the release did not arrive.');
      this.#fail(error, (shown) => this.#view.showOverviewError(shown));
    }
  }

  /**
   * Shows a place.
   * @param {Place} place
   * @param {'push' | 'replace'} how the address takes it
   * @param {boolean} [withPages] also where the overview is enough
   */
  async go(place, how, withPages = false) {
    const { map } = this.#parts;
    this.#detail.stop();
    this.#refinement.stop();
    this.#travel.plan({ fit: place.view === undefined, flight: place.view === undefined });
    writeHash(placeToHash(place, this.#levels), how);
    map.select(undefined);
    map.setUnits(place.level, []);
    // The state has the place before the map moves: each move writes the place into the address.
    const shown = this.#shown.show(place, withPages);
    if (place.view !== undefined) map.setView(place.view);
    await shown;
  }

  /** Goes where the browser's own buttons lead. */
  followAddress() {
    const place = hashToPlace(location.hash, this.#levels);
    const row = this.#view.rowOf(place);
    const isListed = row !== undefined || (place.unit === undefined && place.fid === undefined);
    if (!isSameListing(place, this.#shown.place) || !this.#shown.hasRows || !isListed)
      return void this.go(place, 'replace');
    if (place.view !== undefined) this.#parts.map.setView(place.view);
    if (row?.fid !== this.#shown.selected?.fid) void this.#select(row, place.view === undefined);
  }

  /**
   * A unit was picked on the map.
   * @param {{ level: number, fid: number, gid: string | null }} picked
   */
  async pick({ level, fid, gid }) {
    const { place, listing } = this.#shown;
    const unit = level === place.level ? listing?.units.find(({ id }) => id === fid) : undefined;
    const columns = this.#levels[level];
    const row = level === place.level ? this.#view.rows.find((other) => other.fid === fid) : undefined;
    // Regions of the world are opened, which moves the map: so do countries.
    if (row !== undefined) await this.#select(row, this.#shown.isWorld);
    else if (unit !== undefined && columns !== undefined) await this.#select(unitToRow(unit, columns), false);
    else if (gid !== null) await this.#goTo(level, gid);
  }

  /**
   * Says which units contain a point.
   * @param {import('./api/coordinates.js').Point} point
   * @param {import('./api/coordinates.js').Point} [other] that its text may mean as well
   */
  async tellHere(point, other) {
    const { client, about, map } = this.#parts;
    this.#question?.abort();
    const question = new AbortController();
    this.#question = question;
    map.mark(point);
    this.#view.showHere({ point, other, units: undefined });
    try {
      const units = await unitsAt(point, client, about, question.signal);
      if (!question.signal.aborted) this.#view.showHere({ point, other, units });
    } catch (error) {
      if (question.signal.aborted) return;
      this.#closeHere();
      this.#fail(error);
    }
  }

  #closeHere() {
    this.#question?.abort();
    this.#parts.map.mark(undefined);
    this.#view.showHere(undefined);
  }

  /**
   * The map has another view.
   * @param {import('./state/place.js').View} view
   */
  look(view) {
    this.#shown.place = { ...this.#shown.place, view };
    this.#writePlace();
    if (this.#shown.isWorld) this.#detail.look();
    else this.#refinement.look();
  }

  /**
   * The map takes its time to draw, or is done. What it says while its overview is missing stays.
   * @param {boolean} isDrawing
   */
  noteDrawing(isDrawing) {
    if (this.#hasOverview) showMapNote(isDrawing ? 'Drawing the map…' : '');
  }

  /** Forgets everything. */
  end() {
    const { map, names } = this.#parts;
    this.#ended.abort();
    this.#shown.stop();
    this.#detail.stop();
    this.#refinement.stop();
    names.close();
    this.#closeHere();
    map.select(undefined);
    map.setUnits(0, []);
    map.showDetail([]);
    map.showOverview([]);
    this.#view.clear();
  }

  /**
   * Goes to a selected unit; one of this listing is only selected.
   * @param {Place} place
   */
  async #find(place) {
    const row = isSameListing(place, this.#shown.place) ? this.#view.rowOf(place) : undefined;
    if (row === undefined) await this.go(place, 'push');
    else await this.#select(row, true);
  }

  /**
   * @param {NamedUnit} row
   * @param {number} [level] of the units inside; otherwise the next one
   */
  #open(row, level) {
    const place = inside(row, this.#shown.place, this.#levels, level);
    this.#travel.remember(row);
    if (place !== undefined) void this.go(place, 'push');
  }

  /**
   * @param {number} level
   * @param {string} gid
   */
  async #goTo(level, gid) {
    try {
      const unit = await this.#parts.names.find(level, gid);
      if (unit !== undefined) await this.go(placeOf(unit, this.#shown.place, this.#levels), 'push');
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * @param {NamedUnit | undefined} row
   * @param {boolean} isFlight shall the map go there?
   */
  async #select(row, isFlight) {
    this.#travel.plan({ fit: false, flight: isFlight });
    const selected = this.#shown.select(row);
    this.#writePlace();
    await selected;
  }

  /** @param {Parameters<ConstructorParameters<typeof Shown>[0]['listeners']['onChange']>[0]} what */
  #change(what) {
    if (this.#ended.signal.aborted) return;
    const { listing, selected, place } = this.#shown;
    if (listing?.error instanceof RefusalError && listing.error.status === 401) return this.#fail(listing.error);
    if (what === 'rows') this.#travel.fit();
    if (what === 'pages' && listing?.isBusy === false) {
      this.#travel.fit();
      this.#refinement.look();
    }
    if (what === 'selection' || what === 'unit') {
      const own = this.#shown.unit && isLight(this.#shown.unit) ? this.#shown.unit : undefined;
      if (selected !== undefined && own !== undefined) this.#refinement.noteFull(selected.fid);
      this.#parts.map.select(selected && { level: place.level, fid: selected.fid }, own);
      this.#travel.fly();
    }
    if (what === 'selection') this.#writePlace();
    this.#view.draw(what);
  }

  /**
   * @param {import('./api/client.js').Unit[]} units
   * @param {boolean} isFirst
   */
  #addUnits(units, isFirst) {
    const { map } = this.#parts;
    const { level } = this.#shown.place;
    if (isFirst) map.setUnits(level, units);
    else map.addUnits(level, units);
  }

  #writePlace() {
    writeHash(placeToHash(this.#shown.place, this.#levels), 'replace');
  }

  /**
   * @param {unknown} error
   * @param {(error: unknown) => void} [show]
   */
  #fail(error, show = (shown) => this.#view.showError(shown)) {
    if (this.#ended.signal.aborted) return;
    if (error instanceof RefusalError && error.status === 401) this.#parts.onUnauthorized();
    else show(error);
  }
}
