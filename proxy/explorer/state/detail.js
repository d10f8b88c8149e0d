// Finer shapes for the world view: the few units in sight replace those of the overview, once the map is close enough.
// Used by app.js.
import { shapesAt } from '../api/geometry.js';
import { unitToPath } from '../api/page-request.js';
import { identify } from '../api/unit.js';

/**
 * @typedef {import('../api/client.js').Unit} Unit
 * @typedef {{ level: number, fid: number, geometry: string }} Key
 */

/** With more units than this in sight, none of them is replaced but the selected one. */
const MAX_UNITS = 12;
const REQUESTS = 2;
const WAIT_MS = 350;
/** Text of the units that are kept. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** The units that were fetched, and what is being fetched. */
export class Detail {
  #client;
  #about;
  #map;
  #selected;
  /** @type {Map<string, { unit: Unit, bytes: number }>} oldest first */
  #kept = new Map();
  /** Keys of the units that the map has. */
  #drawn = '';
  /** @type {AbortController | undefined} */
  #request;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {import('../api/client.js').Client} client
   * @param {import('../api/about.js').About} about
   * @param {import('../map/map.js').UnitMap} map
   * @param {() => { level: number, fid: number } | undefined} selected the unit that is selected
   */
  constructor(client, about, map, selected) {
    this.#client = client;
    this.#about = about;
    this.#map = map;
    this.#selected = selected;
  }

  /** Fetches what is in sight, and too coarse, after the map has rested. */
  look() {
    this.stop();
    this.#timer = setTimeout(() => {
      const geometry = shapesAt(this.#map.view().zoom, this.#about.geometries);
      const keys = this.#map.visibleOverview().map(({ level, id }) => ({ level, fid: id, geometry }));
      const { level, fid } = this.#selected() ?? {};
      const own = keys.filter((key) => key.level === level && key.fid === fid);
      const wanted = keys.length <= MAX_UNITS ? keys : own;
      if (wanted.length > 0) void this.#fetch(wanted);
    }, WAIT_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  /** @param {Key[]} keys */
  async #fetch(keys) {
    const request = new AbortController();
    this.#request = request;
    const waiting = keys.filter((key) => !this.#kept.has(keyOf(key)));
    this.#draw(keys);
    const worker = async () => {
      for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
        const page = await this.#client.page(this.#client.urlOf(unitToPath(key, key.geometry)), request.signal);
        request.signal.throwIfAborted();
        const [unit] = page.units;
        if (unit === undefined) continue;
        identify(unit, this.#about.levels[key.level]);
        this.#keep(keyOf(key), { unit, bytes: page.textBytes });
      }
    };
    try {
      await Promise.all(Array.from({ length: REQUESTS }, worker));
      // All at once: the map redraws everything for each replacement.
      this.#draw(keys);
    } catch {
      // A unit that cannot be fetched stays as the overview has it; the next request of the user says why.
      request.abort();
    }
  }

  /**
   * Draws what is known of these units, if it is something else than before.
   * @param {Key[]} keys
   */
  #draw(keys) {
    const known = keys.map(keyOf).filter((key) => this.#kept.has(key));
    if (known.join() === this.#drawn) return;
    this.#drawn = known.join();
    this.#map.showDetail(known.flatMap((key) => this.#kept.get(key)?.unit ?? []));
  }

  /**
   * @param {string} key
   * @param {{ unit: Unit, bytes: number }} entry
   */
  #keep(key, entry) {
    this.#kept.set(key, entry);
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [oldest, kept] of this.#kept) {
      if (bytes <= KEPT_BYTES || oldest === key) return;
      this.#kept.delete(oldest);
      bytes -= kept.bytes;
    }
  }
}

/** @param {Key} key */
function keyOf({ level, fid, geometry }) {
  return `${level}/${fid}/${geometry}`;
}
