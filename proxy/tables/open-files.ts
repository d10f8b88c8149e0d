// Opens levels of the current release that tables are joined with: of an output folder, here or on a static host, or of
// a service.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { WholeFile } from '../../format/checked-files.ts';
import { upgradeRemedy } from '../../format/command-line/upgrade.ts';
import { currentFromJson } from '../../format/current-json.ts';
import { elementAt } from '../../format/element-at.ts';
import { CURRENT_MAX_BYTES, CURRENT_PATH, cellsPath, namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { StartError } from '../config/start-error.ts';
import { releaseErrorToStartError } from '../config/start-remedies.ts';
import { readDescription } from '../data/loaded-release.ts';
import { directoryOrigin } from '../origin/directory.ts';
import type { Cache } from './cache.ts';
import { fetchPublished } from './published.ts';
import { fetchFiles, type Service } from './service.ts';

/** What a level is opened from. */
export interface LevelInput {
  level: Level;
  /** The text of its names, and what it is called in messages. */
  names: { text: Buffer; name: string };
  /** Undefined if it has no units, or if no cells are wanted. */
  cells: { file: string; name: string } | undefined;
}

/** What becomes of a level. */
export interface LevelOpener<Opened> {
  /** Are cells wanted, too? A release without them is refused. */
  hasCells: boolean;
  /** @throws FormatError if its files are not what they should be */
  open(input: LevelInput): Opened;
}

/** Levels of a release. */
export interface OpenedLevels<Opened> {
  id: string;
  levels: Opened[];
}

/**
 * Opens levels of the current release of an output folder.
 * @param wanted undefined for all
 * @throws StartError if there is none, or it is damaged
 */
export async function openFolderLevels<Opened>(
  folder: string,
  wanted: readonly Level[] = LEVELS,
  { hasCells, open }: LevelOpener<Opened>,
): Promise<OpenedLevels<Opened>> {
  try {
    const origin = directoryOrigin(folder);
    const pointer = (await origin.read(CURRENT_PATH, CURRENT_MAX_BYTES)).toString('utf8');
    const { release: id, digests } = currentFromJson(pointer, CURRENT_PATH);
    const { release } = await readDescription(origin, id, digests.get(id) ?? '');
    const levels = wanted.map((level) => {
      const { names, cells, features } = elementAt(release.levels, level);
      const isJoined = hasCells && features > 0;
      if (isJoined && cells === undefined) throw withoutCells(folder);
      const path = `${releasePath(id)}/${namesPath(level)}`;
      const zipped = readFileSync(join(folder, path));
      if (hash('sha256', zipped, 'hex') !== names.sha256) throw new FormatError(path, 'is damaged');
      const file = `${releasePath(id)}/${cellsPath(level)}`;
      return open({
        level,
        names: { text: textOf(zipped, names, path), name: path },
        cells: isJoined ? { file: join(folder, file), name: file } : undefined,
      });
    });
    return { id, levels };
  } catch (error) {
    throw releaseErrorToStartError(error, folder);
  }
}

/** @throws FormatError if it is no gzip member, or has another length */
function textOf(zipped: Buffer, { textBytes }: WholeFile, path: string): Buffer {
  try {
    const text = gunzipSync(zipped, { maxOutputLength: Math.max(textBytes, 1) });
    if (text.length === textBytes) return text;
  } catch {
    // The error below applies to all cases.
  }
  throw new FormatError(path, `is not ${textBytes} bytes of text`);
}

/**
 * Opens levels of the current release of what is at an address: an output folder on a static host, or a service.
 * @param wanted undefined for all, of a static host those that have units
 * @throws StartError
 */
export async function openAddressLevels<Opened>(
  source: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
  opener: LevelOpener<Opened>,
): Promise<OpenedLevels<Opened>> {
  try {
    const published = await fetchPublished(source, wanted, cache, opener.hasCells);
    if (published === undefined) return await openServiceLevels(source, wanted, cache, opener);
    const { release, files } = published;
    const levels = files.map(({ level, names, cells }) => {
      const path = namesPath(level);
      const text = textOf(readFileSync(names), elementAt(release.levels, level).names, path);
      return opener.open({ level, names: { text, name: path }, cells: named(cells, cellsPath(level)) });
    });
    return { id: release.release, levels };
  } catch (error) {
    throw damagedToStartError(error, source.url);
  }
}

/**
 * Opens levels of the current release of a service.
 * @param wanted undefined for all
 * @throws StartError
 */
async function openServiceLevels<Opened>(
  service: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
  { hasCells, open }: LevelOpener<Opened>,
): Promise<OpenedLevels<Opened>> {
  const { release, files } = await fetchFiles(service, wanted, cache, hasCells);
  try {
    const levels = files.map(({ level, names, cells }) =>
      open({
        level,
        names: { text: readFileSync(names), name: `names/${levelName(level)}` },
        cells: named(cells, `download/${levelName(level)}.cells`),
      }),
    );
    return { id: release, levels };
  } catch (error) {
    throw damagedToStartError(error, service.url);
  }
}

function named(file: string | undefined, name: string): LevelInput['cells'] {
  return file === undefined ? undefined : { file, name };
}

/** An error of what came from an address; one that is not about its files is returned unchanged. */
export function damagedToStartError(error: unknown, url: string): unknown {
  if (error instanceof FormatVersionError) return new StartError(error.message, url, upgradeRemedy(error));
  if (!(error instanceof FormatError)) return error;
  return new StartError(`its files are not what they should be: ${error.message}`, url, 'tell who runs the service');
}

function withoutCells(folder: string): StartError {
  const remedy = 'build it again without --no-cells';
  return new StartError('the release has no cells to look points up in', resolve(folder), remedy);
}
