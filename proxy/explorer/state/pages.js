// The pages of the request that a person chose: one at a time, to the next and back.

/** @typedef {import('../api/client.js').Page} Page */

/** A walk along the `next` links of a request. */
export class Pages {
  /** Addresses of the pages that were visited, in order. @type {string[]} */
  #urls;
  #fetchPage;
  #onChange;
  /** @type {AbortController | undefined} */
  #request;

  /** Of the page that was asked for last, from 0. */
  index = 0;
  /** The page that came last. @type {Page | undefined} */
  page;
  /** Units on the first page. */
  pageSize = 0;
  /** Why the last request gave no page. @type {unknown} */
  error;

  /**
   * @param {string} url of the first page
   * @param {(url: string, signal: AbortSignal) => Promise<Page>} fetchPage
   * @param {() => void} onChange after every change of this object
   */
  constructor(url, fetchPage, onChange) {
    this.#urls = [url];
    this.#fetchPage = fetchPage;
    this.#onChange = onChange;
  }

  /** The request that was sent last. */
  get url() {
    return this.#urls[this.index] ?? '';
  }

  get isBusy() {
    return this.#request !== undefined;
  }

  get hasNext() {
    return this.page?.next !== undefined;
  }

  /** @param {-1 | 0 | 1} step to the next page, to the one before, or to this one */
  async go(step) {
    const next = this.page?.next;
    if (this.index + step < 0 || (step === 1 && next === undefined)) return;
    this.stop();
    const request = new AbortController();
    this.#request = request;
    this.error = undefined;
    this.index += step;
    if (step === 1 && next !== undefined) this.#urls[this.index] = next;
    this.#onChange();
    try {
      const page = await this.#fetchPage(this.url, request.signal);
      if (this.#request !== request) return;
      this.page = page;
      if (this.index === 0) this.pageSize = page.units.length;
    } catch (error) {
      if (this.#request !== request || request.signal.aborted) return;
      this.error = error;
    }
    this.#request = undefined;
    this.#onChange();
  }

  stop() {
    this.#request?.abort();
    this.#request = undefined;
  }
}
