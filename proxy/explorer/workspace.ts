// The page while someone is signed in: goes from place to place, and keeps map, address and panels in step.
import type { About } from './api/about.ts';
import { type Client, RefusalError } from './api/client.ts';
import { type Point, pointToContains } from './api/coordinates.ts';
import type { Names } from './api/names.ts';
import { textToBox } from './api/page-request.ts';
import type { NamedUnit } from './api/unit.ts';
import { readUnits } from './api/units.ts';
import type { UnitMap } from './map/map.ts';
import type { Picked } from './map/pointer.ts';
import { showShowAll } from './panels/layout.ts';
import { writeHash } from './state/address.ts';
import { inside, isSameListing, type Place, placeOf, selection, type View } from './state/place.ts';
import { hashToPlace, placeToHash } from './state/place-hash.ts';
import { Shown } from './state/shown.ts';
import { boxesOfAll, boxesOfListed, boxOfSelected, isAllSeen } from './state/travel.ts';
import { WorkspaceView } from './workspace-view.ts';

interface Parts {
  client: Client;
  names: Names;
  about: About;
  map: UnitMap | undefined;
  /** Ends files that are being saved. */
  visit: AbortSignal;
  /** The service does not accept the token. */
  onUnauthorized: () => void;
  /** Something did not work, and the user wants to try it again. */
  onRetry: () => void;
}

/** A point that was typed is shown from this zoom on. */
const POINT_ZOOM = 6;

/** The page between sign-in and sign-out. */
export class Workspace {
  #parts;
  #levels;
  #shown;
  #view;
  /** Shall the map go to what is listed, or to what is selected, as soon as it is known? */
  #wanted = { fit: false, flight: false };
  #ended = new AbortController();
  /** The last question what is at a point. */
  #question: AbortController | undefined;

  constructor(parts: Parts) {
    const { client, names, about, map } = parts;
    this.#parts = parts;
    this.#levels = about.levels;
    this.#shown = new Shown({
      client,
      names,
      about,
      place: hashToPlace(location.hash, this.#levels),
      listeners: {
        onChange: (what) => this.#change(what),
        onError: (error) => this.fail(error),
      },
    });
    this.#view = new WorkspaceView({
      ...parts,
      shown: this.#shown,
      signal: this.#ended.signal,
      onGo: (place) => {
        this.#closeHere();
        void this.go(place, 'push');
      },
      onHere: (point, other) => {
        const zoom = Math.max(map?.view().zoom ?? 0, POINT_ZOOM);
        map?.setView({ zoom, ...point });
        void this.tellHere(point, other);
      },
      onHereClose: () => this.#closeHere(),
      onFind: (place) => void this.#find(place),
      onSelect: (row) => {
        this.#closeHere();
        void this.#select(row, true, 'push');
      },
      onZoom: () => this.#fly(),
      onShowAll: () => map?.fit(boxesOfAll(this.#shown)),
    });
  }

  /**
   * Shows the place of the page's address. Of a release with one unit at the top nobody needs a list of one line: it is
   * opened.
   */
  async start() {
    const place = hashToPlace(location.hash, this.#levels);
    await this.go(place, 'replace');
    const { rows, selected, isWorld } = this.#shown;
    const [only] = rows;
    const isUntouched = isWorld && place.view === undefined && selected === undefined;
    const within = rows.length === 1 && only && only.children > 0 ? inside(only, this.#levels) : undefined;
    if (isUntouched && within !== undefined) await this.go(within, 'replace');
  }

  /** Asks again for what is shown. */
  retry() {
    void this.go(this.#shown.place, 'replace', true);
  }

  /**
   * Shows a place.
   * @param how the address takes it
   * @param isTried does somebody try again what failed?
   */
  async go(place: Place, how: 'push' | 'replace', isTried = false) {
    const { map } = this.#parts;
    this.#wanted = { fit: place.view === undefined, flight: place.view === undefined };
    writeHash(placeToHash(place, this.#levels), how);
    map?.select(undefined);
    // The state has the place before the map moves: each move writes the place into the address.
    const shown = this.#shown.show(place);
    map?.show({ ...place, isWhole: this.#shown.isWorld });
    if (place.view !== undefined) map?.setView(place.view);
    map?.askAgain(isTried);
    await shown;
  }

  /** Goes where the browser's own buttons lead. */
  followAddress() {
    const place = hashToPlace(location.hash, this.#levels);
    const row = this.#shown.rowOf(place);
    const isListed = row !== undefined || (place.unit === undefined && place.fid === undefined);
    if (!isSameListing(place, this.#shown.place) || !this.#shown.hasRows || !isListed)
      return void this.go(place, 'replace');
    if (place.view !== undefined) this.#parts.map?.setView(place.view);
    if (row?.fid !== this.#shown.selected?.fid) void this.#select(row, place.view === undefined, 'replace');
  }

  /** A unit was picked on the map. */
  async pick(picked: Picked) {
    this.#closeHere();
    const row = this.#shown.rowOf(picked);
    // Regions of the world are opened, which moves the map: so do countries.
    if (row !== undefined) await this.#select(row, this.#shown.isWorld, 'push');
    else await this.go(placeOf(picked, this.#levels), 'push');
  }

  /** What a unit is called that the list has. */
  titleOf(level: number, fid: number) {
    return this.#shown.rowOf({ level, fid })?.name ?? undefined;
  }

  /**
   * Says which units contain a point.
   * @param other that its text may mean as well
   */
  async tellHere(point: Point, other?: Point) {
    const { client, about, map } = this.#parts;
    this.#question?.abort();
    const question = new AbortController();
    this.#question = question;
    map?.mark(point);
    this.#view.showHere({ point, other, units: undefined });
    try {
      const path = `at?point=${pointToContains(point)}&geometry=${about.lightest}`;
      const { units } = await readUnits(path, client, about.levels, question.signal);
      if (!question.signal.aborted) this.#view.showHere({ point, other, units: units.map(({ row }) => row) });
    } catch (error) {
      if (question.signal.aborted) return;
      this.#closeHere();
      this.fail(error);
    }
  }

  #closeHere() {
    this.#question?.abort();
    this.#parts.map?.mark(undefined);
    this.#view.showHere(undefined);
  }

  /** The map has another view. */
  look(view: View) {
    this.#shown.place = { ...this.#shown.place, view };
    this.#writePlace();
    this.#tellSeen();
  }

  /** Ends every request and listener. */
  end() {
    this.#ended.abort();
    this.#shown.stop();
    this.#parts.names.close();
    this.#closeHere();
  }

  /** Empties the panels. */
  clear() {
    this.#view.clear();
  }

  /** Goes to a selected unit; one of this listing is only selected. */
  async #find(place: Place) {
    const row = isSameListing(place, this.#shown.place) ? this.#shown.rowOf(place) : undefined;
    if (row === undefined) await this.go(place, 'push');
    else await this.#select(row, true, 'push');
  }

  /**
   * @param isFlight shall the map go there?
   * @param how the address takes it: what a person selects is an entry of the history
   */
  async #select(row: NamedUnit | undefined, isFlight: boolean, how: 'push' | 'replace') {
    this.#wanted = { fit: false, flight: isFlight };
    writeHash(placeToHash({ ...this.#shown.place, ...selection(row) }, this.#levels), how);
    await this.#shown.select(row);
  }

  #change(what: Parameters<ConstructorParameters<typeof Shown>[0]['listeners']['onChange']>[0]) {
    if (this.#ended.signal.aborted) return;
    const { selected, place, isWorld } = this.#shown;
    const { map } = this.#parts;
    if (what === 'place') map?.outline(textToBox(place.bbox));
    if (what === 'rows' && isWorld) map?.frame(boxesOfListed(this.#shown));
    if (what === 'rows' || what === 'opened') this.#fit();
    if (what === 'selection') map?.select(selected && { level: place.level, fid: selected.fid });
    if (what === 'selection') this.#writePlace();
    if ((what === 'selection' || what === 'unit') && this.#wanted.flight) this.#fly();
    this.#tellSeen();
    this.#view.draw(what);
  }

  /** Goes to what is listed, unless nothing is, or its box is not known yet: then the map stays. */
  #fit() {
    const { hasRows, total, isWorld } = this.#shown;
    const boxes = boxesOfListed(this.#shown);
    if (!this.#wanted.fit || !hasRows || total === 0 || (boxes.length === 0 && !isWorld)) return;
    this.#wanted.fit = false;
    this.#parts.map?.fit(boxes);
  }

  /** Goes to the selected unit, once its box is known. */
  #fly() {
    const box = boxOfSelected(this.#shown);
    if (box === undefined) return;
    this.#wanted = { fit: false, flight: false };
    this.#parts.map?.fit([box]);
  }

  #tellSeen() {
    showShowAll(isAllSeen(this.#shown, this.#parts.map?.seen()), this.#view.titleOfAll());
    this.#parts.map?.makeRoom();
  }

  #writePlace() {
    writeHash(placeToHash(this.#shown.place, this.#levels), 'replace');
  }

  fail(error: unknown) {
    if (this.#ended.signal.aborted) return;
    if (error instanceof RefusalError && error.status === 401) this.#parts.onUnauthorized();
    else this.#view.showError(error);
  }
}
