// The estimate of `build --dry-run`: counts of files come from the plan and are exact; bytes are those of the check of
// space that a build begins with.
import { elementAt } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { FEATURES_PER_FILE, LEVELS, type Level, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { refuseUnaccepted } from '../advice/refuse-findings.ts';
import { type BuildOptions, refuseUnknownTileLanguages, sourceSize } from '../build.ts';
import { describeSource, type PreparedOptions, prepareLevels, withOperations } from '../describe-source.ts';
import { makeScratchFolder } from '../files/scratch-folder.ts';
import {
  borderPaths,
  extentOf,
  filledListings,
  isFormat,
  plannedFiles,
  plannedIndex,
  tablePaths,
} from '../plan/plan.ts';
import { datasetFindings } from '../quality/check.ts';
import { checkParentsIn } from '../quality/identifiers.ts';
import { diskOf, type ExpectedBytes, expectedBytes } from '../release/needed-space.ts';
import { SIGNATURE_FILES } from '../release/sign.ts';
import type { Report } from '../report/progress.ts';
import { planOfLevels } from '../source/level-plan.ts';
import { featureCount, layerNames } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import { openPool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { surveyLevel } from './survey-level.ts';

/** The pages of a level: number of files by format. */
export interface PagesForecast {
  geojsonl: number;
  fc: number;
}

/** The estimate of a level. */
export interface LevelForecast {
  level: Level;
  /** The source layer; empty if the dataset lacks the level. */
  layer: string;
  features: number;
  /** Of all units, as `LevelSummary` has it. */
  extent?: readonly number[] | undefined;
  listings: number;
  /** Number of feature files of each geometry. */
  featureFiles: number;
  /** The stored pages with each choice of --pages. */
  pages: Readonly<Record<StoredPages, PagesForecast>>;
}

/** The estimate of a release with one choice of --pages. */
export interface ReleaseForecast {
  pages: StoredPages;
  /**
   * Exact: pages, feature files, cells, neighbours, tables, tiles (where units have an area), manifests, indexes, names,
   * words, release.json and checksums.txt.
   */
  files: number;
  /** Of all of them, estimated. */
  bytes: ExpectedBytes['release'];
  /** What a build needs on the disk until it ends, with the files that it removes: so much it asks for. */
  space: number;
}

/** The estimate of a build. */
export interface Forecast {
  /** Problems of the data. */
  quality: readonly Finding[];
  levels: readonly LevelForecast[];
  /** One entry for each choice of --pages. */
  releases: readonly ReleaseForecast[];
}

/**
 * Files of a level besides pages, the table, what is made of borders, and the feature files and index of each geometry:
 * manifest, names and words.
 */
const LEVEL_FILES = 3;

/** Files of the tiles of a level: the archive, and its digests. */
const TILES_FILES = 2;

/** Files of a release besides those of its levels: release.json and checksums.txt. */
const RELEASE_FILES = 2;

/**
 * Reads the dataset and estimates a build. Publishes nothing.
 * @throws BuildError as `build` does for options, layers and the quality of the data
 */
export async function forecast(
  options: PreparedOptions &
    Pick<
      BuildOptions,
      | 'out'
      | 'geometries'
      | 'cells'
      | 'neighbours'
      | 'parquet'
      | 'tiles'
      | 'tileLanguages'
      | 'accept'
      | 'workers'
      | 'signKey'
    >,
  report: Report,
): Promise<Forecast> {
  const pool = openPool(options.workers);
  const { path: scratch, remove } = makeScratchFolder('estimate');
  try {
    const described = await withOperations(await describeSource(options, pool));
    refuseUnknownTileLanguages(options, described);
    report.preview?.(planOfLevels(described, options));
    const dataset = await prepareLevels(described, options, scratch, { pool, report });
    const { precision } = options;
    const read = await Promise.all(
      LEVELS.map(async (level) => {
        const source = dataset.levels.find((candidate) => candidate.level === level) ?? { level, layers: [] };
        const [store, features] = [LevelStore.in(scratch, level), featureCount(source)];
        report.expect('features read', features);
        const task = { source, precision, store: store.path };
        const findings = await pool.run<typeof surveyLevel>(TASKS.surveyLevel, task);
        report.advance('features read', features);
        return { level, layer: layerNames(source), features, index: store.readIndex(), findings };
      }),
    );
    const indexes = new Map(dataset.levels.map(({ level }) => [level, elementAt(read, level).index]));
    const quality = [
      ...datasetFindings(dataset),
      ...dataset.findings,
      ...read.flatMap(({ findings }) => findings),
      ...checkParentsIn(indexes, dataset.levels),
    ];
    await refuseUnaccepted(pool, options.source, quality, options.accept, dataset.levels);
    const levels = read.map(({ level, layer, features, index }): LevelForecast => {
      const pagesWith = (storedPages: StoredPages): PagesForecast =>
        pagesOf(plannedIndex(level, { ...options, storedPages }, index));
      const planned = plannedIndex(level, { ...options, storedPages: 'none' }, index);
      return {
        ...{ level, layer, features, ...extentOf(planned), listings: filledListings(planned) },
        featureFiles: Math.ceil(features / FEATURES_PER_FILE[level]),
        pages: { all: pagesWith('all'), unfiltered: pagesWith('unfiltered'), none: pagesWith('none') },
      };
    });
    const [size, disk] = [sourceSize(options, described), await diskOf(options.out)];
    const releases = STORED_PAGES.map((pages): ReleaseForecast => {
      const { release: bytes, disk: space } = expectedBytes(size, { ...options, storedPages: pages }, disk);
      return { pages, files: filesWith(pages, levels, options), bytes, space };
    });
    return { quality, levels, releases };
  } finally {
    await pool.close();
    remove();
    report.end();
  }
}

function pagesOf(index: LevelIndex): PagesForecast {
  const pages = { geojsonl: 0, fc: 0 };
  for (const { kind } of plannedFiles(index)) if (isFormat(kind)) pages[kind]++;
  return pages;
}

function filesWith(
  pages: StoredPages,
  levels: readonly LevelForecast[],
  {
    geometries,
    tiles,
    signKey,
    ...contents
  }: Pick<BuildOptions, 'geometries' | 'cells' | 'neighbours' | 'parquet' | 'tiles' | 'signKey'>,
): number {
  const files = levels.map(({ level, features, featureFiles, pages: stored }) => {
    const { geojsonl, fc } = stored[pages];
    // Of levels without an area there are no tiles.
    const tileFiles = tiles !== undefined && features > 0 ? TILES_FILES : 0;
    const tableFiles = tablePaths({ level, features }, contents).length;
    const others = geojsonl + fc + borderPaths(level, contents).length + tableFiles + tileFiles + LEVEL_FILES;
    return (2 * featureFiles + 1) * geometries.length + others;
  });
  return files.reduce((sum, own) => sum + own, RELEASE_FILES + (signKey === undefined ? 0 : SIGNATURE_FILES.length));
}
