// The names of a service's current release, and its cells, all of the same one, by way of the user's cache.
import { type Patience, piecesOf, withPatience } from '../../format/command-line/patient-fetch.ts';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { objectFrom } from '../../format/parse.ts';
import { OptionError, StartError } from '../config/start-error.ts';
import type { Cache, CachedFile } from './cache.ts';

/** A service, or an output folder on a static host. */
export interface Service {
  /** Its base URL, without a slash at the end. */
  url: string;
  /** Undefined for a public one. */
  token: string | undefined;
  /** LIMITS if left out. */
  limits?: ServiceLimits;
}

/** What a service may cost. */
export interface ServiceLimits {
  /** Of the names of a level as text: V8 has no longer texts than 512 MiB. */
  namesBytes: number;
  cellsBytes: number;
  /** How long nothing may come. */
  idleMs: number;
}

export const LIMITS: ServiceLimits = { namesBytes: 256 * 1024 ** 2, cellsBytes: 4 * 1024 ** 3, idleMs: 60_000 };
const PROBLEM_MAX_BYTES = 64 * 1024;

/** The files of a level; without `cells` if it has no units. */
export interface LevelFiles {
  level: Level;
  /** Its names, text. */
  names: string;
  cells: string | undefined;
}

/** How often the names are asked for, until all are of one release that is hosted. */
export const ROUNDS_MAX = 5;
const DETAIL_MAX_CHARS = 500;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const GONE = 410;
const NOT_MODIFIED = 304;
/** What is answered where there are no cells, or no such path. */
const NO_CELLS: readonly number[] = [400, 404];

/**
 * Brings the files of levels into the cache. A release may be replaced while names are fetched, and caches between here
 * and the service may have those of several: they are asked for until all are of one release. Cells are asked for by
 * that release's id: nothing can put others in their place.
 * @param hasCells are they wanted?
 * @throws StartError
 */
export async function fetchFiles(
  service: Service,
  levels: readonly Level[] = LEVELS,
  cache: Cache,
  hasCells: boolean,
): Promise<{ release: string; files: LevelFiles[] }> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const names: Fetched[] = [];
    for (const level of levels) names.push(await fetchFile(service, `names/${levelName(level)}`, '', cache));
    const [release = '', ...others] = new Set(names.map((file) => file.release));
    if (others.length > 0) continue;
    const files = await cellsOf(service, levels, release, names, cache, hasCells);
    if (files !== undefined) return { release, files };
  }
  throw new StartError('its release is replaced again and again', service.url, 'try again in a minute');
}

/** With the cells of these names; undefined if their release is no longer hosted. */
async function cellsOf(
  service: Service,
  levels: readonly Level[],
  release: string,
  names: readonly Fetched[],
  cache: Cache,
  hasCells: boolean,
): Promise<LevelFiles[] | undefined> {
  const query = `?release=${encodeURIComponent(release)}`;
  const files: LevelFiles[] = [];
  for (const [i, level] of levels.entries()) {
    const { kept, hasUnits } = elementAt(names, i);
    const path = `download/${levelName(level)}.cells`;
    const isJoined = hasCells && hasUnits;
    const cells = isJoined ? await fetchFile(service, path, query, cache).catch(goneToUndefined) : undefined;
    if (isJoined && cells === undefined) return undefined;
    files.push({ level, names: kept.file, cells: cells?.kept.file });
  }
  return files;
}

/** The release that was asked for is no longer hosted. */
class ReleaseGone extends Error {}

function goneToUndefined(error: unknown): undefined {
  if (!(error instanceof ReleaseGone)) throw error;
}

/** A file of the API. */
export interface Fetched {
  kept: CachedFile;
  /** The id of its release. */
  release: string;
  /** Of names: has the level units? */
  hasUnits: boolean;
}

/**
 * A file of the API, or another answer that has an entity tag, by way of the cache.
 * @param query not part of what the cache knows the file by: of another release it may be the same
 * @throws StartError
 */
export function fetchFile(service: Service, path: string, query: string, cache: Cache): Promise<Fetched> {
  return withPatience((service.limits ?? LIMITS).idleMs, (patience) =>
    fetchWith(patience, service, path, query, cache),
  );
}

async function fetchWith(
  { signal, onPiece }: Patience,
  { url: base, token, limits = LIMITS }: Service,
  path: string,
  query: string,
  cache: Cache,
): Promise<Fetched> {
  const url = `${base}/api/v1/${path}`;
  const known = await cache.find(url);
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(known !== undefined && { 'if-none-match': known.etag }),
    // Caches between here and the service may have files of different releases.
    'cache-control': 'no-cache',
  };
  const answer = await fetch(url + query, { headers, signal }).catch((error: unknown) => unreachable(url, error));
  onPiece();
  const release = answer.headers.get('boundaries-release');
  const etag = answer.headers.get('etag');
  const isKnown = answer.status === NOT_MODIFIED && known !== undefined;
  if (answer.status === GONE) throw new ReleaseGone(url);
  if (!isKnown && !answer.ok)
    throw refusal(url, answer.status, await detailOf(answer, url, onPiece), token !== undefined);
  if (release === null || etag === null)
    throw new OptionError(
      'what answers is neither this service nor an output folder',
      url,
      'name the base URL of a service, or the address that current.json is below, with --url',
    );
  const [what, most] = path.endsWith('.cells') ? ['cells', limits.cellsBytes] : ['names', limits.namesBytes];
  const body = bodyOf(answer, url, onPiece, most, `sends more than a file of ${what} has`);
  const kept = isKnown ? known : await cache.keep(url, etag, body);
  return { kept, release, hasUnits: answer.headers.get('boundaries-matched') !== '0' };
}

/** The body of an answer. @throws StartError with `problem` if it is longer than `most` bytes */
export function bodyOf(
  answer: Response,
  url: string,
  onPiece: () => void,
  most: number,
  problem: string,
): AsyncGenerator<Uint8Array> {
  return piecesOf(answer, onPiece, most, {
    tooLong: () => new StartError(problem, url, 'correct --url, or tell who runs the service'),
    unreachable: (error) => unreachable(url, error),
  });
}

/** Why nothing, or not all, has come. */
export function unreachable(url: string, error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined;
  const why = cause instanceof Error ? cause.message : String(error);
  throw new StartError(
    `the service did not answer, or not to the end: ${why}`,
    url,
    'try again later, or correct --url',
  );
}

/** What a problem document says (RFC 9457). */
async function detailOf(answer: Response, url: string, onPiece: () => void): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of bodyOf(answer, url, onPiece, PROBLEM_MAX_BYTES, 'too long')) pieces.push(piece);
  } catch {
    // What has come of it has to do.
  }
  const text = Buffer.concat(pieces).toString('utf8');
  try {
    return String(objectFrom(text, '')['detail'] ?? '').slice(0, DETAIL_MAX_CHARS);
  } catch {
    return text.slice(0, DETAIL_MAX_CHARS);
  }
}

function refusal(url: string, status: number, detail: string, hasToken: boolean): StartError {
  const said = `${status}${detail === '' ? '' : `: ${detail}`}`;
  if (status === UNAUTHORIZED || status === FORBIDDEN)
    return new StartError(
      hasToken ? `the token is refused, ${said}` : 'the service wants a token',
      url,
      'set TOKEN in the environment to a token of this service, e.g. TOKEN=... before the command',
    );
  if (url.endsWith('.cells') && NO_CELLS.includes(status))
    return new StartError(
      `the service has no cells to look points up in, ${said}`,
      url,
      'its release was built with --no-cells, or its version is older: ask /at there, or build the release yourself',
    );
  return new StartError(`the service refuses, ${said}`, url, 'correct --url, or try again later');
}
