// A visit: the page while someone is signed in, of one release. It goes from place to place, and keeps map and address
// in step with what is shown; components call its methods. One file, as each of them changes the same three things in
// one order: address, state, map.
import type { About } from '../api/about.ts';
import type { Change } from '../api/changes.ts';
import { type Client, RefusalError } from '../api/client.ts';
import type { Point } from '../api/coordinates.ts';
import type { Names } from '../api/names.ts';
import { boxToText, textToBox } from '../api/page-request.ts';
import { type NamedUnit, titleOf } from '../api/unit.ts';
import { tellHere } from '../here/tell-here.ts';
import type { Cover, UnitMap } from '../map/map.ts';
import type { Picked } from '../map/pointer.ts';
import { errorToMessage, isPassing, savedMessage } from '../messages/messages.ts';
import { tellMissing } from '../messages/tell-missing.ts';
import { type Download, unitFile } from '../share/downloads.ts';
import { save } from '../share/save.ts';
import { saveChange, saveListings, savePicture } from '../share/saving.ts';
import { writeHash } from './address.ts';
import { announce, focusHeading, page, showBrowse } from './page.ts';
import { inside, isSameListing, isSpot, type Place, placeOf, selection, type View, worldOf } from './place.ts';
import { hashToPlace, placeToHash } from './place-hash.ts';
import { Shown, type ShownChange } from './shown.ts';
import { boxesOfAll, boxesOfListed, boxOfSelected, isAllSeen } from './travel.ts';

interface Parts {
  client: Client;
  names: Names;
  about: About;
  map: UnitMap | undefined;
  /** Ends files that are being saved, which may be of a release before. */
  saving: AbortSignal;
  /** The service does not accept the token. */
  onUnauthorized: () => void;
  /** Something did not work, and the user wants to try it again. */
  onRetry: () => void;
}

/** A point that was typed is shown from this zoom on. */
const POINT_ZOOM = 6;

export class Visit {
  readonly client: Client;
  readonly about: About;
  readonly shown: Shown;
  #parts: Parts;
  #map: UnitMap | undefined;
  /** Shall the map go to what is listed, or to what is selected, as soon as it is known? */
  #wanted = { fit: false, flight: false };
  #ended = new AbortController();
  /** The last question what is at a point. */
  #question: AbortController | undefined;

  constructor(parts: Parts) {
    const { client, names, about, map } = parts;
    this.#parts = parts;
    this.#map = map;
    this.client = client;
    this.about = about;
    this.shown = new Shown({
      client,
      names,
      about,
      place: hashToPlace(location.hash, about.levels),
      listeners: {
        onChange: (what) => this.#change(what),
        onError: (error) => this.fail(error),
      },
    });
  }

  /** Ends what was asked for this visit. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** How names are written: their language, and from which side. */
  get ofNames() {
    return { lang: this.about.lang || undefined, dir: 'auto' } as const;
  }

  /** What all of what is shown is called. */
  get title(): string {
    const unit = this.shown.selected.value ?? this.shown.lineage.value.at(-1);
    return unit === undefined ? (this.about.release ?? '') : titleOf(unit);
  }

  /**
   * Shows the place of the page's address. Of a release with one unit at the top nobody needs a list of one line: it is
   * opened.
   */
  async start(): Promise<void> {
    const place = hashToPlace(location.hash, this.about.levels);
    this.#map?.speak(this.about.lang);
    await this.#go(place, 'replace');
    const { rows } = this.shown.list.value;
    const [only] = rows;
    const isUntouched = this.shown.isWorld && place.view === undefined && this.shown.selected.value === undefined;
    const within = rows.length === 1 && only && only.children > 0 ? inside(only, this.about.levels) : undefined;
    if (isUntouched && within !== undefined) await this.#go(within, 'replace');
  }

  /** Asks again for what is shown. */
  retry(): void {
    void this.#go(this.shown.place.value, 'replace', true);
  }

  /** Shows a place, as an entry of the history. */
  push(place: Place): void {
    this.closeHere();
    void this.#go(place, 'push');
  }

  /**
   * Lists what is inside of a unit.
   * @param unit undefined for the release
   * @param below level of the units inside; otherwise the next one
   */
  open(unit: Parameters<typeof inside>[0] | undefined, below?: number): void {
    const world = worldOf(this.about.levels);
    const place =
      unit === undefined ? { ...world, level: below ?? world.level } : inside(unit, this.about.levels, below);
    if (place !== undefined) this.push(place);
  }

  /** Selects a unit of the list. */
  select(row: NamedUnit | undefined): void {
    this.closeHere();
    void this.#select(row, true, 'push');
  }

  /** Goes back to the list, with the focus. */
  deselect(): void {
    this.select(undefined);
    document.querySelector<HTMLElement>('#rows [tabindex="0"]')?.focus();
  }

  /** Goes to a selected unit; one of this listing is only selected. */
  find(place: Place): void {
    const row = isSameListing(place, this.shown.place.value) ? this.shown.rowOf(place) : undefined;
    if (row === undefined) this.push(place);
    else this.select(row);
  }

  /** Goes where the browser's own buttons lead. */
  followAddress(): void {
    const place = hashToPlace(location.hash, this.about.levels);
    const row = this.shown.rowOf(place);
    const isListed = row !== undefined || (place.unit === undefined && place.fid === undefined);
    const isSame = isSameListing(place, this.shown.place.value) && this.shown.list.value.is === 'there';
    if (!isSame || !isListed) {
      void this.#go(place, 'replace');
      return;
    }
    if (place.view !== undefined) this.#map?.setView(place.view);
    if (row?.fid !== this.shown.selected.value?.fid) void this.#select(row, place.view === undefined, 'replace');
  }

  /** A unit was picked on the map. */
  pick(picked: Picked): void {
    const row = this.shown.rowOf(picked);
    this.closeHere();
    // Regions of the world are opened, which moves the map: so do countries.
    if (row !== undefined) void this.#select(row, this.shown.isWorld, 'push');
    else void this.#go(placeOf(picked, this.about.levels), 'push');
  }

  /** What a unit is called that the list has. */
  titleOf(level: number, fid: number): string | undefined {
    return this.shown.rowOf({ level, fid })?.name ?? undefined;
  }

  /** Says which units contain a point that was typed, which may also mean another one. */
  askHere(point: Point, other: Point | undefined): void {
    this.#map?.setView({ zoom: Math.max(this.#map.view().zoom, POINT_ZOOM), ...point });
    void this.tellHere(point, other);
  }

  /**
   * Says which units contain a point.
   * @param other that its text may mean as well
   */
  async tellHere(point: Point, other?: Point): Promise<void> {
    this.closeHere();
    const question = new AbortController();
    this.#question = question;
    this.#map?.mark(point);
    showBrowse();
    try {
      await tellHere(point, other, this, question.signal);
    } catch (error) {
      if (question.signal.aborted) return;
      this.closeHere();
      this.fail(error);
    }
  }

  closeHere(): void {
    this.#question?.abort();
    this.#map?.mark(undefined);
    if (document.activeElement?.closest('#here')) focusHeading();
    page.here.value = undefined;
  }

  /** The map has another view. */
  look(view: View): void {
    this.shown.place.value = { ...this.shown.place.value, view };
    this.#writePlace();
    this.#tellSeen();
  }

  /** Brings the selected unit into sight. */
  zoom(): void {
    const box = boxOfSelected(this.shown);
    if (box === undefined) return;
    this.#wanted = { fit: false, flight: false };
    this.#map?.fit([box]);
  }

  /** Buttons that lie upon the map have been drawn anew. */
  makeRoom(): void {
    this.#map?.makeRoom();
  }

  /** Brings all of what is shown into sight. */
  showAll(): void {
    this.#map?.fit(boxesOfAll(this.shown));
  }

  /** What the map shows of what is listed, as a list. */
  listSeen(): void {
    const seen = this.#map?.seen();
    if (this.#map === undefined || seen === undefined) return;
    const { level, filters } = this.shown.place.value;
    const within = { level, filters, bbox: boxToText(seen), view: this.#map.view() };
    this.push({ ...worldOf(this.about.levels), ...within });
    showBrowse();
  }

  /** Saves the selected unit as the page has it. */
  saveUnit(): void {
    const row = this.shown.selected.value;
    const unit = this.shown.unit.value;
    if (row === undefined || unit === undefined || unit === 'failed' || unit.text === undefined) return;
    save(unitFile(row, unit.text, this.about));
    page.message.value = savedMessage(1);
  }

  async download(download: Download): Promise<void> {
    await saveListings(download, this.client, this.#parts.saving).catch((error) => this.fail(error));
  }

  async saveChanges(change: Change): Promise<void> {
    await saveChange(change, this.client, this.#parts.saving).catch((error) => this.fail(error));
  }

  /** Covers units on the map; undefined: no more. */
  cover(cover: Cover | undefined): void {
    this.#map?.cover(cover);
  }

  get hasMap(): boolean {
    return this.#map !== undefined;
  }

  /** Saves what the map shows. */
  async savePicture(): Promise<void> {
    const names = [...new Set([this.about.release ?? '', this.title])];
    if (this.#map !== undefined) await savePicture(this.#map, names).catch((error) => this.fail(error));
  }

  /** Says what did not work. */
  fail(error: unknown): void {
    if (this.signal.aborted) return;
    if (error instanceof RefusalError && error.status === 401) {
      this.#parts.onUnauthorized();
      return;
    }
    const action = isPassing(error) ? { label: 'Try again', run: this.#parts.onRetry } : undefined;
    page.message.value = { ...errorToMessage(error), action };
  }

  /** Ends every request. */
  end(): void {
    this.#ended.abort();
    this.shown.stop();
    this.#parts.names.close();
    this.closeHere();
  }

  /**
   * @param how the address takes it
   * @param isTried does somebody try again what failed?
   */
  async #go(place: Place, how: 'push' | 'replace', isTried = false): Promise<void> {
    const map = this.#map;
    this.#wanted = { fit: place.view === undefined, flight: place.view === undefined };
    writeHash(placeToHash(place, this.about), how);
    map?.select(undefined);
    // What has the focus is about to leave the page.
    if (document.activeElement?.closest('#rows, #facts, #path, #levels, #message')) focusHeading();
    page.message.value = undefined;
    // The state has the place before the map moves: each move writes the place into the address.
    const shown = this.shown.show(place);
    // Of an opened unit it is soon known where it is.
    const isThere = place.view !== undefined || place.filters.size !== 1 || isSpot(place);
    map?.show({ ...place, isWhole: this.shown.isWorld, isThere });
    if (place.view !== undefined) map?.setView(place.view);
    map?.askAgain(isTried);
    await shown;
  }

  /**
   * @param isFlight shall the map go there?
   * @param how the address takes it: what a person selects is an entry of the history
   */
  async #select(row: NamedUnit | undefined, isFlight: boolean, how: 'push' | 'replace'): Promise<void> {
    this.#wanted = { fit: false, flight: isFlight };
    writeHash(placeToHash({ ...this.shown.place.value, ...selection(row) }, this.about), how);
    await this.shown.select(row);
  }

  #change(what: ShownChange): void {
    if (this.signal.aborted) return;
    const selected = this.shown.selected.value;
    const { level, bbox } = this.shown.place.value;
    if (what === 'place') this.#map?.outline(textToBox(bbox));
    if (what === 'rows' && this.shown.isWorld) this.#map?.frame(boxesOfListed(this.shown));
    if (what === 'rows' || what === 'opened') {
      this.#fit();
      this.#map?.arrive();
    }
    if (what === 'selection') {
      this.#map?.select(selected && { level, fid: selected.fid });
      this.#writePlace();
      if (selected !== undefined) announce(`${titleOf(selected)}, ${selected.type ?? `level ${selected.level}`}`);
    }
    if ((what === 'selection' || what === 'unit') && this.#wanted.flight) this.zoom();
    if (what === 'rows' || what === 'unknown') void tellMissing(what, this);
    this.#tellSeen();
  }

  /** Goes to what is listed, unless that is nothing, or its box is not known yet: then the map stays. */
  #fit(): void {
    const { is, total } = this.shown.list.value;
    const boxes = boxesOfListed(this.shown);
    const isNothing = is === 'failed' || (is === 'there' && total === 0);
    if (!this.#wanted.fit || isNothing || (boxes.length === 0 && !this.shown.isWorld)) return;
    this.#wanted.fit = false;
    this.#map?.fit(boxes);
  }

  #tellSeen(): void {
    const isAll = isAllSeen(this.shown, this.#map?.seen());
    // The focus goes to the button beside the one that leaves the page.
    if (isAll && document.activeElement?.id === 'show-all') document.getElementById('list-seen')?.focus();
    page.isAllSeen.value = isAll;
  }

  #writePlace(): void {
    writeHash(placeToHash(this.shown.place.value, this.about), 'replace');
  }
}
