// The estimate of `build --dry-run`: file counts come from the plan and are exact, sizes are estimated from a sample of
// features.
import { RECORD_BYTES } from '../../format/feature-index.ts';
import { featureFilePath, indexPath, manifestPath, pagePath } from '../../format/layout.ts';
import {
  FEATURES_PER_FILE,
  type Format,
  LEVELS,
  type Level,
  STORED_PAGES,
  type StoredPages,
} from '../../format/levels.ts';
import { DIGEST_CHARS, manifestToJson } from '../../format/manifest.ts';
import { newFeatureWriter } from '../geojson/feature.ts';
import { gidFrom } from '../geojson/property-values.ts';
import type { Report } from '../report/progress.ts';
import { findLevels, gidColumnNames, type LevelLayer, openLayer, type SourceOptions } from '../source/dataset.ts';
import { type Acceptable, checkIdentifiers, type LevelPlan, planLevel, plannedPages } from './plan.ts';
import { estimateSizes, type SampledFeature, type SizeEstimate } from './size-estimate.ts';
import { newIndexBuilder, type StoreIndex } from './store-index.ts';

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
  /** Exact: pages, feature files, manifests, indexes, release.json and checksums.txt. */
  files: number;
  /** Of all of them, estimated. */
  bytes: number;
}

/** The estimate of a build. */
export interface Forecast {
  levels: readonly LevelForecast[];
  /** One entry for each choice of --pages. */
  releases: readonly ReleaseForecast[];
}

/** The sample of each level: stretches of neighbouring features, as pages hold them, spread evenly. */
const STRETCHES = 50;
const STRETCH_FEATURES = 40;

/** Bytes of a line of checksums.txt besides the path: SHA-256 in hex, two spaces, line feed. */
const CHECKSUM_BYTES = 67;

/** Approximate bytes of release.json. */
const RELEASE_JSON_BYTES = 3500;

/** Files of a level besides pages and feature files: manifest and index. */
const LEVEL_FILES = 2;

/** Files of a release besides those of its levels: release.json and checksums.txt. */
const RELEASE_FILES = 2;

/** A level's forecast, and the bytes of its manifest, index and checksum lines. */
interface LevelSizes {
  forecast: LevelForecast;
  metadataBytes: Readonly<Record<StoredPages, number>>;
}

/**
 * Reads the dataset and estimates a build. Writes nothing.
 * @throws BuildError as `build` does for options, layers and GIDs
 */
export function forecast(
  options: SourceOptions & { precision: number; accept: readonly Acceptable[] },
  report: Report,
): Forecast {
  const found = findLevels(options);
  for (const layer of found) report.expect('features read', layer.features);
  const sizes = LEVELS.map((level) => {
    const layer = found.find((candidate) => candidate.level === level);
    const { index, wkb, sample } = layer ? readSizes(layer, options.precision, report) : emptyLevel(level);
    checkIdentifiers(level, index, options.accept);
    return levelSizes(level, layer?.layer ?? '', index, estimateSizes(wkb, sample));
  });
  report.end();
  const levels = sizes.map((level) => level.forecast);
  return { levels, releases: STORED_PAGES.map((pages) => releaseForecast(pages, sizes)) };
}

function releaseForecast(pages: StoredPages, levels: readonly LevelSizes[]): ReleaseForecast {
  let files = RELEASE_FILES;
  let bytes = RELEASE_JSON_BYTES;
  for (const { forecast: level, metadataBytes } of levels) {
    const { geojsonl, fc, bytes: pageBytes } = level.pages[pages];
    files += level.featureFiles.files + geojsonl + fc + LEVEL_FILES;
    bytes += level.featureFiles.bytes + pageBytes + metadataBytes[pages];
  }
  return { pages, files, bytes };
}

function levelSizes(level: Level, layer: string, index: StoreIndex, estimate: SizeEstimate): LevelSizes {
  const files = Math.ceil(index.features / FEATURES_PER_FILE[level]);
  const choose = (storedPages: StoredPages) => forecastPages(planLevel(level, index, storedPages), files, estimate);
  const [all, unfiltered, none] = [choose('all'), choose('unfiltered'), choose('none')];
  return {
    forecast: {
      level,
      layer,
      features: index.features,
      listings: all.listings,
      featureFiles: { files, bytes: Math.round(estimate.featureFiles) },
      pages: { all: all.pages, unfiltered: unfiltered.pages, none: none.pages },
    },
    metadataBytes: {
      all: all.metadataBytes,
      unfiltered: unfiltered.metadataBytes,
      none: none.metadataBytes,
    },
  };
}

function forecastPages(plan: LevelPlan, featureFiles: number, estimate: SizeEstimate) {
  const { level, features } = plan;
  const bytes: Record<Format, number[]> = { geojsonl: [], fc: [] };
  let checksumBytes = LEVEL_FILES * CHECKSUM_BYTES + indexPath(level).length + manifestPath(level).length;
  checksumBytes += featureFiles * (CHECKSUM_BYTES + featureFilePath(level, 0).length);
  let pageBytes = 0;
  for (const { format, number, listing, page, runs } of plannedPages(plan)) {
    const size = Math.round(estimate.page(format, runs));
    bytes[format][number] = size;
    pageBytes += size;
    checksumBytes += CHECKSUM_BYTES + pagePath(level, format, listing.key, page).length;
  }
  const table = (format: Format) => ({
    bytes: bytes[format],
    digests: '-'.repeat(DIGEST_CHARS * bytes[format].length),
  });
  const manifest = manifestToJson({
    release: '',
    level,
    features,
    fids: plan.fids,
    columns: plan.columns,
    featuresPerFile: FEATURES_PER_FILE[level],
    storedPages: plan.storedPages,
    pages: { geojsonl: table('geojsonl'), fc: table('fc') },
  });
  return {
    listings: plan.filledListings,
    pages: { ...plan.pages, bytes: pageBytes },
    metadataBytes: Buffer.byteLength(manifest) + features * RECORD_BYTES + checksumBytes,
  };
}

/** What is read of a level: everything but the text of its features. */
interface ReadSizes {
  index: StoreIndex;
  /** Bytes of each geometry in WKB, by position. */
  wkb: Float64Array;
  sample: SampledFeature[][];
}

function emptyLevel(level: Level): ReadSizes {
  const columns = Array.from({ length: level + 1 }, () => '');
  return { index: newIndexBuilder(columns).finish(), wkb: new Float64Array(), sample: [] };
}

function readSizes(layer: LevelLayer, precision: number, report: Report): ReadSizes {
  const opened = openLayer(layer);
  const writer = newFeatureWriter(layer.columns, precision);
  const builder = newIndexBuilder(gidColumnNames(layer));
  const sample: SampledFeature[][] = [];
  const every = Math.max(1, Math.floor(layer.features / STRETCH_FEATURES / STRETCHES));
  let read = 0;
  for (const feature of opened.layer.features) {
    const values = feature.fields.toArray();
    const geometry = feature.getGeometry();
    const wkb = geometry?.wkbSize ?? 0;
    // The entry has the size of the geometry in place of the bytes in the store.
    const gids = layer.gidColumns.map((at) => gidFrom(values[at]));
    builder.add({ fid: feature.fid, gids, bytes: wkb, deflated: undefined });
    const stretch = Math.floor(read / STRETCH_FEATURES);
    if (stretch % every === 0) {
      if (opened.transformation) geometry?.transform(opened.transformation);
      const { text } = writer(feature.fid, values, geometry?.toWKB('LSB', 'ISO') ?? null);
      const at = stretch / every;
      sample[at] ??= [];
      sample[at].push({ wkb, text: Buffer.concat(text) });
    }
    read++;
    if (read % 1000 === 0) report.advance('features read', 1000);
  }
  opened.close();
  const index = builder.finish();
  return { index, wkb: index.bytes, sample };
}
