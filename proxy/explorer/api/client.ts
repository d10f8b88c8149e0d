// The service's client: pages, counts, files and tiles. The token goes into the Authorization header and nowhere else.
import type { Feature, Geometry } from 'geojson';

/** A unit, and its text. */
export type Unit = Feature<Geometry | null, Record<string, unknown>> & { text?: string };

interface Page {
  units: Unit[];
  /** Units of all pages. */
  matched: number;
  /** The header Link. */
  link: string;
  /** The address of the next page; undefined on the last one. */
  next: string | undefined;
}

export type Size = { matched: number; bytes: number };

/** Some lines of a long body. */
type Batch = { lines: string[]; matched: number; release: string };

/** A file that the browser keeps: the one that it has will do, or the service is asked whether it has changed. */
export type Kept = 'default' | 'no-cache';

export interface Client {
  /** The address of a path under api/v1/. */
  urlOf: (path: string) => string;
  page: (url: string, signal: AbortSignal) => Promise<Page>;
  /** How many units match, and how many bytes the body has, by HEAD. */
  size: (path: string, signal: AbortSignal) => Promise<Size>;
  /**
   * The units of a whole listing as GeoJSON text, as they arrive; the first batch comes with the headers and has none.
   */
  download: (path: string, signal: AbortSignal) => AsyncGenerator<Batch>;
  /** The same of a file of text lines. @param cache as `file` */
  lines: (path: string, signal: AbortSignal, cache?: Kept) => AsyncGenerator<Batch>;
  /** A file as it is. @param cache if the browser may keep it */
  file: (path: string, signal: AbortSignal, cache?: Kept) => Promise<{ blob: Blob; release: string }>;
  /** An answer in JSON, and the address of the next page of it. */
  json: (url: string, signal: AbortSignal) => Promise<{ json: unknown; matched: number; next: string | undefined }>;
  /** The token, for addresses of the service's API alone. */
  headersFor: (url: string) => Record<string, string>;
}

export const NOT_REACHED = 'The service cannot be reached.';
/** Of answers that are of several releases, in a RefusalError without a status. */
export const RELEASE_CHANGED = 'release-changed';
export const OTHER_RELEASE = 'A new release is being published, and its names do not arrive yet.';
const BROKEN_OFF = 'The download broke off.';

/** The service answered with an error, or could not be reached. */
export class RefusalError extends Error {
  readonly status: number;
  readonly code: string;

  /** @param problem status 0 where there was no response */
  constructor({ status = 0, code = '', detail }: { status?: number; code?: string; detail: string }) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

type Init = RequestInit & { signal: AbortSignal };

interface ClientOptions {
  /** The address of the page, with a slash at the end. */
  base: string;
  /** Empty for none. */
  token: () => string;
  /** The release of an answer to a request that names none. */
  onCurrent?: (release: string) => unknown;
}

/** @returns its functions throw RefusalError, and what `signal` is aborted with */
export function createClient({ base, token, onCurrent = () => {} }: ClientOptions): Client {
  const ask = async (url: string, init: Init) => {
    const response = await request(url, token(), init);
    const release = response.headers.get('Boundaries-Release');
    if (release !== null && !isPinned(url)) onCurrent(release);
    return response;
  };
  const urlOf = (path: string) => new URL(`api/v1/${path}`, base).href;
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
    async *lines(path, signal, cache) {
      yield* batchesOf(await ask(urlOf(path), { signal, ...(cache && { cache }) }), signal);
    },
    async file(path, signal, cache) {
      const response = await ask(urlOf(path), { signal, ...(cache && { cache }) });
      const blob = await response.blob().catch((error) => {
        throw signal.aborted ? error : new RefusalError({ detail: BROKEN_OFF });
      });
      return { blob, release: response.headers.get('Boundaries-Release') ?? '' };
    },
    async json(url, signal) {
      const response = await ask(url, { signal });
      const matched = Number(response.headers.get('Boundaries-Matched'));
      return { json: await response.json(), matched, next: nextIn(response.headers.get('Link') ?? '', url) };
    },
    headersFor: (url) => (url.startsWith(urlOf('')) ? authorization(token()) : {}),
  };
}

async function request(url: string, token: string, init: Init) {
  // An answer of the browser's cache may be of a release before.
  const sent = fetch(url, { cache: 'no-store', ...init, headers: authorization(token) });
  const response = await sent.catch((error) => {
    throw init.signal.aborted ? error : new RefusalError({ detail: NOT_REACHED });
  });
  if (!response.ok) throw textToError(response.status, await response.text());
  return response;
}

/** Is it of a release that it names: by a cursor, the id, or the digest of tiles? */
function isPinned(url: string) {
  const { searchParams } = new URL(url);
  return searchParams.has('release') || searchParams.has('v') || /\D/.test(searchParams.get('start-at') ?? '');
}

/** @param token empty for none */
function authorization(token: string): Record<string, string> {
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

/** The lines of a body, as many at a time as there are. */
async function* batchesOf(
  response: Response,
  signal: AbortSignal,
  inflate?: DecompressionStream,
): AsyncGenerator<Batch> {
  const { headers, body } = response;
  if (body === null) return;
  const [matched, release] = ['Boundaries-Matched', 'Boundaries-Release'].map((name) => headers.get(name));
  const known = { matched: Number(matched), release: release ?? '' };
  yield { lines: [], ...known };
  const bytes = inflate === undefined ? body : body.pipeThrough(inflate);
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader();
  /** The beginning of a line, in pieces. */
  let begun: string[] = [];
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
 * @param url of the page that has this Link header
 * @returns undefined on the last page
 */
function nextIn(link: string, url: string): string | undefined {
  const [, next] = /<([^>]+)>;\s*rel="next"/.exec(link) ?? [];
  if (next === undefined) return undefined;
  const target = new URL(url);
  target.search = new URL(next, url).search;
  return target.href;
}

/** @param text of a Feature */
export function textToUnit(text: string): Unit {
  // Not enumerable: a copy of the unit, such as one for the map's worker, is without the text.
  return Object.defineProperty(JSON.parse(text), 'text', { value: text });
}

/** The error in the body of a response. */
export function textToError(status: number, text: string) {
  try {
    const { code, detail } = JSON.parse(text);
    return new RefusalError({ status, code: String(code), detail: String(detail) });
  } catch {
    const detail = `Something between this page and the service answered, with status ${status}.`;
    return new RefusalError({ status, detail });
  }
}
