// The pages of one request: the first, the next, the one before, or all of them up to a limit; or the first, and all
// units by one download. Used by state/shown.js.

/**
 * @typedef {import('../api/client.js').Page} Page
 * @typedef {import('../api/client.js').Unit} Unit
 *
 * All units of a listing as they arrive, with the characters of their text.
 * @typedef {(release: string, signal: AbortSignal) => AsyncIterable<{ units: Unit[], characters: number }>} FetchWhole
 */

/** 'Load all' pauses after so much text: the full-resolution boundaries of the world do not fit into a browser. */
const PAUSE_BYTES = 64 * 1024 * 1024;

/** Units of a download are handed on so often: the map draws all of them anew each time. */
const BATCH_MS = 1000;

/** A walk along the `next` links of a request. */
export class Listing {
  /** Addresses of the pages that were visited, in order. @type {string[]} */
  #urls;
  #fetchPage;
  #fetchWhole;
  #onPage;
  #onChange;
  /** @type {AbortController | undefined} */
  #request;
  /** @type {Map<number | string | undefined, Unit>} */
  #units = new Map();
  #bytes = 0;

  /** Of the page in `page`, from 0. */
  index = 0;
  /** The page that came last. @type {Page | undefined} */
  page;
  /** Units on the first page. */
  pageSize = 0;
  /** Why the last request gave no page. @type {unknown} */
  error;
  /** How the last load ended early. @type {'stopped' | 'paused' | undefined} */
  halt;

  /**
   * @param {object} options
   * @param {string} options.url of the first page
   * @param {(url: string, signal: AbortSignal) => Promise<Page>} options.fetchPage
   * @param {FetchWhole | undefined} [options.fetchWhole] otherwise all are had by walking pages
   * @param {(units: Unit[], isFirst: boolean) => void} options.onPage gets the units that were not there before
   * @param {() => void} options.onChange after every change of this object
   */
  constructor({ url, fetchPage, fetchWhole, onPage, onChange }) {
    this.#urls = [url];
    this.#fetchPage = fetchPage;
    this.#fetchWhole = fetchWhole;
    this.#onPage = onPage;
    this.#onChange = onChange;
  }

  /** All units so far, each once. */
  get units() {
    return [...this.#units.values()];
  }

  get loaded() {
    return this.#units.size;
  }

  /** How many units match; 0 while unknown. */
  get matched() {
    return this.page?.matched ?? 0;
  }

  /** Bytes of text so far. */
  get bytes() {
    return this.#bytes;
  }

  get isBusy() {
    return this.#request !== undefined;
  }

  /** The request that was sent last. */
  get url() {
    return this.#urls[this.index] ?? '';
  }

  get hasNext() {
    return this.page?.next !== undefined;
  }

  get hasPrevious() {
    return this.page !== undefined && this.index > 0;
  }

  /** Loads the first page. */
  async open() {
    await this.#run((signal) => this.#load(0, signal));
  }

  /** @param {1 | -1} step to the next page or to the one before */
  async go(step) {
    const next = this.page?.next;
    const index = this.index + step;
    if (step === 1 && next !== undefined) this.#urls[index] = next;
    if (index >= 0 && (step === -1 || next !== undefined)) await this.#run((signal) => this.#load(index, signal));
  }

  /** Loads the first page and what follows, to the end, or until it has loaded 64 MB more. */
  async loadAll() {
    await this.#run(async (signal) => {
      const limit = this.#bytes + PAUSE_BYTES;
      if (this.page === undefined) await this.#load(0, signal);
      if (this.#fetchWhole !== undefined) {
        if (this.loaded < this.matched) await this.#loadWhole(this.#fetchWhole, limit, signal);
        return;
      }
      while (this.page?.next !== undefined) {
        if (this.#bytes >= limit) {
          this.halt = 'paused';
          return;
        }
        this.#urls[this.index + 1] = this.page.next;
        await this.#load(this.index + 1, signal);
      }
    });
  }

  stop() {
    this.#request?.abort();
  }

  /** @param {(signal: AbortSignal) => Promise<void>} work */
  async #run(work) {
    this.stop();
    const request = new AbortController();
    this.#request = request;
    this.halt = undefined;
    this.error = undefined;
    this.#onChange();
    try {
      await work(request.signal);
    } catch (error) {
      if (this.#request !== request) return;
      if (request.signal.aborted) this.halt = 'stopped';
      else this.error = error;
    }
    if (this.#request !== request) return;
    this.#request = undefined;
    this.#onChange();
  }

  /**
   * @param {number} index of the page
   * @param {AbortSignal} signal
   */
  async #load(index, signal) {
    const page = await this.#fetchPage(this.#urls[index] ?? '', signal);
    signal.throwIfAborted();
    const isFirst = this.page === undefined;
    const added = this.#add(page.units);
    if (added.length > 0) this.#bytes += page.textBytes;
    if (isFirst) this.pageSize = page.units.length;
    this.page = page;
    this.index = index;
    this.#onPage(added, isFirst);
    this.#onChange();
  }

  /**
   * @param {FetchWhole} fetchWhole
   * @param {number} limit of the bytes so far
   * @param {AbortSignal} signal
   */
  async #loadWhole(fetchWhole, limit, signal) {
    /** @type {Unit[]} */
    let waiting = [];
    let handedOn = performance.now();
    const handOn = () => {
      this.#onPage(waiting, false);
      [waiting, handedOn] = [[], performance.now()];
      this.#onChange();
    };
    for await (const { units, characters } of fetchWhole(this.page?.release ?? '', signal)) {
      signal.throwIfAborted();
      const added = this.#add(units);
      waiting.push(...added);
      if (added.length > 0) this.#bytes += characters;
      if (this.#bytes >= limit) this.halt = 'paused';
      if (this.halt !== undefined) break;
      if (performance.now() - handedOn >= BATCH_MS) handOn();
    }
    handOn();
  }

  /**
   * @param {readonly Unit[]} units
   * @returns {Unit[]} those that were not there before
   */
  #add(units) {
    const added = units.filter(({ id }) => !this.#units.has(id));
    for (const unit of added) this.#units.set(unit.id, unit);
    return added;
  }
}
