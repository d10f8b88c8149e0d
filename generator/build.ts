// The build, from end to end: describe the dataset, read and serialise each level, check its quality, write its files,
// finalise, publish.
import { join } from 'node:path';
import { LEVELS, levelName, type StoredPages } from '../format/levels.ts';
import {
  type Finding,
  isDate,
  type LevelAbout,
  type Release,
  type ReleaseAbout,
  type WholeFile,
} from '../format/release.ts';
import { describeSource, type LevelledSource, splitIntoLevels } from './describe-source.ts';
import { type LevelContext, type ReadLevel, readLevel, type WrittenLevel, writeLevel } from './levels/build-level.ts';
import { WHOLE } from './levels/divide-work.ts';
import { type FinalizedLevel, sealRelease } from './levels/finalize.ts';
import { type LevelUnits, relativesOf } from './names/named-units.ts';
import { type ContentOptions, recordedOptions } from './option-texts.ts';
import { datasetFindings, findFewerUnits, refuseUnaccepted } from './quality/check.ts';
import { readServedRelease } from './release/manage.ts';
import { type Lock, takeLock } from './release/output-lock.ts';
import { activate, openStaging, otherVersions, removeLeftovers, settle } from './release/staging.ts';
import { BuildError, toBuildError } from './report/errors.ts';
import type { Report } from './report/progress.ts';
import { layerNames } from './source/level-source.ts';
import { sourceFiles, sourceNames } from './source/source-files.ts';
import { openPool, type Pool } from './workers/pool.ts';
import { workIn } from './workers/work.ts';

const FINALIZE = workIn<typeof import('./levels/finalize.ts'), 'finalizeLevel'>(
  import.meta.url,
  './levels/finalize',
  'finalizeLevel',
);

const CHECK_PARENTS = workIn<typeof import('./store/identifiers.ts'), 'checkParents'>(
  import.meta.url,
  './store/identifiers',
  'checkParents',
);

const OVERVIEW = workIn<typeof import('./overview/write-overview.ts'), 'writeOverview'>(
  import.meta.url,
  './overview/write-overview',
  'writeOverview',
);

/** Folder of the levels of a single layer, in the work folder. */
export const SPLIT_FOLDER = 'levels';

/** What to build, from what, and how. */
export interface BuildOptions extends ContentOptions {
  /** The output folder. */
  out: string;
  /** The id of the new release. */
  release: string;
  /** Its date, `YYYY-MM-DD`, to be shown with the data. */
  date?: string | undefined;
  /** Number of child processes; 0 to work in this process. */
  workers: number;
  /** Whether the release becomes the current one. */
  activate: boolean;
}

/** What is built, unless an option says otherwise. */
export const DEFAULTS = {
  levels: LEVELS,
  precision: 7,
  storedPages: 'all',
  accept: [],
  attribution: [],
} as const satisfies Partial<BuildOptions>;

/**
 * Builds a release, publishes it and, unless `activate` is false, makes it current.
 * @returns the content of release.json
 * @throws BuildError; then nothing is published, and the staging folder is removed
 */
export async function build(options: BuildOptions, report: Report): Promise<Release> {
  try {
    return await buildAndPublish(options, report);
  } catch (error) {
    throw toBuildError(error, options.out);
  }
}

async function buildAndPublish(options: BuildOptions, report: Report): Promise<Release> {
  const pool = openPool(options.workers, LEVELS.length);
  let lock: Lock | undefined;
  try {
    const described = await describeSource(options, pool);
    lock = takeLock(options.out);
    const staging = openStaging(options.out, options.release);
    const context = { options, staging, pool, report, share: WHOLE };
    const dataset = await splitIntoLevels(described, options, join(staging.work, SPLIT_FOLDER), context);
    const reading = LEVELS.map((level) => readLevel(level, dataset.levels, context));
    const building = reading.map(async (read) => {
      const written = await writeLevel(await read, context);
      return finalize({ ...written, about: aboutLevel(written) }, await unitsOf(reading), context);
    });
    const [about, overview, levels] = await Promise.all([
      aboutRelease(options, dataset, reading, pool),
      unitsOf(reading).then((units) => writeOverviewFile(units, context)),
      Promise.all(building),
    ]);
    remarkNoCredit(about, report);
    const release = sealRelease(staging.release, about, levels, overview);
    lock.assertHeld();
    await settle(staging, options.out, options.release);
    if (options.activate) await activate(options.out, options.release);
    const others = otherVersions(options.out);
    if (others.length > 0)
      report.note(
        `not hosted, because of their format version: ${others.join(', ')}; build them again, then remove their folders`,
      );
    return release;
  } catch (error) {
    await pool.close();
    if (lock) removeLeftovers(options.out);
    throw error;
  } finally {
    await pool.close();
    lock?.release();
    report.end();
  }
}

/** The units of all levels, once every level is read. */
async function unitsOf(reading: readonly Promise<ReadLevel>[]): Promise<LevelUnits[]> {
  const levels = await Promise.all(reading);
  return levels.map(({ level, store, read }) => ({ level, store, features: read?.features ?? 0 }));
}

/** Finalises a level once all its files are written. @param units of all levels */
export function finalize(
  { level, about, store, records }: Pick<WrittenLevel, 'level' | 'store' | 'records'> & { about: LevelAbout },
  units: readonly LevelUnits[],
  {
    options,
    staging,
    pool,
  }: Pick<LevelContext, 'staging' | 'pool'> & {
    options: { release: string; storedPages: StoredPages };
  },
): Promise<FinalizedLevel> {
  const { release, storedPages } = options;
  return pool.run(FINALIZE, {
    release,
    level,
    about,
    storedPages,
    store,
    relatives: relativesOf(level, units),
    records,
    out: staging.release,
    checksums: join(staging.work, `${levelName(level)}.checksums`),
  });
}

/** Writes the overview of a release once every level is read. @param units of all levels */
export function writeOverviewFile(
  units: readonly LevelUnits[],
  { options, staging, pool }: Pick<LevelContext, 'staging' | 'pool'> & { options: { precision: number } },
): Promise<WholeFile> {
  return pool.run(OVERVIEW, { units, precision: options.precision, out: staging.release });
}

/** What release.json says of a level besides counts and digests. */
export function aboutLevel({ source, read }: ReadLevel): LevelAbout {
  const [first] = source?.layers ?? [];
  if (source === undefined || first === undefined || read === undefined)
    return { layer: '', gidColumns: [], nameColumn: '', typeColumn: '', isRenumbered: false };
  const { gidColumns, nameColumn, typeColumn } = first;
  return { layer: layerNames(source), gidColumns, nameColumn, typeColumn, isRenumbered: read.isRenumbered };
}

/**
 * The members of release.json that do not describe its files.
 * @throws BuildError if the date is not one, or the quality of the data not acceptable
 */
export async function aboutRelease(
  options: BuildOptions,
  dataset: LevelledSource,
  reading: readonly Promise<ReadLevel>[],
  pool: Pool,
): Promise<ReleaseAbout> {
  const { date } = options;
  if (date !== undefined && !isDate(date)) throw new BuildError(`date ${date}: not a date`, 'use YYYY-MM-DD');
  const [source, quality] = await Promise.all([
    sourceFiles(options.source),
    checkQuality(options, dataset, reading, pool),
  ]);
  const credits = options.attribution.length > 0 ? [] : dataset.credits;
  return {
    release: options.release,
    ...(date !== undefined && { date }),
    source,
    gdal: dataset.gdal,
    precision: options.precision,
    storedPages: options.storedPages,
    attribution: [...new Set([...options.attribution, ...dataset.attribution, ...credits])],
    options: recordedOptions(options),
    quality,
  };
}

/** Data without a credit is published, but somebody owns it. */
export function remarkNoCredit({ attribution }: ReleaseAbout, report: Report): void {
  if (attribution.length === 0)
    report.note('no attribution: name the owner of the data and its licence with --attribution TEXT');
}

/** Waits until all levels are read and checks them. @throws BuildError if they have problems that are not accepted */
async function checkQuality(
  { source, out, accept }: BuildOptions,
  dataset: LevelledSource,
  reading: readonly Promise<ReadLevel>[],
  pool: Pool,
): Promise<Finding[]> {
  const levels = await Promise.all(reading);
  const found = [
    ...datasetFindings(dataset),
    ...dataset.findings,
    ...levels.flatMap(({ read }) => read?.findings ?? []),
  ];
  const counts = levels.map(({ read }) => read?.features ?? 0);
  // Not recorded in release.json, which depends on the source and the options alone.
  const served = readServedRelease(out);
  const fewer = served === undefined ? [] : findFewerUnits(counts, sourceNames(source), served);
  refuseUnaccepted(source, [...found, ...fewer], accept);
  const stores = levels.flatMap(({ level, store, source }) =>
    store === undefined || source === undefined ? [] : [{ level, store, source }],
  );
  found.push(...(await pool.run(CHECK_PARENTS, { stores })));
  refuseUnaccepted(source, found, accept);
  return found.sort((a, b) => a.level - b.level || (a.kind < b.kind ? -1 : 1));
}
