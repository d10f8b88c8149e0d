// Where the map goes by itself: to what is listed, and to the selected unit, once their boxes are known. Used by
// workspace.js.
import { textToBox } from '../api/page-request.js';
import { mainBox } from '../map/geometry/main-part.js';
import { boxOf } from '../map/geometry/unit-box.js';

/**
 * @typedef {import('../map/geometry/box.js').Box} Box
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {{ level: number, fid: number, gid: string | null }} UnitKey
 */

/** The ways of the map that are not over yet. */
export class Travel {
  #map;
  #shown;
  /** @type {import('../api/overview.js').Overview} */
  #overview = [];
  /** Boxes of the whole release; undefined before its overview has arrived. @type {Box[] | undefined} */
  #all;
  /** Boxes of units that were selected or opened. @type {Map<string, Box>} */
  #boxes = new Map();
  #isFitWanted = false;
  #isFlightWanted = false;

  /**
   * @param {import('../map/map.js').UnitMap} map
   * @param {Shown} shown
   */
  constructor(map, shown) {
    this.#map = map;
    this.#shown = shown;
  }

  /** @param {import('../api/overview.js').Overview} overview */
  setOverview(overview) {
    this.#overview = overview;
    const [first = []] = overview;
    // Countries are shown all; of other units those that lie far from most.
    const boxes = first[0]?.level === 0 ? first.map((unit) => this.#boxOf(unitToKey(unit))) : [mainBox(first)];
    this.#all = boxes.filter((box) => box !== undefined);
  }

  /**
   * @param {{ fit: boolean, flight: boolean }} wanted to what is listed; to the selected unit
   */
  plan({ fit, flight }) {
    this.#isFitWanted = fit;
    this.#isFlightWanted = flight;
  }

  /**
   * Keeps the box of a unit that is about to leave the map.
   * @param {UnitKey} unit
   */
  remember(unit) {
    const box = this.#map.boxOf(unit);
    if (box !== undefined) this.#boxes.set(keyOf(unit), box);
  }

  /**
   * The zoom at which the map will show a place; 0 while that is not known.
   * @param {import('./place.js').Place} place
   */
  zoomOf({ view, filters, bbox }) {
    if (view !== undefined) return view.zoom;
    const asked = textToBox(bbox);
    if (asked !== undefined) return this.#map.zoomOf([asked]);
    const [[of, gid] = []] = [...filters].sort(([a], [b]) => b - a);
    const unit = this.#overview.flat().find(({ level, properties }) => level === of && properties.gid === gid);
    const box = unit && this.#boxOf(unitToKey(unit));
    return box === undefined ? 0 : this.#map.zoomOf([box]);
  }

  /** Goes to what is listed, unless nothing is, or its box is not known yet: then the map stays. */
  fit() {
    const { listing, lineage, hasRows, total, isWorld, place } = this.#shown;
    if (!this.#isFitWanted || (hasRows && total === 0)) return;
    const opened = lineage.at(-1);
    const box = textToBox(place.bbox) ?? (opened && place.contains === '' ? this.#boxOf(opened) : undefined);
    if (isWorld && this.#all === undefined) return;
    if (isWorld) this.#map.fit(this.#all);
    else if (box !== undefined) this.#map.fit([box]);
    else if (listing !== undefined && listing.loaded > 0) this.#map.fit(boxesOf(listing.units, place.filters.size > 0));
    else return;
    // Without a box of its parent, a listing is known when it has ended.
    this.#isFitWanted = box === undefined && listing?.isBusy === true;
  }

  /** Goes to the selected unit as soon as its box is known. */
  fly() {
    const { selected, unit } = this.#shown;
    if (selected === undefined) return;
    const box = this.#insideOf(selected) ?? (unit === undefined ? this.#map.boxOf(selected) : mainBox([unit]));
    if (box === undefined) return;
    this.#boxes.set(keyOf(selected), box);
    if (this.#isFlightWanted) this.#map.fit([box]);
    this.#isFlightWanted = false;
  }

  /**
   * The box of a unit, without its far islands.
   * @param {UnitKey} unit
   */
  #boxOf(unit) {
    return this.#insideOf(unit) ?? this.#map.boxOf(unit) ?? this.#boxes.get(keyOf(unit));
  }

  /**
   * The box of most units inside of a unit, where the overview has them.
   * @param {UnitKey} unit
   */
  #insideOf({ level, gid }) {
    const [first = [], second = []] = this.#overview;
    if (level !== first[0]?.level || gid === null) return undefined;
    return mainBox(second.filter(({ properties }) => properties.parent === gid));
  }
}

/** @param {import('../api/overview.js').OverviewUnit} unit */
function unitToKey({ level, id, properties }) {
  return { level, fid: id, gid: properties.gid };
}

/** @param {{ level: number, fid: number }} unit */
function keyOf({ level, fid }) {
  return `${level}/${fid}`;
}

/**
 * @param {readonly import('../api/client.js').Unit[]} units
 * @param {boolean} isOfOne are they the units of one unit, whose far islands are left out?
 * @returns {Box[]} without units that have no geometry
 */
function boxesOf(units, isOfOne) {
  const boxes = isOfOne ? [mainBox(units)] : units.map(boxOf);
  return boxes.filter((box) => box !== undefined);
}
