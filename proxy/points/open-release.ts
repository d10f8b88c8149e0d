// Opens the levels that points are looked up in: of the current release of a folder, here or on a static host, or of a
// service.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import { elementAt } from '../../format/element-at.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH, cellsPath, namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { currentFromJson, FormatVersionError, type WholeFile } from '../../format/release-json.ts';
import { StartError } from '../config/start-error.ts';
import { releaseErrorToStartError } from '../config/start-remedies.ts';
import { readDescription } from '../data/loaded-release.ts';
import { directoryOrigin } from '../origin/directory.ts';
import type { Cache } from './cache.ts';
import { type LevelUnits, openLevel } from './level-units.ts';
import { fetchPublished } from './published.ts';
import { fetchFiles, type Service } from './service.ts';

/** A release that points are looked up in. */
export interface OpenRelease {
  id: string;
  /** Those that were named, or all that have units, ascending. */
  levels: readonly LevelUnits[];
  /** Decimals of its coordinates. */
  precision: number;
}

/**
 * Opens the current release of an output folder.
 * @param wanted undefined for all levels that have units
 * @throws StartError if there is none, or it is damaged
 */
export async function openFolder(folder: string, wanted: readonly Level[] | undefined): Promise<OpenRelease> {
  try {
    const origin = directoryOrigin(folder);
    const pointer = (await origin.read(CURRENT_PATH, CURRENT_MAX_BYTES)).toString('utf8');
    const { release: id, digests } = currentFromJson(pointer, CURRENT_PATH);
    const { release } = await readDescription(origin, id, digests.get(id) ?? '');
    const levels = (wanted ?? LEVELS).map((level) => {
      const { names, cells, features } = elementAt(release.levels, level);
      if (features > 0 && cells === undefined) throw withoutCells(folder);
      const path = `${releasePath(id)}/${namesPath(level)}`;
      const zipped = readFileSync(join(folder, path));
      if (hash('sha256', zipped, 'hex') !== names.sha256) throw new FormatError(path, 'is damaged');
      const file = `${releasePath(id)}/${cellsPath(level)}`;
      return openLevel(
        level,
        { text: textOf(zipped, names, path), name: path },
        features === 0 ? undefined : { file: join(folder, file), name: file },
      );
    });
    return opened(id, levels, wanted, folder);
  } catch (error) {
    throw releaseErrorToStartError(error, folder);
  }
}

/** @throws FormatError if it is no gzip member, or has another length */
function textOf(zipped: Buffer, { textBytes }: WholeFile, path: string): string {
  try {
    const text = gunzipSync(zipped, { maxOutputLength: Math.max(textBytes, 1) });
    if (text.length === textBytes) return text.toString('utf8');
  } catch {
    // The error below applies to all cases.
  }
  throw new FormatError(path, `is not ${textBytes} bytes of text`);
}

/**
 * Opens the current release of what is at an address: an output folder on a static host, or a service.
 * @param wanted undefined for all levels that have units
 * @throws StartError
 */
export async function openAddress(
  source: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
): Promise<OpenRelease> {
  try {
    const published = await fetchPublished(source, wanted, cache);
    if (published === undefined) return await openService(source, wanted, cache);
    const { release, files } = published;
    const levels = files.map(({ level, names, cells }) => {
      const [path, file] = [namesPath(level), cellsPath(level)];
      const text = textOf(readFileSync(names), elementAt(release.levels, level).names, path);
      return openLevel(level, { text, name: path }, cells === undefined ? undefined : { file: cells, name: file });
    });
    return opened(release.release, levels, wanted, source.url);
  } catch (error) {
    if (error instanceof FormatVersionError) throw new StartError(error.message, source.url, upgradeRemedy(error));
    throw damagedToStartError(error, source.url);
  }
}

/**
 * Opens the current release of a service.
 * @param wanted undefined for all levels that have units
 * @throws StartError
 */
export async function openService(
  service: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
): Promise<OpenRelease> {
  const { release, files } = await fetchFiles(service, wanted, cache);
  try {
    const levels = files.map(({ level, names, cells }) =>
      openLevel(
        level,
        { text: readFileSync(names, 'utf8'), name: `names/${levelName(level)}` },
        cells === undefined ? undefined : { file: cells, name: `download/${levelName(level)}.cells` },
      ),
    );
    return opened(release, levels, wanted, service.url);
  } catch (error) {
    throw damagedToStartError(error, service.url);
  }
}

function damagedToStartError(error: unknown, url: string): unknown {
  if (!(error instanceof FormatError)) return error;
  return new StartError(`its files are not what they should be: ${error.message}`, url, 'tell who runs the service');
}

function opened(
  id: string,
  all: readonly LevelUnits[],
  wanted: readonly Level[] | undefined,
  where: string,
): OpenRelease {
  const precisions = new Set(all.flatMap(({ cells }) => (cells === undefined ? [] : [cells.cells.precision])));
  const [precision] = precisions;
  if (precision === undefined)
    throw new StartError('there are no units on these levels', where, 'choose other levels, or another release');
  if (precisions.size > 1) throw new FormatError('cells', 'have different precisions');
  return { id, levels: wanted === undefined ? all.filter(({ cells }) => cells !== undefined) : all, precision };
}

function withoutCells(folder: string): StartError {
  const remedy = 'build it again without --no-cells';
  return new StartError('the release has no cells to look points up in', resolve(folder), remedy);
}
