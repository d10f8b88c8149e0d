// The estimate of `build --dry-run`: file counts come from the plan and are exact, sizes are estimated from a sample of
// features.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { indexPath, manifestPath, namesPath, OVERVIEW_FILE } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import {
  FEATURES_PER_FILE,
  LEVELS,
  type Level,
  levelName,
  STORED_PAGES,
  type StoredPages,
} from '../../format/levels.ts';
import { encodeLevel } from '../../format/manifest.ts';
import type { Finding } from '../../format/release.ts';
import { describeSource, splitIntoLevels } from '../describe-source.ts';
import { filledListings, plannedFiles, plannedIndex } from '../levels/plan.ts';
import { type LevelUnits, relativesOf, writeNames } from '../names/named-units.ts';
import { writeOverview } from '../overview/write-overview.ts';
import { datasetFindings, refuseUnaccepted } from '../quality/check.ts';
import type { Acceptable } from '../quality/findings.ts';
import { makeScratchFolder } from '../release/scratch-folder.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, layerNames, overviewLevelsOf } from '../source/level-source.ts';
import type { SourceOptions } from '../source/source-options.ts';
import { readStoreIndex } from '../store/feature-store.ts';
import { findOrphans } from '../store/identifiers.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { openPool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
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
  listings: number;
  /** Number of feature files, and their estimated bytes. */
  featureFiles: { files: number; bytes: number };
  /** The stored pages with each choice of --pages. */
  pages: Readonly<Record<StoredPages, PagesForecast>>;
}

/** The estimate of a release with one choice of --pages. */
export interface ReleaseForecast {
  pages: StoredPages;
  /** Exact: pages, feature files, manifests, indexes, names, the overview, release.json and checksums.txt. */
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

/** Bytes of a line of checksums.txt besides the path: SHA-256 in hex, two spaces, line feed. */
const CHECKSUM_BYTES = 67;

/** Approximate bytes of release.json. */
const RELEASE_JSON_BYTES = 4700;

/** Files of a level besides pages and feature files: manifest, index and names. */
const LEVEL_FILES = 3;

/** Files of a release besides those of its levels: the overview, release.json and checksums.txt. */
const RELEASE_FILES = 3;

/** A level's forecast, and the bytes of its manifest, index, names and checksum lines. */
interface LevelSizes {
  forecast: LevelForecast;
  metadataBytes: Readonly<Record<StoredPages, number>>;
}

/**
 * Reads the dataset and estimates a build. Publishes nothing.
 * @throws BuildError as `build` does for options, layers and the quality of the data
 */
export async function forecast(
  options: SourceOptions & { precision: number; accept: readonly Acceptable[]; workers: number },
  report: Report,
): Promise<Forecast> {
  const pool = openPool(options.workers);
  const { path: scratch, remove } = makeScratchFolder('estimate');
  try {
    const described = await describeSource(options, pool);
    const dataset = await splitIntoLevels(described, options, scratch, { pool, report });
    const { precision, keepFids = false } = options;
    const inOverview = overviewLevelsOf(dataset.levels);
    const read = await Promise.all(
      LEVELS.map(async (level) => {
        const source = dataset.levels.find((candidate) => candidate.level === level) ?? { level, layers: [] };
        const store = join(scratch, levelName(level));
        const features = featureCount(source);
        report.expect('features read', features);
        const sizes = await pool.run<typeof readSizes>(TASKS.readSizes, {
          source,
          precision,
          keepFids,
          scratch: store,
          isInOverview: inOverview.includes(level),
        });
        report.advance('features read', features);
        return { store, index: readStoreIndex(store), ...sizes };
      }),
    );
    const indexes = new Map(dataset.levels.map(({ level }) => [level, elementAt(read, level).index]));
    const quality = [
      ...datasetFindings(dataset),
      ...dataset.findings,
      ...read.flatMap(({ findings }) => findings),
      ...findOrphans(indexes, dataset.levels),
    ];
    refuseUnaccepted(options.source, quality, options.accept);
    const units = LEVELS.map((level) => {
      const { store, index } = elementAt(read, level);
      return { level, store, features: index.features };
    });
    const overview = writeOverview({ units, precision: options.precision, out: scratch }).bytes;
    const sizes = LEVELS.map((level) => {
      const source = dataset.levels.find((candidate) => candidate.level === level);
      const { index, sample } = elementAt(read, level);
      const layer = source === undefined ? '' : layerNames(source);
      return levelSizes(
        { level, layer, index, names: namesBytes(scratch, level, units) },
        estimateSizes(index.bytes, sample),
      );
    });
    const levels = sizes.map((level) => level.forecast);
    return { quality, levels, releases: STORED_PAGES.map((pages) => releaseForecast(pages, sizes, overview)) };
  } finally {
    await pool.close();
    remove();
    report.end();
  }
}

function releaseForecast(pages: StoredPages, levels: readonly LevelSizes[], overview: number): ReleaseForecast {
  let files = RELEASE_FILES;
  let bytes = RELEASE_JSON_BYTES + overview + CHECKSUM_BYTES + OVERVIEW_FILE.length;
  for (const { forecast: level, metadataBytes } of levels) {
    const { geojsonl, fc, bytes: pageBytes } = level.pages[pages];
    files += level.featureFiles.files + geojsonl + fc + LEVEL_FILES;
    bytes += level.featureFiles.bytes + pageBytes + metadataBytes[pages];
  }
  return { pages, files, bytes };
}

/** Writes the names as a build does; returns their bytes. */
function namesBytes(scratch: string, level: Level, units: readonly LevelUnits[]): number {
  mkdirSync(dirname(join(scratch, namesPath(level))), { recursive: true });
  return writeNames(scratch, level, elementAt(units, level).store, relativesOf(level, units)).bytes;
}

/** @param names bytes of the level's names */
function levelSizes(
  { level, layer, index, names }: { level: Level; layer: string; index: StoreIndex; names: number },
  estimate: SizeEstimate,
): LevelSizes {
  const files = Math.ceil(index.features / FEATURES_PER_FILE[level]);
  const choose = (storedPages: StoredPages) => forecastPages(plannedIndex(level, storedPages, index), names, estimate);
  const [all, unfiltered, none] = [choose('all'), choose('unfiltered'), choose('none')];
  return {
    forecast: {
      level,
      layer,
      features: index.features,
      listings: filledListings(plannedIndex(level, 'none', index)),
      featureFiles: { files, bytes: Math.round(estimate.featureFiles(FEATURES_PER_FILE[level])) },
      pages: { all: all.pages, unfiltered: unfiltered.pages, none: none.pages },
    },
    metadataBytes: { all: all.metadataBytes, unfiltered: unfiltered.metadataBytes, none: none.metadataBytes },
  };
}

function forecastPages(index: LevelIndex, names: number, estimate: SizeEstimate) {
  const { level } = index;
  const encoded = encodeLevel('', index);
  let metadataBytes = names + encoded.manifest.length + encoded.index.length;
  for (const path of [indexPath(level), manifestPath(level), namesPath(level)])
    metadataBytes += CHECKSUM_BYTES + path.length;
  const pages: PagesForecast = { geojsonl: 0, fc: 0, bytes: 0 };
  for (const { kind, path, ranges } of plannedFiles(index)) {
    metadataBytes += CHECKSUM_BYTES + path.length;
    if (kind === 'features') continue;
    pages[kind]++;
    pages.bytes += Math.round(estimate.page(kind, ranges));
  }
  return { pages, metadataBytes };
}
