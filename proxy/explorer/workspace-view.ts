// The panels of a signed-in page: draws what the state says after each change, and passes on what the user does.
import type { About } from './api/about.ts';
import { type Change, readChange, readSuccessors } from './api/changes.ts';
import type { Client } from './api/client.ts';
import type { Point } from './api/coordinates.ts';
import type { Names } from './api/names.ts';
import { boxToText, downloadToPath } from './api/page-request.ts';
import { type NamedUnit, titleOf } from './api/unit.ts';
import { save } from './download/save.ts';
import { UnitList } from './list/unit-list.ts';
import type { UnitMap } from './map/map.ts';
import { showHeading, showLevels, showPath, showPurpose } from './panels/browse.ts';
import { wireChanges } from './panels/changes.ts';
import { showRequest, wireCode } from './panels/code.ts';
import { wireDownload } from './panels/download-menu.ts';
import { announce, part } from './panels/elements.ts';
import { type FactActions, showFacts } from './panels/facts.ts';
import { type Here, showHere } from './panels/here.ts';
import { focusHeading, showBrowse, showTab } from './panels/layout.ts';
import {
  emptyMessage,
  errorToMessage,
  goneMessage,
  isPassing,
  type Message,
  savedMessage,
  savingMessage,
  showMessage,
  unknownMessage,
} from './panels/messages.ts';
import { showSearchLevels, wireSearch } from './panels/search.ts';
import { type Download, downloadsOf, unitFile } from './state/downloads.ts';
import { levelsBelow, levelsInside } from './state/levels-below.ts';
import {
  inside,
  isSameListing,
  isSpot,
  levelsWithUnits,
  type Place,
  placeOf,
  selection,
  worldOf,
} from './state/place.ts';
import { placeToHash } from './state/place-hash.ts';
import type { Shown } from './state/shown.ts';

interface ViewOptions {
  shown: Shown;
  client: Client;
  names: Names;
  about: About;
  map: UnitMap | undefined;
  /** Ends the listeners of this view. */
  signal: AbortSignal;
  /** Ends files that are being saved, which may be of a release before. */
  visit: AbortSignal;
  onGo: (place: Place) => void;
  /** Asks what is at a point, which may also be the other. */
  onHere: (point: Point, other: Point | undefined) => void;
  onHereClose: () => void;
  /** A place with a selected unit. */
  onFind: (place: Place) => void;
  onSelect: (row: NamedUnit | undefined) => void;
  /** Brings the selected unit into sight. */
  onZoom: () => void;
  /** Brings all of what is shown into sight. */
  onShowAll: () => void;
  /** Shows the same place again. */
  onRetry: () => void;
}

/** What a person sees beside the map. */
export class WorkspaceView {
  #options;
  #list;

  constructor(options: ViewOptions) {
    const { client, about, shown, signal, onHere, onHereClose, onFind, onSelect } = options;
    const onOpen = (row: NamedUnit) => this.#step(row);
    const { levels } = about;
    this.#options = options;
    this.#list = new UnitList(part('rows'), { onSelect, onOpen }, signal);
    wireSearch({
      parts: { client, about },
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
      onLoad: (download: Download) => void this.#download(download),
      sizeOf: (path: string) => client.size(path, signal),
    };
    wireDownload(() => downloadsOf(shown, about, downloads), signal);
    const changes = {
      read: () => readChange(client, about.release, signal),
      save: (change: Change) => void this.#saveChanges(change),
      onError: (error: unknown) => this.showError(error),
    };
    wireChanges(changes, signal);
    const onEscape = ({ key }: KeyboardEvent) => {
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

  /** @param what has changed */
  draw(what: 'place' | 'rows' | 'selection' | 'unit' | 'opened' | 'unknown') {
    if (what === 'place') this.#drawPlace();
    if (what === 'rows') this.#drawRows(this.#options.shown.rows);
    if (what === 'selection') this.#drawSelection();
    if (what === 'selection' || what === 'unit') this.#drawFacts();
    if (what === 'opened') this.#drawLevels();
    if (what === 'unknown') this.#tellUnknown();
  }

  showError(error: unknown) {
    const { onRetry } = this.#options;
    showMessage(errorToMessage(error), isPassing(error) ? { label: 'Try again', run: onRetry } : undefined);
  }

  showHere(here: Here | undefined) {
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

  #drawRows(rows: NamedUnit[]) {
    const { shown, about } = this.#options;
    const { release = 'All units' } = about;
    showPath(shown, release, (unit, below) => this.#step(unit, below));
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

  /** Names what took the place of a unit that is gone. */
  async #tellSuccessors(level: number, gid: string) {
    const { shown, client, about, signal } = this.#options;
    if (!about.changes) return;
    const { place } = shown;
    try {
      const units = await readSuccessors(client, { level, gid }, about, signal);
      if (units.length === 0 || shown.place.unit !== place.unit || !isSameListing(shown.place, place)) return;
      const links = units.map((unit) => {
        const own = unit.gid ?? '';
        const target = { ...worldOf(about.levels), level, filters: new Map([[level, own]]), unit: own };
        return { text: titleOf(unit), href: placeToHash(target, about.levels) };
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

  /** Loads listings, one after the other, all of one release. */
  async #download({ title, listings, toFile, isAllLevels }: Download) {
    await this.#saving(title, async (signal, onProgress) => {
      /** Each as GeoJSON text. */
      const features: string[] = [];
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

  async #saveChanges({ from, path }: Change) {
    const title = `changes since ${from}`;
    await this.#saving(title, async (signal) => {
      const name = `${path.split('/').at(-1)}`;
      save({ name, type: 'text/csv;charset=utf-8', parts: [await this.#options.client.file(path, signal)] });
      return { kind: 'note', title: `Saved ${title}` };
    });
  }

  /** @param run saves a file, and says what is saved */
  async #saving(title: string, run: (signal: AbortSignal, onProgress: (units: number) => void) => Promise<Message>) {
    const { visit } = this.#options;
    const stop = new AbortController();
    const onProgress = (units: number | undefined) =>
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
   * @param unit undefined for the release
   * @param level of the units inside; otherwise the next one
   */
  #step(unit: Parameters<typeof inside>[0] | undefined, level?: number) {
    const { about, onGo } = this.#options;
    const world = worldOf(about.levels);
    const place = unit === undefined ? { ...world, level: level ?? world.level } : inside(unit, about.levels, level);
    if (place !== undefined) onGo(place);
  }

  #factActions(): FactActions {
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
