// The panels of a signed-in page: draws what the state says after each change, and passes on what the user does.
import { readChange, readSuccessors } from './api/changes.js';
import { boxToText, downloadToPath } from './api/page-request.js';
import { titleOf } from './api/unit.js';
import { save } from './download/save.js';
import { UnitList } from './list/unit-list.js';
import { showHeading, showLevels, showPath, showPurpose } from './panels/browse.js';
import { wireChanges } from './panels/changes.js';
import { showRequest, wireCode } from './panels/code.js';
import { wireDownload } from './panels/download-menu.js';
import { announce, part } from './panels/elements.js';
import { showFacts } from './panels/facts.js';
import { showHere } from './panels/here.js';
import { focusHeading, showBrowse, showTab } from './panels/layout.js';
import {
  emptyMessage,
  errorToMessage,
  goneMessage,
  isPassing,
  savedMessage,
  savingMessage,
  showMessage,
  unknownMessage,
} from './panels/messages.js';
import { showSearchLevels, wireSearch } from './panels/search.js';
import { placeToHash } from './state/address.js';
import { downloadsOf, unitFile } from './state/downloads.js';
import { levelsBelow, levelsInside } from './state/levels-below.js';
import { inside, isSameListing, isSpot, levelsWithUnits, placeOf, selection, worldOf } from './state/place.js';

/**
 * @typedef {import('./state/place.js').Place} Place
 * @typedef {import('./api/unit.js').NamedUnit} NamedUnit
 * @typedef {import('./api/coordinates.js').Point} Point
 *
 * @typedef {object} ViewOptions
 * @property {import('./state/shown.js').Shown} shown
 * @property {import('./api/client.js').Client} client
 * @property {import('./api/names.js').Names} names
 * @property {import('./api/about.js').About} about
 * @property {import('./map/map.js').UnitMap | undefined} map
 * @property {AbortSignal} signal ends the listeners of this view
 * @property {AbortSignal} visit ends files that are being saved, which may be of a release before
 * @property {(place: Place) => void} onGo
 * @property {(point: Point, other: Point | undefined) => void} onHere asks what is at a point, which may also be the
 * other
 * @property {() => void} onHereClose
 * @property {(place: Place) => void} onFind a place with a selected unit
 * @property {(row: NamedUnit | undefined) => void} onSelect
 * @property {() => void} onZoom brings the selected unit into sight
 * @property {() => void} onShowAll brings all of what is shown into sight
 * @property {() => void} onRetry shows the same place again
 */

/** What a person sees beside the map. */
export class WorkspaceView {
  #options;
  #list;

  /** @param {ViewOptions} options */
  constructor(options) {
    const { client, about, names, shown, signal, onHere, onHereClose, onFind, onSelect } = options;
    const onOpen = (/** @type {NamedUnit} */ row) => this.#step(row);
    const { levels } = about;
    this.#options = options;
    this.#list = new UnitList(part('rows'), { onSelect, onOpen }, signal);
    wireSearch({
      parts: { client, names, about },
      levels: levelsWithUnits(levels),
      opened: () => shown.lineage.at(-1),
      onPick: (unit) => onFind(placeOf(unit, levels)),
      onPoint: onHere,
      signal,
    });
    part('list-seen').addEventListener('click', () => this.#listSeen(), { signal });
    part('show-all').addEventListener('click', options.onShowAll, { signal });
    wireCode(() => this.#drawRequest(), signal);
    const downloads = {
      onLoad: (/** @type {import('./state/downloads.js').Download} */ download) => void this.#download(download),
      sizeOf: (/** @type {string} */ path) => client.size(path, signal),
    };
    wireDownload(() => downloadsOf(shown, about, downloads), signal);
    const changes = {
      read: () => readChange(client, about.release, signal),
      save: (/** @type {import('./api/changes.js').Change} */ change) => void this.#saveChanges(change),
      onError: (/** @type {unknown} */ error) => this.showError(error),
    };
    wireChanges(changes, signal);
    const onEscape = (/** @type {KeyboardEvent} */ { key }) => {
      if (key !== 'Escape') return;
      if (part('here').contains(document.activeElement)) onHereClose();
      else if (shown.selected !== undefined) this.#factActions().close();
    };
    part('browse').addEventListener('keydown', onEscape, { signal });
  }

  /** What all of what is shown is called. */
  titleOfAll() {
    const { shown, about } = this.#options;
    const unit = shown.selected ?? shown.lineage.at(-1);
    return unit === undefined ? (about.release ?? '') : titleOf(unit);
  }

  /** @param {'place' | 'rows' | 'pages' | 'selection' | 'unit' | 'opened' | 'unknown'} what has changed */
  draw(what) {
    if (what === 'place') this.#drawPlace();
    if (what === 'rows') this.#drawRows(this.#options.shown.rows);
    if (what === 'selection') this.#drawSelection();
    if (what === 'selection' || what === 'unit') this.#drawFacts();
    if (what === 'unknown') this.#tellUnknown();
  }

  /** @param {unknown} error */
  showError(error) {
    const { onRetry } = this.#options;
    showMessage(errorToMessage(error), isPassing(error) ? { label: 'Try again', run: onRetry } : undefined);
  }

  /** @param {import('./panels/here.js').Here | undefined} here */
  showHere(here) {
    const { about, onHere, onHereClose } = this.#options;
    if (here !== undefined) showBrowse();
    showHere(here, {
      linkOf: (unit) => placeToHash(placeOf(unit, about.levels), about.levels),
      onOther: (other) => onHere(other, here?.point),
      onClose: onHereClose,
    });
  }

  /** Empties the panels. */
  clear() {
    this.#drawRows([]);
    showFacts(undefined, undefined, [], this.#factActions());
    showMessage(undefined);
    showTab('browse');
    for (const id of ['path', 'heading', 'subheading', 'url', 'code']) part(id).replaceChildren();
  }

  #drawPlace() {
    const { activeElement } = document;
    // What has the focus is about to leave the page.
    const isLeaving = ['rows', 'facts', 'path', 'levels', 'message'].some((id) => part(id).contains(activeElement));
    showMessage(undefined);
    this.#drawRows([]);
    this.#drawFacts();
    this.#drawRequest();
    if (isLeaving) focusHeading();
  }

  /** @param {NamedUnit[]} rows */
  #drawRows(rows) {
    const { shown, about } = this.#options;
    const { release = 'All units' } = about;
    showPath(shown, release, (unit) => this.#step(unit));
    showHeading(shown, about, rows);
    showPurpose(shown, rows);
    part('changes').hidden = !(about.changes && shown.isWorld);
    showSearchLevels(levelsWithUnits(about.levels), shown.lineage.at(-1));
    this.#list.show(rows);
    this.#list.select(shown.selected?.fid);
    this.#drawLevels();
    if (shown.hasRows) announce(`${part('heading').textContent}: ${part('subheading').textContent}`);
    if (shown.hasRows && shown.total === 0) {
      showMessage(emptyMessage(shown.place, shown.lineage.length > 0));
      const [last] = [...shown.place.filters].slice(-1);
      if (last !== undefined && shown.lineage.length === 0) void this.#tellSuccessors(...last);
    }
  }

  #tellUnknown() {
    const { unknown = '', place } = this.#options.shown;
    showMessage(unknownMessage(unknown));
    if (place.unit !== undefined) void this.#tellSuccessors(place.level, place.unit);
  }

  /**
   * Names what took the place of a unit that is gone.
   * @param {number} level
   * @param {string} gid
   */
  async #tellSuccessors(level, gid) {
    const { shown, client, names, about, signal } = this.#options;
    if (!about.changes) return;
    const { place } = shown;
    try {
      const gids = await readSuccessors(client, { level, gid, geometry: about.lightest }, signal);
      const units = await names.findAll(level, gids);
      if (units.length === 0 || shown.place.unit !== place.unit || !isSameListing(shown.place, place)) return;
      const links = gids.map((own, i) => {
        const target = { ...worldOf(about.levels), level, filters: new Map([[level, own]]), unit: own };
        return { text: units[i]?.name ?? own, href: placeToHash(target, about.levels) };
      });
      showMessage(goneMessage(gid, links));
    } catch {
      // What is said already is true without.
    }
  }

  #drawRequest() {
    showRequest(this.#options.shown.url);
  }

  #drawSelection() {
    const { selected } = this.#options.shown;
    this.#list.select(selected?.fid);
    this.#drawRequest();
    if (selected !== undefined) announce(`${titleOf(selected)}, ${selected.type ?? `level ${selected.level}`}`);
  }

  #drawFacts() {
    const { shown } = this.#options;
    const { selected, unit, hasUnitFailed } = shown;
    showFacts(selected, unit, levelsInside(selected), this.#factActions(), hasUnitFailed);
  }

  #drawLevels() {
    const { shown, about, onGo } = this.#options;
    const { place, lineage } = shown;
    showLevels(place, levelsBelow(shown, about.levels), (level) => {
      if (isSpot(place)) return onGo({ ...place, level, ...selection(undefined) });
      this.#step(lineage.at(-1), level);
    });
  }

  /**
   * Loads listings, one after the other, all of one release.
   * @param {import('./state/downloads.js').Download} download
   */
  async #download({ title, listings, toFile, isAllLevels }) {
    await this.#saving(title, async (signal, onProgress) => {
      /** Each as GeoJSON text. @type {string[]} */
      const features = [];
      let release = '';
      onProgress(0);
      for (const listing of listings) {
        const path = downloadToPath({ ...listing, release });
        for await (const batch of this.#options.client.download(path, signal)) {
          for (const line of batch.lines) features.push(line);
          release = batch.release;
          onProgress(features.length);
        }
      }
      const file = toFile({ features, release });
      save(file);
      return savedMessage(features.length, isAllLevels ? file.name : undefined);
    });
  }

  /** @param {import('./api/changes.js').Change} change */
  async #saveChanges({ from, path }) {
    const title = `changes since ${from}`;
    await this.#saving(title, async (signal) => {
      const name = `${path.split('/').at(-1)}`;
      save({ name, type: 'text/csv;charset=utf-8', parts: [await this.#options.client.file(path, signal)] });
      return { kind: 'note', title: `Saved ${title}` };
    });
  }

  /**
   * @param {string} title
   * @param {(signal: AbortSignal, onProgress: (units: number) => void) =>
   *   Promise<import('./panels/messages.js').Message>} run saves a file, and says what is saved
   */
  async #saving(title, run) {
    const { visit } = this.#options;
    const stop = new AbortController();
    const onProgress = (/** @type {number | undefined} */ units) =>
      showMessage(savingMessage(title, units), { label: 'Stop', run: () => stop.abort() });
    onProgress(undefined);
    try {
      showMessage(await run(AbortSignal.any([visit, stop.signal]), onProgress));
    } catch (error) {
      if (stop.signal.aborted) showMessage(undefined);
      else if (!visit.aborted) this.showError(error);
    }
  }

  /** What the map shows of what is listed, as a list. */
  #listSeen() {
    const { shown, map, onGo, onHereClose } = this.#options;
    const seen = map?.seen();
    if (map === undefined || seen === undefined) return;
    const { level, filters } = shown.place;
    const within = { level, filters, bbox: boxToText(seen), view: map.view() };
    onHereClose();
    onGo({ ...worldOf(this.#options.about.levels), ...within });
    showBrowse();
  }

  /**
   * Lists what is inside of a unit.
   * @param {NamedUnit | undefined} unit undefined for the release
   * @param {number} [level] of the units inside; otherwise the next one
   */
  #step(unit, level) {
    const { about, onGo } = this.#options;
    const world = worldOf(about.levels);
    const place = unit === undefined ? { ...world, level: level ?? world.level } : inside(unit, about.levels, level);
    if (place !== undefined) onGo(place);
  }

  /** @returns {import('./panels/facts.js').FactActions} */
  #factActions() {
    const { shown, about, onSelect, onZoom } = this.#options;
    return {
      open: (level) => this.#step(shown.selected, level),
      zoom: onZoom,
      request: () => {
        showTab('request');
        part('request-heading').focus();
      },
      save: () => {
        const { selected, unit } = shown;
        if (selected === undefined || unit?.text === undefined) return;
        save(unitFile(selected, unit.text, about));
        showMessage(savedMessage(1));
      },
      close: () => {
        onSelect(undefined);
        this.#list.focus();
      },
    };
  }
}
