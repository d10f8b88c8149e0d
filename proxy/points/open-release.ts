// Opens the levels that points are looked up in: of the current release of a folder, here or on a static host, or of a
// service.
import type { Level } from '../../format/levels.ts';
import { StartError } from '../config/start-error.ts';
import type { Cache } from '../tables/cache.ts';
import { type LevelOpener, type OpenedLevels, openAddressLevels, openFolderLevels } from '../tables/open-files.ts';
import type { Service } from '../tables/service.ts';
import { type LevelUnits, openLevel } from './level-units.ts';

/** A release that points are looked up in. */
export interface OpenRelease {
  id: string;
  /** Those that were named, or all that have units, ascending. */
  levels: readonly LevelUnits[];
  /** Decimals of its coordinates. */
  precision: number;
}

function opener(codes: readonly string[]): LevelOpener<LevelUnits> {
  return { hasCells: true, open: (input) => openLevel(input, codes) };
}

/**
 * Opens the current release of an output folder.
 * @param wanted undefined for all levels that have units
 * @param codes keys of those that are wanted
 * @throws StartError if there is none, or it is damaged
 */
export async function openFolder(
  folder: string,
  wanted: readonly Level[] | undefined,
  codes: readonly string[] = [],
): Promise<OpenRelease> {
  return opened(await openFolderLevels(folder, wanted, opener(codes)), wanted, folder);
}

/**
 * Opens the current release of what is at an address: an output folder on a static host, or a service.
 * @param wanted undefined for all levels that have units
 * @param codes keys of those that are wanted
 * @throws StartError
 */
export async function openAddress(
  source: Service,
  wanted: readonly Level[] | undefined,
  cache: Cache,
  codes: readonly string[] = [],
): Promise<OpenRelease> {
  return opened(await openAddressLevels(source, wanted, cache, opener(codes)), wanted, source.url);
}

function opened(
  { id, levels: all }: OpenedLevels<LevelUnits>,
  wanted: readonly Level[] | undefined,
  where: string,
): OpenRelease {
  const precisions = new Set(all.flatMap(({ cells }) => (cells === undefined ? [] : [cells.cells.precision])));
  const [precision] = precisions;
  if (precision === undefined)
    throw new StartError('there are no units on these levels', where, 'choose other levels, or another release');
  if (precisions.size > 1)
    throw new StartError('cells have different precisions', where, 'build the release again, or tell who runs it');
  return { id, levels: wanted === undefined ? all.filter(({ cells }) => cells !== undefined) : all, precision };
}
