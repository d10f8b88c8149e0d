// The service's client: pages, counts, files and tiles. The token goes into the Authorization header and nowhere else.

/**
 * A unit, and its text.
 * @typedef {import('geojson').Feature<import('geojson').Geometry | null, Record<string, unknown>> & { text?: string }}
 * Unit
 *
 * @typedef {object} Page
 * @property {Unit[]} units
 * @property {number} matched units of all pages
 * @property {string} link the header Link
 * @property {string | undefined} next the address of the next page; undefined on the last one
 *
 * @typedef {{ matched: number, bytes: number }} Size
 *
 * Some lines of a long body.
 * @typedef {{ lines: string[], matched: number, release: string }} Batch
 *
 * @typedef {object} Client
 * @property {(path: string) => string} urlOf the address of a path under api/v1/
 * @property {(url: string, signal: AbortSignal) => Promise<Page>} page
 * @property {(path: string, signal: AbortSignal) => Promise<Size>} size how many units match, and how many bytes the
 * body
 *   has, by HEAD
 * @property {(path: string, signal: AbortSignal) => AsyncGenerator<Batch>} download the units of a whole listing as
 *   GeoJSON text, as they arrive; the first batch comes with the headers and has none
 * @property {(path: string, signal: AbortSignal) => AsyncGenerator<Batch>} lines the same of a file of text lines
 * @property {(path: string, signal: AbortSignal) => Promise<Blob>} file a file as it is
 * @property {(path: string, signal: AbortSignal) => Promise<{ json: unknown, matched: number }>} json
 * @property {(url: string) => Record<string, string>} headersFor the token, for addresses of the service's API alone
 */

const NOT_REACHED = 'The service cannot be reached.';
const BROKEN_OFF = 'The download broke off.';

/** The service answered with an error, or could not be reached. */
export class RefusalError extends Error {
  /** @param {{ status?: number, code?: string, detail: string }} problem status 0 where there was no response */
  constructor({ status = 0, code = '', detail }) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/**
 * @typedef {RequestInit & { signal: AbortSignal }} Init
 *
 * @typedef {object} ClientOptions
 * @property {string} base the address of the page, with a slash at the end
 * @property {() => string} token empty for none
 * @property {(release: string) => void} [onCurrent] the release of an answer to a request that names none
 */

/**
 * @param {ClientOptions} options
 * @returns {Client} its functions throw RefusalError, and what `signal` is aborted with
 */
export function createClient({ base, token, onCurrent = () => {} }) {
  const ask = async (/** @type {string} */ url, /** @type {Init} */ init) => {
    const response = await request(url, token(), init);
    const release = response.headers.get('Boundaries-Release');
    if (release !== null && !isPinned(url)) onCurrent(release);
    return response;
  };
  const urlOf = (/** @type {string} */ path) => new URL(`api/v1/${path}`, base).href;
  return {
    urlOf,
    async page(url, signal) {
      const response = await ask(url, { signal });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      const link = response.headers.get('Link') ?? '';
      const matched = Number(response.headers.get('Boundaries-Matched'));
      return { units: lines.map(textToUnit), matched, link, next: nextIn(link, url) };
    },
    async size(path, signal) {
      const { headers } = await ask(urlOf(path), { method: 'HEAD', signal });
      return { matched: Number(headers.get('Boundaries-Matched')), bytes: Number(headers.get('Content-Length')) };
    },
    async *download(path, signal) {
      yield* batchesOf(await ask(urlOf(path), { signal }), signal, new DecompressionStream('gzip'));
    },
    async *lines(path, signal) {
      // The browser keeps them until the service says that they have changed.
      yield* batchesOf(await ask(urlOf(path), { signal, cache: 'default' }), signal);
    },
    async file(path, signal) {
      const response = await ask(urlOf(path), { signal });
      return response.blob().catch((error) => {
        throw signal.aborted ? error : new RefusalError({ detail: BROKEN_OFF });
      });
    },
    async json(path, signal) {
      const response = await ask(urlOf(path), { signal });
      return { json: await response.json(), matched: Number(response.headers.get('Boundaries-Matched')) };
    },
    headersFor: (url) => (url.startsWith(urlOf('')) ? authorization(token()) : {}),
  };
}

/**
 * @param {string} url
 * @param {string} token
 * @param {Init} init
 */
async function request(url, token, init) {
  // An answer of the browser's cache may be of a release before.
  const sent = fetch(url, { cache: 'no-store', ...init, headers: authorization(token) });
  const response = await sent.catch((error) => {
    throw init.signal.aborted ? error : new RefusalError({ detail: NOT_REACHED });
  });
  if (!response.ok) throw textToError(response.status, await response.text());
  return response;
}

/**
 * Is it of a release that it names: by a cursor, the id, or the digest of tiles?
 * @param {string} url
 */
function isPinned(url) {
  const { searchParams } = new URL(url);
  return searchParams.has('release') || searchParams.has('v') || /\D/.test(searchParams.get('start-at') ?? '');
}

/**
 * @param {string} token empty for none
 * @returns {Record<string, string>}
 */
function authorization(token) {
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

/**
 * The lines of a body, as many at a time as there are.
 * @param {Response} response
 * @param {AbortSignal} signal
 * @param {DecompressionStream} [inflate]
 * @returns {AsyncGenerator<Batch>}
 */
async function* batchesOf(response, signal, inflate) {
  const { headers, body } = response;
  if (body === null) return;
  const [matched, release] = ['Boundaries-Matched', 'Boundaries-Release'].map((name) => headers.get(name));
  const known = { matched: Number(matched), release: release ?? '' };
  yield { lines: [], ...known };
  const bytes = inflate === undefined ? body : body.pipeThrough(inflate);
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  /** The beginning of a line, in pieces. @type {string[]} */
  let begun = [];
  try {
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      const end = value.lastIndexOf('\n');
      begun.push(end === -1 ? value : value.slice(0, end));
      if (end === -1) continue;
      yield { lines: begun.join('').split('\n'), ...known };
      begun = [value.slice(end + 1)];
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RefusalError({ detail: BROKEN_OFF });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The next page: only the query of the link, because this page knows at which address it reaches the service.
 * @param {string} link
 * @param {string} url of the page that has this Link header
 * @returns {string | undefined} undefined on the last page
 */
function nextIn(link, url) {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link) ?? [];
  if (next === undefined) return undefined;
  const target = new URL(url);
  target.search = new URL(next, url).search;
  return target.href;
}

/**
 * @param {string} text of a Feature
 * @returns {Unit}
 */
export function textToUnit(text) {
  // Not enumerable: a copy of the unit, such as one for the map's worker, is without the text.
  return Object.defineProperty(JSON.parse(text), 'text', { value: text });
}

/**
 * What a library says of a request that failed.
 * @param {unknown} error perhaps with status and body of the response
 * @returns {Promise<RefusalError>}
 */
export async function toRefusal(error) {
  if (error instanceof RefusalError) return error;
  const { status, body } = /** @type {{ status?: number, body?: Blob }} */ (error);
  return status && body ? textToError(status, await body.text()) : new RefusalError({ detail: NOT_REACHED });
}

/**
 * The error in the body of a response.
 * @param {number} status
 * @param {string} text
 */
export function textToError(status, text) {
  try {
    const { code, detail } = JSON.parse(text);
    return new RefusalError({ status, code: String(code), detail: String(detail) });
  } catch {
    const detail = `Something between this page and the service answered, with status ${status}.`;
    return new RefusalError({ status, detail });
  }
}
