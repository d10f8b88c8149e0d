// The estimate of `build --dry-run`: file counts come from the plan and are exact, sizes are estimated from a sample of
// features.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BLOCK_BYTES } from '../../format/blocks.ts';
import { elementAt } from '../../format/element-at.ts';
import { FeatureTable } from '../../format/feature-table.ts';
import {
  cellsPath,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  tileDigestsPath,
  tilesPath,
  wordsPath,
} from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import {
  FEATURES_PER_FILE,
  type Geometry,
  LEVELS,
  type Level,
  STORED_PAGES,
  type StoredPages,
} from '../../format/levels.ts';
import { encodeLevel } from '../../format/manifest.ts';
import type { Finding, LevelSummary } from '../../format/release.ts';
import type { BuildOptions } from '../build.ts';
import { describeSource, type PreparedOptions, prepareLevels } from '../describe-source.ts';
import {
  extentOf,
  filledListings,
  isFormat,
  newFeatureArrays,
  pathsOf,
  plannedFiles,
  plannedIndex,
} from '../plan/plan.ts';
import { datasetFindings, refuseUnaccepted } from '../quality/check.ts';
import { makeScratchFolder } from '../release/scratch-folder.ts';
import { SIGNATURE_FILES } from '../release/sign.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, layerNames, overviewLevelsOf } from '../source/level-source.ts';
import { checkParentsIn } from '../store/identifiers.ts';
import { LevelStore } from '../store/level-store.ts';
import { openPool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import { relativesOf, writeNames } from '../write/named-units.ts';
import { encodeWords } from '../write/words.ts';
import { writeOverview } from '../write/write-overview.ts';
import type { readSizes } from './read-sizes.ts';
import { estimateSizes, type SizeEstimate } from './size-estimate.ts';

/** The pages of a level: number of files by format, and estimated bytes. */
export interface PagesForecast {
  geojsonl: number;
  fc: number;
  bytes: number;
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
  /** Number of feature files, and the estimated bytes of these and of the files beside them. */
  featureFiles: LevelSummary['featureFiles'];
  /** Those of each geometry besides the full one. */
  geometries: Readonly<Partial<Record<Geometry, LevelSummary['featureFiles']>>>;
  /** The stored pages with each choice of --pages. */
  pages: Readonly<Record<StoredPages, PagesForecast>>;
}

/** The estimate of a release with one choice of --pages. */
export interface ReleaseForecast {
  pages: StoredPages;
  /**
   * Exact: pages, feature files, cells, tiles (of levels with polygons), manifests, indexes, names, words, the overview, release.json and checksums.txt.
   */
  files: number;
  /** Of all of them, estimated. */
  bytes: number;
}

/** The estimate of a build. */
export interface Forecast {
  /** Problems of the data. */
  quality: readonly Finding[];
  levels: readonly LevelForecast[];
  /** One entry for each choice of --pages. */
  releases: readonly ReleaseForecast[];
}

/** Approximate bytes of release.json. */
const RELEASE_JSON_BYTES = 4700;

/**
 * Files of a level besides pages, cells, and the feature files and index of each geometry: manifest, names and words.
 */
const LEVEL_FILES = 3;

/** Bytes of cells for each byte of feature files with the full geometry, as measured: 0.2 to 0.5. */
const CELLS_SHARE = 0.37;

/** The same of tiles to zoom 10; those to a zoom less have about this share of them. */
const TILES = { zoom: 10, share: 1.5, less: 0.65 } as const;

/** Files of a release besides those of its levels: the overview, release.json and checksums.txt. */
const RELEASE_FILES = 3;

/** Bytes of signed.json and the signatures of a release, of what blocks.bin has of each file, and of a digest in it. */
const SIGNED_BYTES = { signatures: 150 + 4 * 64, file: 24, block: 16 } as const;

/**
 * Reads the dataset and estimates a build. Publishes nothing.
 * @throws BuildError as `build` does for options, layers and the quality of the data
 */
export async function forecast(
  options: PreparedOptions & Pick<BuildOptions, 'geometries' | 'cells' | 'tiles' | 'accept' | 'workers' | 'signKey'>,
  report: Report,
): Promise<Forecast> {
  const pool = openPool(options.workers);
  const { path: scratch, remove } = makeScratchFolder('estimate');
  try {
    const described = await describeSource(options, pool);
    const dataset = await prepareLevels(described, options, scratch, { pool, report });
    const { precision, geometries, cells, tiles } = options;
    const inOverview = overviewLevelsOf(dataset.levels);
    const read = await Promise.all(
      LEVELS.map(async (level) => {
        const source = dataset.levels.find((candidate) => candidate.level === level) ?? { level, layers: [] };
        const [store, features] = [LevelStore.in(scratch, level), featureCount(source)];
        report.expect('features read', features);
        const task = {
          source,
          precision,
          scratch: store.path,
          isInOverview: inOverview.includes(level),
          geometries,
        };
        const sizes = await pool.run<typeof readSizes>(TASKS.readSizes, task);
        report.advance('features read', features);
        return { level, layer: layerNames(source), features, store: store.path, index: store.readIndex(), ...sizes };
      }),
    );
    const indexes = new Map(dataset.levels.map(({ level }) => [level, elementAt(read, level).index]));
    const quality = [
      ...datasetFindings(dataset),
      ...dataset.findings,
      ...read.flatMap(({ findings }) => findings),
      ...checkParentsIn(indexes, dataset.levels),
    ];
    refuseUnaccepted(options.source, quality, options.accept, dataset.levels);
    const overview = writeOverview({ units: read, precision, out: scratch }).bytes;
    const bytes = RELEASE_JSON_BYTES + overview + checksumBytes([OVERVIEW_FILE]);
    const releases = STORED_PAGES.map((pages) => ({ pages, files: RELEASE_FILES, bytes }));
    const levels = read.map(({ level, layer, features, index, sample, shares, store }) => {
      const estimate = estimateSizes(index.bytes, sample);
      const files = Math.ceil(features / FEATURES_PER_FILE[level]);
      const featureFiles = { files, bytes: Math.round(estimate.featureFiles(files)) };
      mkdirSync(dirname(join(scratch, namesPath(level))), { recursive: true });
      const other = geometries.slice(1).map((geometry) => {
        const share = shares[geometry] ?? 0;
        return [geometry, { files, bytes: Math.round(share * featureFiles.bytes) }] as const;
      });
      const otherBytes = other.reduce((sum, [, { bytes }]) => sum + bytes, 0);
      const own = new LevelStore(store);
      const names = writeNames(scratch, level, own, relativesOf(level, read)).bytes;
      const words = encodeWords(own.readNames().all()).length;
      const pages = { all: NO_PAGES, unfiltered: NO_PAGES, none: NO_PAGES };
      for (const release of releases) {
        const planned = plannedIndex(level, { ...options, storedPages: release.pages }, index);
        const stored = pagesOf(planned, estimate);
        pages[release.pages] = stored;
        release.files += (2 * files + 1) * geometries.length + stored.geojsonl + stored.fc + LEVEL_FILES;
        if (cells) {
          release.files++;
          release.bytes += Math.round(CELLS_SHARE * featureFiles.bytes) + checksumBytes([cellsPath(level)]);
        }
        if (tiles !== undefined && features > 0) {
          const paths = [tilesPath(level), tileDigestsPath(level)];
          release.files += paths.length;
          const share = TILES.share * TILES.less ** (TILES.zoom - tiles);
          release.bytes += Math.round(share * featureFiles.bytes) + checksumBytes(paths);
        }
        release.bytes += featureFiles.bytes + otherBytes + stored.bytes + names + words + metadataBytes(planned);
      }
      const planned = plannedIndex(level, { ...options, storedPages: 'none' }, index);
      const about = { level, layer, features, ...extentOf(planned), listings: filledListings(planned) };
      return { ...about, featureFiles, geometries: Object.fromEntries(other), pages };
    });
    if (options.signKey !== undefined) for (const release of releases) addSignatures(release);
    return { quality, levels, releases };
  } finally {
    await pool.close();
    remove();
    report.end();
  }
}

/** Adds the files of a signed release. */
function addSignatures(release: { files: number; bytes: number }): void {
  const { signatures, file, block } = SIGNED_BYTES;
  release.bytes += signatures + (file + block) * release.files + block * Math.floor(release.bytes / BLOCK_BYTES);
  release.files += SIGNATURE_FILES.length;
}

const NO_PAGES: PagesForecast = { geojsonl: 0, fc: 0, bytes: 0 };

function pagesOf(index: LevelIndex, estimate: SizeEstimate): PagesForecast {
  const pages = { ...NO_PAGES };
  for (const { kind, ranges } of plannedFiles(index)) {
    if (!isFormat(kind)) continue;
    pages[kind]++;
    pages.bytes += Math.round(estimate.page(kind, ranges));
  }
  return pages;
}

/** Bytes of the manifest and index of a level, and of the lines of checksums.txt for all its files. */
function metadataBytes(index: LevelIndex): number {
  const { level } = index;
  const tables = new Map(
    index.geometries.map((geometry) => [geometry, new FeatureTable(level, newFeatureArrays(index.features))]),
  );
  const encoded = encodeLevel('', index, tables);
  const paths = [...plannedFiles(index)].flatMap(pathsOf);
  paths.push(indexPath(level), manifestPath(level), namesPath(level), wordsPath(level));
  paths.push(...index.geometries.map((geometry) => indexPath(level, geometry)));
  const indexes = [encoded.index, ...encoded.tables.values()].reduce((sum, { length }) => sum + length, 0);
  return encoded.manifest.length + indexes + checksumBytes(paths);
}

/** A line has the SHA-256 in hex, two spaces, the path and a line feed. */
function checksumBytes(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + 67 + path.length, 0);
}
