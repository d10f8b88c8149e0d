// The names, and the cells, of the current release of an output folder on a static host, by way of the user's cache: each is
// the file that release.json says, and nothing but GET of whole files is needed.
import { createHash } from 'node:crypto';
import type { CheckedFile } from '../../format/checked-files.ts';
import { withPatience } from '../../format/command-line/patient-fetch.ts';
import { type Current, currentFromJson } from '../../format/current-json.ts';
import { elementAt } from '../../format/element-at.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH, cellsPath, namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import type { Release } from '../../format/release-json.ts';
import { StartError } from '../config/start-error.ts';
import { readDescription } from '../data/loaded-release.ts';
import { fetchHostOrigin } from '../origin/fetch-host.ts';
import { type Origin, OriginError } from '../origin/origin.ts';
import type { Cache } from './cache.ts';
import { bodyOf, type LevelFiles, LIMITS, ROUNDS_MAX, type Service, unreachable } from './service.ts';

/** The files of a release; names are gzip, as they are stored. */
export interface PublishedFiles {
  release: Release;
  files: LevelFiles[];
}

/** The current release, and what current.json says besides. */
interface Published {
  current: Current;
  release: Release;
}

/**
 * Brings the files of levels into the cache.
 * @param wanted undefined for all levels that have units
 * @param hasCells are they wanted?
 * @returns undefined if there is no output folder at that address
 * @throws StartError, FormatError
 */
export function fetchPublished(
  host: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
  hasCells: boolean,
): Promise<PublishedFiles | undefined> {
  return withPublished(host, async ({ release }) => {
    const hasUnits = (level: Level): boolean => elementAt(release.levels, level).features > 0;
    const files: LevelFiles[] = [];
    for (const level of wanted ?? LEVELS.filter(hasUnits))
      files.push(await filesOf(host, release, level, cache, hasCells));
    return { release, files };
  });
}

/**
 * Does something with the current release. One that is removed meanwhile is left for the next one.
 * @returns undefined if there is no output folder at that address
 * @throws StartError, FormatError, what `work` throws
 */
export async function withPublished<Result>(
  host: Service,
  work: (published: Published) => Promise<Result>,
): Promise<Result | undefined> {
  // The token is the service's: no other host gets it.
  const origin = fetchHostOrigin(new URL(host.url), {});
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const current = await pointerOf(origin);
    if (current === undefined) return undefined;
    try {
      const { release } = await readDescription(origin, current.release, current.digests.get(current.release) ?? '');
      return await work({ current, release });
    } catch (error) {
      if (!(error instanceof OriginError) || error.reason !== 'missing') throw error;
    }
  }
  throw new StartError(
    'files of its release are missing, or it is replaced again and again',
    host.url,
    'upload the release again, or try again in a minute',
  );
}

/** current.json; undefined where there is none: what answers may be a service, or a page for any address. */
async function pointerOf(origin: Origin): Promise<Current | undefined> {
  try {
    const text = (await origin.read(CURRENT_PATH, CURRENT_MAX_BYTES)).toString('utf8');
    return text.trimStart().startsWith('{') ? currentFromJson(text, CURRENT_PATH) : undefined;
  } catch (error) {
    if (error instanceof OriginError) return undefined;
    throw error;
  }
}

async function filesOf(
  host: Service,
  { release, levels }: Release,
  level: Level,
  cache: Cache,
  hasCells: boolean,
): Promise<LevelFiles> {
  const { features, names, cells } = elementAt(levels, level);
  const isJoined = hasCells && features > 0;
  if (isJoined && cells === undefined)
    throw new StartError('the release has no cells to look points up in', host.url, 'build it without --no-cells');
  const fetchOf = (path: string, file: CheckedFile) => fetchFile(host, `${releasePath(release)}/${path}`, file, cache);
  return {
    level,
    names: await fetchOf(namesPath(level), names),
    cells: isJoined && cells !== undefined ? await fetchOf(cellsPath(level), cells) : undefined,
  };
}

/** @returns the file in the cache, which has this digest. @throws OriginError if it is missing */
async function fetchFile(host: Service, path: string, { bytes, sha256 }: CheckedFile, cache: Cache): Promise<string> {
  const url = `${host.url}/${path}`;
  const known = await cache.find(url);
  if (known?.etag === sha256) return known.file;
  return withPatience((host.limits ?? LIMITS).idleMs, async ({ signal, onPiece }) => {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' }, signal }).catch((error: unknown) =>
      unreachable(url, error),
    );
    onPiece();
    if (!answer.ok) throw new OriginError('missing', path);
    const body = bodyOf(answer, url, onPiece, bytes, 'sends more than release.json says');
    return (await cache.keep(url, sha256, checked(body, path, sha256))).file;
  });
}

/** The same pieces. @throws FormatError after the last one if they are another file */
async function* checked(pieces: AsyncIterable<Uint8Array>, path: string, sha256: string): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
  const got = digest.digest('hex');
  if (got !== sha256)
    throw new FormatError(
      path,
      `SHA-256 is ${got}, expected ${sha256}: is it sent as it is, without Content-Encoding?`,
    );
}
