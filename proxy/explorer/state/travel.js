// Where the map goes by itself: to what is listed, and to the selected unit, once their boxes are known. Used by
// workspace.js.
import { boxOf } from '../map/geometry/unit-box.js';

/**
 * @typedef {import('../map/geometry/box.js').Box} Box
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {{ level: number, fid: number }} UnitKey
 */

/** The ways of the map that are not over yet. */
export class Travel {
  #map;
  #shown;
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

  /** Goes to what is listed, unless nothing is: then the map stays. */
  fit() {
    const { listing, lineage, hasRows, total, isWorld } = this.#shown;
    if (!this.#isFitWanted || (hasRows && total === 0)) return;
    const opened = lineage.at(-1);
    const box = opened && (this.#map.boxOf(opened) ?? this.#boxes.get(keyOf(opened)));
    if (isWorld) this.#map.fit();
    else if (box !== undefined) this.#map.fit([box]);
    else if (listing !== undefined && listing.loaded > 0) this.#map.fit(boxesOf(listing.units));
    else return;
    // Without a box of its parent, a listing is known when it has ended.
    this.#isFitWanted = box === undefined && listing?.isBusy === true;
  }

  /** Goes to the selected unit as soon as its box is known. */
  fly() {
    const { selected, unit } = this.#shown;
    if (selected === undefined) return;
    const box = unit === undefined ? this.#map.boxOf(selected) : boxOf(unit);
    if (box === undefined) return;
    this.#boxes.set(keyOf(selected), box);
    if (this.#isFlightWanted) this.#map.fit([box]);
    this.#isFlightWanted = false;
  }
}

/** @param {UnitKey} unit */
function keyOf({ level, fid }) {
  return `${level}/${fid}`;
}

/**
 * @param {readonly import('../api/client.js').Unit[]} units
 * @returns {Box[]} without units that have no geometry
 */
function boxesOf(units) {
  return units.flatMap((unit) => {
    const box = boxOf(unit);
    return box === undefined ? [] : [box];
  });
}
