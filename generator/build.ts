// The build, from end to end: describe the dataset, read its levels, refuse problems of the data, write the release,
// publish it. The command line calls it, and programs that import the package. It is one file because `build` is the
// list of the steps, which follow it; the shards of a build take the same ones.
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { elementAt } from '../format/element-at.ts';
import type { Finding } from '../format/findings.ts';
import { isReleaseId, RELEASE_ID_RULE } from '../format/layout.ts';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import { isDate, type Release, type ReleaseAbout, type SourceFile } from '../format/release-json.ts';
import { refuseUnaccepted } from './advice/refuse-findings.ts';
import { describeSource, prepareLevels, withOperations } from './describe-source.ts';
import { attributionOf } from './options/attribution.ts';
import { DEFAULTS } from './options/defaults.ts';
import { type ContentOptions, recordedOptions } from './options/option-texts.ts';
import { WHOLE } from './plan/divide-work.ts';
import { releaseContents } from './plan/plan.ts';
import { datasetFindings, findFewerUnits } from './quality/check.ts';
import type { checkParents } from './quality/identifiers.ts';
import type { StoredLevel } from './read/store-level.ts';
import { readServedRelease } from './release/manage.ts';
import { diskOf, expectedBytes, refuseLittleSpace, type SourceSize } from './release/needed-space.ts';
import { type Lock, withLock } from './release/output-lock.ts';
import { writeSignatures } from './release/sign.ts';
import {
  activate,
  openStaging,
  otherVersions,
  publishedReleases,
  removeLeftovers,
  type Staging,
  settle,
} from './release/staging.ts';
import { BuildError, toBuildError } from './report/errors.ts';
import { measured } from './report/phases.ts';
import { type Report, SILENT } from './report/progress.ts';
import { sourceCrs } from './source/layer-crs.ts';
import { planOfLevels } from './source/level-plan.ts';
import { featureCount } from './source/level-source.ts';
import type { DatasetDescription } from './source/level-sources.ts';
import { sourceBytes, sourceFiles, watchFiles } from './source/source-files.ts';
import { ALL, sourceName } from './source/source-options.ts';
import type { WriteTilesTask } from './tiles/write-tiles.ts';
import { requireIntact } from './verify/verify.ts';
import { memoryForTasks } from './workers/memory.ts';
import { openPool, type Pool } from './workers/pool.ts';
import { TASKS } from './workers/tasks.ts';
import { type BuildContext, type LevelWork, workOnLevels, writeRelease } from './write/build-levels.ts';
import { makeTiles, slowTilesNote, tileTasks } from './write/build-tiles.ts';
import { SlowUnits } from './write/slow-units.ts';

export { BuildError } from './report/errors.ts';
export type { Report } from './report/progress.ts';

/** Folder of the levels that are made by uniting features, and of parents by place, in the work folder. */
const PREPARED_FOLDER = 'levels';

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
  /** Bytes of memory that the build may use: tasks that hold much run beside each other as far as it allows. */
  memory: number;
  /** Is a disk refused that has too little space for what the build is likely to need? */
  spaceCheck: boolean;
  /** The attribution of each level, where the metadata of the source has those of all levels together. */
  stated?: readonly (readonly string[])[] | undefined;
  /** Whether the release becomes the current one. */
  activate: boolean;
  /** A private Ed25519 key, to sign the release with. */
  signKey?: KeyObject | undefined;
  /** When it is signed, as `writeSignatures` takes it. */
  signTime?: string | undefined;
}

/** The source, the output folder and the id of the release; all other options have defaults. */
export type ReleaseOptions = Pick<BuildOptions, 'source' | 'out' | 'release'> & Partial<BuildOptions>;

/**
 * Builds a release, publishes it and, unless `activate` is false, makes it current. Needs gdal-async.
 * @param report receives the progress; by default nothing is shown
 * @returns the content of release.json
 * @throws BuildError, with `message` and `remedy`; then nothing is published, and the staging folder is removed
 * @example await build({ source: ['gadm_410-levels.gpkg'], out: 'output', release: 'gadm-4.1' })
 */
export async function build(given: ReleaseOptions, report: Report = SILENT): Promise<Release> {
  const options: BuildOptions = { ...DEFAULTS, ...given };
  return withPool(options, report, async (pool) => {
    const described = await describe(options, pool, report);
    await requireSpace(options, described);
    return withLock(options.out, async (lock) => {
      try {
        const staging = openStaging(options.out, options.release);
        if (publishedReleases(options.out).includes(options.release))
          report.note(`${options.release} is published already: this build is refused at its end if anything differs`);
        const context = {
          contents: releaseContents(options),
          staging,
          pool,
          report,
          share: WHOLE,
          slow: new SlowUnits(report),
        };
        const dataset = await readDataset(described, options, context);
        const quality = await refuseFindings(options, dataset, pool);
        const about = aboutRelease(options, dataset, quality, report);
        const { tileLanguages: tags = [] } = options;
        const recordsOf = ({ level }: StoredLevel) => elementAt(dataset.works, level).written;
        const tiles = makeTiles(dataset.stored, dataset.works, context, tags);
        const tilesOf = async (level: Level): Promise<WriteTilesTask[]> => {
          await tiles;
          return tileTasks(dataset.stored, level, context.contents.tiles, tags, () => staging.work);
        };
        const release = await writeRelease(about, dataset.stored, recordsOf, context, tilesOf);
        await pool.phases.during('publish', () => measured(() => publish(options, staging, lock, pool, report)));
        return release;
      } catch (error) {
        // Child processes write in the staging folder until they end.
        await pool.close();
        try {
          // What a process writes that has taken the lock meanwhile is no leftover.
          lock.assertHeld();
          removeLeftovers(options.out);
        } catch {
          // The next build removes them. What went wrong first says more.
        }
        throw error;
      }
    });
  });
}

/**
 * Does the work of a build, or of a shard, with child processes.
 * @throws BuildError for errors of the operating system
 */
export async function withPool<Result>(
  { workers, memory, out }: BuildOptions,
  report: Report,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(workers, LEVELS.length, memoryForTasks(memory, workers), report.phases);
  try {
    const result = await work(pool);
    report.measured?.(pool.phases.list());
    return result;
  } catch (error) {
    throw toBuildError(error, out);
  } finally {
    await pool.close();
    report.end();
  }
}

/** Describes the dataset. @throws BuildError for an option that is not valid, before anything is read */
export async function describe(options: BuildOptions, pool: Pool, report: Report): Promise<DatasetDescription> {
  const { release, date } = options;
  if (!isReleaseId(release)) throw new BuildError(`--release ${release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  if (date !== undefined && !isDate(date)) throw new BuildError(`date ${date}: not a date`, 'use YYYY-MM-DD');
  const described = await withOperations(await describeSource(options, pool));
  refuseUnknownTileLanguages(options, described);
  report.preview?.(planOfLevels(described, options));
  const served = readServedRelease(options.out);
  if (options.activate && served !== undefined && isOtherDataset(described, served))
    report.note(
      `${options.out} has release ${served.release}, whose units have other columns, and which this one will replace: an output folder is one dataset with versions; another dataset belongs in another folder: --out FOLDER`,
    );
  const note = slowTilesNote(described.levels, options);
  if (note !== undefined) report.note(note);
  return described;
}

/** @throws BuildError if the tiles are to have names in a language that the release does not have */
export function refuseUnknownTileLanguages(
  { tileLanguages = [] }: Pick<BuildOptions, 'tileLanguages'>,
  { languages }: DatasetDescription,
): void {
  const unknown = tileLanguages.find((tag) => !languages.includes(tag));
  if (unknown === undefined) return;
  const has = languages.length === 0 ? 'none in any language' : languages.join(', ');
  const remedy =
    unknown === ALL && languages.length > 0
      ? 'name those that tiles are to have'
      : `add --languages ${unknown}, or leave it out`;
  throw new BuildError(
    `--tile-languages ${unknown}: the release has no names in ${unknown}`,
    `it has ${has}: ${remedy}`,
  );
}

/** Have the units of a source no column of GIDs in common with those of the release that is served? */
function isOtherDataset({ levels }: DatasetDescription, served: Release): boolean {
  const before = new Set(served.levels.flatMap(({ gidColumns }) => gidColumns));
  const now = levels.flatMap(({ layers }) => layers[0]?.gidColumns ?? []);
  return before.size > 0 && !now.some((name) => name !== '' && before.has(name));
}

/** The endings of compressed sources. */
const ARCHIVES = /\.(zip|gz|tgz|kmz)$/i;

/** @param shards among how many the release is divided @throws BuildError if the disk is too small, before reading */
export async function requireSpace(options: BuildOptions, described: DatasetDescription, shards = 1): Promise<void> {
  if (!options.spaceCheck) return;
  const disk = await diskOf(options.out);
  const needed = expectedBytes(sourceSize(options, described), options, disk, shards).disk;
  refuseLittleSpace(options.out, needed, disk.free);
}

/** What of a source decides how much space a build needs. */
export function sourceSize(
  { source }: Pick<BuildOptions, 'source'>,
  { levels, dissolved }: Pick<DatasetDescription, 'levels' | 'dissolved'>,
): SourceSize {
  const layers = [...levels.flatMap((level) => level.layers), ...dissolved];
  const unitsOf = (level: Level): number => {
    const own = levels.find((candidate) => candidate.level === level);
    return own === undefined ? 0 : featureCount(own);
  };
  return {
    bytes: sourceBytes(source),
    drivers: layers.map(({ driver }) => driver),
    isArchive: source.some((path) => ARCHIVES.test(path)),
    units: LEVELS.map(unitsOf),
  };
}

/** A dataset, all of whose levels are in their stores. */
interface ReadDataset extends DatasetDescription {
  /** All six levels, ascending. */
  stored: readonly StoredLevel[];
  /** Their files, which are being written. */
  works: readonly LevelWork[];
  files: readonly SourceFile[];
}

/**
 * Reads the levels, and begins to write their files; levels that are made by uniting features are made first.
 * @param isAccepted resolves when files may be written
 */
export async function readDataset(
  described: DatasetDescription,
  options: BuildOptions,
  context: BuildContext,
  isAccepted?: Promise<void>,
): Promise<ReadDataset> {
  const refuseChanged = watchFiles(options.source);
  const dataset = await prepareLevels(described, options, join(context.staging.work, PREPARED_FOLDER), context);
  const credits = {
    ...attributionOf(options.attribution, dataset, options.stated),
    licence: licenceOf(options, dataset),
  };
  const works = workOnLevels(dataset.levels, context, credits, isAccepted);
  const reading = Promise.all(works.map(({ read }) => read));
  const [stored, files] = await Promise.all([reading, sourceFiles(options.source)]);
  refuseChanged();
  const named = stored.flatMap(({ level, names }) => (names === undefined ? [] : [`${levelName(level)}: ${names}`]));
  context.report.preview?.(named);
  return { ...dataset, stored, works, files };
}

/** The problems of the data, by level. @throws BuildError if they are not all accepted */
export async function refuseFindings(
  { source, out, accept }: BuildOptions,
  dataset: ReadDataset,
  pool: Pool,
): Promise<Finding[]> {
  const { stored, levels } = dataset;
  const found = [
    ...datasetFindings(dataset),
    ...dataset.findings,
    ...stored.flatMap(({ findings }) => findings),
    ...(await pool.run<typeof checkParents>(TASKS.checkParents, {
      stores: stored.map(({ level, store }) => ({ level, store })),
      levels,
    })),
  ];
  // Not recorded in release.json, which depends on the source and the options alone.
  const served = readServedRelease(out);
  const counts = stored.map(({ features }) => features);
  const fewer = served === undefined ? [] : findFewerUnits(counts, source.map(sourceName), served);
  await refuseUnaccepted(pool, source, [...found, ...fewer], accept, levels);
  return found;
}

/** The licence of the data: that of a recognised download is not that of other owners. */
function licenceOf({ licence, attribution }: BuildOptions, known: Pick<DatasetDescription, 'licence'>) {
  return licence ?? (attribution.length > 0 ? undefined : known.licence);
}

/** The members of release.json that do not describe its files. */
export function aboutRelease(
  options: BuildOptions,
  dataset: ReadDataset,
  quality: readonly Finding[],
  report: Report,
): ReleaseAbout {
  const { release, date } = options;
  const { gdal, files } = dataset;
  const licence = licenceOf(options, dataset);
  const attribution = attributionOf(options.attribution, dataset).release;
  // It is published, but somebody owns it.
  if (attribution.length === 0)
    report.note('no attribution: name the owner of the data and its licence with --attribution TEXT');
  return {
    release,
    ...(date !== undefined && { date }),
    source: files,
    crs: sourceCrs(dataset.crs),
    gdal,
    ...releaseContents(options),
    ...(licence !== undefined && { licence }),
    attribution,
    options: recordedOptions(options),
    quality,
  };
}

/**
 * Puts a finished release in its place, verifies and signs it if there is a key and, unless `activate` is false, makes
 * it current.
 * @throws BuildError if it is to be signed and a file is not what it should be: it is not made current then
 */
export async function publish(
  {
    out,
    release,
    activate: activates,
    signKey,
    signTime,
  }: Pick<BuildOptions, 'out' | 'release' | 'activate' | 'signKey' | 'signTime'>,
  staging: Staging,
  lock: Lock,
  pool: Pool,
  report: Report,
): Promise<void> {
  lock.assertHeld();
  await settle(staging, out, release);
  if (signKey !== undefined) {
    await requireIntact(out, release, pool, report);
    lock.assertHeld();
    await writeSignatures(out, release, signKey, signTime);
  }
  if (activates) await activate(out, release, true);
  const others = otherVersions(out);
  if (others.length > 0)
    report.note(
      `not hosted, because of their format version: ${others.join(', ')}; build them again, then remove their folders`,
    );
}
