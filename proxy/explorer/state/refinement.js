// What a listing that was loaded coarse gets as the map comes closer: finer shapes of the units in sight, and the
// points at which their names are written. Used by workspace.js.
import { capOf, isFiner, shapesAt } from '../api/geometry.js';
import { requestToPath } from '../api/page-request.js';

/**
 * @typedef {import('../api/client.js').Unit} Unit
 * @typedef {import('./shown.js').Shown} Shown
 *
 * Units that a page has: the fid of the first, and how many.
 * @typedef {{ startAt: string, pageSize: string }} Run
 */

/** With more units than this in sight, their shapes stay as they are. */
const MAX_UNITS = 400;
const REQUESTS = 2;
const WAIT_MS = 350;
/** Text of finer shapes for one listing. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A request may have so many units in a row that nothing needs; points are light. */
const GAP = { shape: 3, point: 20 };
/**
 * A request for points must be worth so many names: those of a few units far apart stay where the page has put them.
 */
const NAMES_PER_REQUEST = 10;

/** The finer shapes and the points of one listing after the other. */
export class Refinement {
  #client;
  #about;
  #map;
  #shown;
  /** @type {import('./listing.js').Listing | undefined} */
  #listing;
  /** The geometry that a unit has on the map, by fid, if it is not that of the listing. @type {Map<number, string>} */
  #shapes = new Map();
  /** Units whose names have their points. @type {Set<number>} */
  #named = new Set();
  #bytes = 0;
  /** @type {AbortController | undefined} */
  #request;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {import('../api/client.js').Client} options.client
   * @param {import('../api/about.js').About} options.about
   * @param {import('../map/map.js').UnitMap} options.map
   * @param {Shown} options.shown
   */
  constructor({ client, about, map, shown }) {
    this.#client = client;
    this.#about = about;
    this.#map = map;
    this.#shown = shown;
  }

  /** Fetches what is in sight after the map has rested. */
  look() {
    this.stop();
    this.#timer = setTimeout(() => void this.#fetch(), WAIT_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  /**
   * The map has the full shape of a unit.
   * @param {number} fid
   */
  noteFull(fid) {
    this.#follow();
    this.#shapes.set(fid, 'full');
  }

  /** Forgets what another listing has. */
  #follow() {
    const { listing } = this.#shown;
    if (listing === this.#listing) return;
    this.#listing = listing;
    this.#shapes.clear();
    this.#named.clear();
    this.#bytes = 0;
  }

  async #fetch() {
    const { listing, isChosen } = this.#shown;
    if (listing === undefined || listing.isBusy || isChosen) return;
    this.#follow();
    const request = new AbortController();
    this.#request = request;
    try {
      await this.#fetchPoints(request.signal);
      await this.#fetchShapes(request.signal);
    } catch {
      // What cannot be fetched stays as it is; the next request of the user says why.
      request.abort();
    }
  }

  /** @param {AbortSignal} signal */
  async #fetchShapes(signal) {
    const { geometries } = this.#about;
    const { place, geometry: coarse } = this.#shown;
    const geometry = shapesAt(this.#map.view().zoom, geometries);
    const wanted = this.#map.unitsInSight().filter((fid) => isFiner(geometry, this.#shapes.get(fid) ?? coarse));
    if (wanted.length > MAX_UNITS || this.#bytes > MAX_BYTES) return;
    await this.#load(this.#runsOf(wanted, geometry, GAP.shape), geometry, signal, (units) => {
      for (const { id } of units) this.#shapes.set(Number(id), geometry);
      this.#map.refine(place.level, units);
    });
  }

  /** @param {AbortSignal} signal */
  async #fetchPoints(signal) {
    if (!this.#about.geometries.includes('point')) return;
    const wanted = this.#map.namesInSight().filter((fid) => !this.#named.has(fid));
    const runs = this.#runsOf(wanted, 'point', GAP.point);
    if (runs.length > Math.ceil(wanted.length / NAMES_PER_REQUEST)) return;
    await this.#load(runs, 'point', signal, (units) => {
      for (const { id } of units) this.#named.add(Number(id));
      this.#map.placeNames(this.#shown.place.level, units);
    });
  }

  /**
   * @param {readonly number[]} wanted fids
   * @param {string} geometry
   * @param {number} gap
   */
  #runsOf(wanted, geometry, gap) {
    const { place, listing } = this.#shown;
    const order = listing?.units.map(({ id }) => Number(id)).sort((a, b) => a - b) ?? [];
    const max = capOf(this.#about, { format: 'geojsonl', level: place.level, geometry }) ?? 1;
    return runsOf(wanted, order, { max, gap });
  }

  /**
   * @param {Run[]} waiting
   * @param {string} geometry
   * @param {AbortSignal} signal
   * @param {(units: Unit[]) => void} use gets all at once: the map redraws everything for each change
   */
  async #load(waiting, geometry, signal, use) {
    if (waiting.length === 0) return;
    const base = { ...this.#shown.place, format: 'geojsonl', geometry };
    /** @type {Unit[]} */
    const units = [];
    const worker = async () => {
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
        const page = await this.#client.page(this.#client.urlOf(requestToPath({ ...base, ...run })), signal);
        signal.throwIfAborted();
        units.push(...page.units);
        if (geometry !== 'point') this.#bytes += page.textBytes;
      }
    };
    await Promise.all(Array.from({ length: REQUESTS }, worker));
    signal.throwIfAborted();
    use(units);
  }
}

/**
 * The pages that have these units.
 * @param {readonly number[]} wanted fids
 * @param {readonly number[]} order all fids of the listing, ascending
 * @param {{ max: number, gap: number }} limits of the units of a page; of those among them that are not wanted, in a
 * row
 * @returns {Run[]}
 */
export function runsOf(wanted, order, { max, gap }) {
  const isWanted = new Set(wanted);
  /** @type {{ first: number, last: number }[]} */
  const runs = [];
  for (const [at, fid] of order.entries()) {
    if (!isWanted.has(fid)) continue;
    const run = runs.at(-1);
    if (run !== undefined && at - run.first < max && at - run.last <= gap + 1) run.last = at;
    else runs.push({ first: at, last: at });
  }
  return runs.map(({ first, last }) => ({ startAt: String(order[first]), pageSize: String(last - first + 1) }));
}
