// One request to the service and what came of it. The token goes into the header of the request and nowhere else.

/**
 * A unit, with its GIDs at each level and its name (see unit.js).
 * @typedef {import('geojson').Feature<import('geojson').Geometry | null, Record<string, unknown>> & { gids?: (string | undefined)[], title?: string | undefined }} Unit
 *
 * @typedef {object} Page
 * @property {string} url
 * @property {number} status
 * @property {string} statusText
 * @property {Unit[]} units
 * @property {number} matched how many units match in all
 * @property {string} release
 * @property {string} tag the ETag
 * @property {string} link the Link header
 * @property {number} ms until the last byte was there
 * @property {number} sentBytes as they came over the wire, compressed
 * @property {number} textBytes
 *
 * @typedef {object} Refusal
 * @property {number} status 0 where there was no answer at all
 * @property {string} code
 * @property {string} detail
 */

/** The service refused, or could not be reached. */
export class RefusalError extends Error {
  /** @param {Refusal} refusal */
  constructor({ status, code, detail }) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/**
 * Fetches one page.
 * @param {string} url
 * @param {string} token empty for none
 * @param {AbortSignal} signal
 * @returns {Promise<Page>}
 * @throws {RefusalError}; what `signal` is aborted with
 */
export async function fetchPage(url, token, signal) {
  const started = performance.now();
  /** @type {Response} */
  let response;
  let text = '';
  try {
    // Nothing is taken from the browser's cache: what is shown is what the service did just now.
    response = await fetch(url, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      cache: 'no-store',
      signal,
    });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RefusalError({ status: 0, code: '', detail: 'The service could not be reached.' });
  }
  const ms = performance.now() - started;
  if (!response.ok) throw refusalFrom(response.status, text);
  const header = (/** @type {string} */ name) => response.headers.get(name) ?? '';
  return {
    url,
    status: response.status,
    statusText: response.statusText,
    units: unitsFrom(text, header('Content-Type')),
    matched: Number(header('Boundaries-Matched')),
    release: header('Boundaries-Release'),
    tag: header('ETag'),
    link: header('Link'),
    ms,
    ...sizesOf(url, text),
  };
}

/**
 * What the Link header names as next: its query alone, since where the service is reached is known here.
 * @param {Page} page
 * @returns {string | undefined} undefined on the last page
 */
export function nextOf({ url, link }) {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link) ?? [];
  if (next === undefined) return undefined;
  const target = new URL(url);
  target.search = new URL(next, url).search;
  return target.href;
}

/**
 * A token as it was pasted: perhaps a whole line of a shell or of a header.
 * @param {string} text
 */
export function tokenFrom(text) {
  return text.trim().replace(/^(TOKEN=|(Authorization:\s*)?Bearer\s+)/i, '');
}

/**
 * @param {string} text
 * @param {string} type
 * @returns {Unit[]}
 */
function unitsFrom(text, type) {
  if (type === 'application/geo+json') return JSON.parse(text).features;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * @param {string} url
 * @param {string} text
 */
function sizesOf(url, text) {
  const entry = performance.getEntriesByName(url, 'resource').at(-1);
  // The browser keeps 250 of these and no more.
  performance.clearResourceTimings();
  const timed = entry instanceof PerformanceResourceTiming ? entry : undefined;
  return { sentBytes: timed?.encodedBodySize ?? 0, textBytes: timed?.decodedBodySize ?? text.length };
}

/**
 * @param {number} status
 * @param {string} text
 */
function refusalFrom(status, text) {
  try {
    const { code, detail } = JSON.parse(text);
    return new RefusalError({ status, code: String(code), detail: String(detail) });
  } catch {
    return new RefusalError({ status, code: '', detail: `The answer was ${status}, and not one of this service.` });
  }
}
