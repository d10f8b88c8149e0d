// The estimate of `build --dry-run`: counts of files come from the plan and are exact; their bytes are the lengths of
// the texts, times a factor that is measured with a sample of features for each kind of file.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { MEMBER_FRAME_BYTES } from '../../format/gzip.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import {
  FEATURES_PER_FILE,
  type Geometry,
  LEVELS,
  type Level,
  STORED_PAGES,
  type StoredPages,
} from '../../format/levels.ts';
import type { Finding, LevelSummary } from '../../format/release.ts';
import { refuseUnaccepted } from '../advice/refuse-findings.ts';
import { type BuildOptions, sourceSize } from '../build.ts';
import { describeSource, type PreparedOptions, prepareLevels, withOperations } from '../describe-source.ts';
import { makeScratchFolder } from '../files/scratch-folder.ts';
import { borderPaths, extentOf, filledListings, isFormat, plannedFiles, plannedIndex } from '../plan/plan.ts';
import { datasetFindings } from '../quality/check.ts';
import { checkParentsIn } from '../quality/identifiers.ts';
import { diskOf, neededSpace } from '../release/needed-space.ts';
import { SIGNATURE_FILES } from '../release/sign.ts';
import type { Report } from '../report/progress.ts';
import { INDEX_SCALE, indexBoxAt } from '../rings/bbox.ts';
import { planOfLevels } from '../source/level-plan.ts';
import { featureCount, layerNames } from '../source/level-source.ts';
import { LevelStore } from '../store/level-store.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { latitudeOnMap, mercatorY } from '../tiles/tile-arcs.ts';
import { openPool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { readSizes } from './read-sizes.ts';

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
   * Exact: pages, feature files, cells, neighbours, tiles (where units have an area), manifests, indexes, names, words,
   * release.json and checksums.txt.
   */
  files: number;
  /** Of all of them, estimated. */
  bytes: number;
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
 * Files of a level besides pages, what is made of borders, and the feature files and index of each geometry: manifest,
 * names and words.
 */
const LEVEL_FILES = 3;

/** Files of a release besides those of its levels: release.json and checksums.txt. */
const RELEASE_FILES = 2;

/** Bytes of cells for each byte of feature files with the full geometry, as measured: 0.2 to 0.5. */
const CELLS_SHARE = 0.37;

/**
 * Bytes of tiles, as measured: for each tile of all zooms that a side of a unit's box leads through, which has the
 * attributes of the unit; and for each byte of feature files with the full geometry, in tiles to a zoom and to each
 * more.
 */
const TILES = { side: 160, zoom: 8, share: 0.85, more: 1.32 } as const;

/** Files of the tiles of a level: the archive, and its digests. */
const TILES_FILES = 2;

/** Bytes of neighbours and their table for each unit, as measured: 45 to 125. */
const NEIGHBOURS_BYTES = 95;

/**
 * Bytes of what is not features, as measured: release.json and manifests; for each unit its part of index, names and
 * words, and of the index of each other geometry; for each file its line of checksums.txt, and its entry of the index
 * and of the blocks of a signed release.
 */
const OTHER_BYTES = { release: 45_000, unit: 175, geometry: 48, file: 110, signedFile: 150 } as const;

/**
 * Reads the dataset and estimates a build. Publishes nothing.
 * @throws BuildError as `build` does for options, layers and the quality of the data
 */
export async function forecast(
  options: PreparedOptions &
    Pick<BuildOptions, 'out' | 'geometries' | 'cells' | 'neighbours' | 'tiles' | 'accept' | 'workers' | 'signKey'>,
  report: Report,
): Promise<Forecast> {
  const pool = openPool(options.workers);
  const { path: scratch, remove } = makeScratchFolder('estimate');
  try {
    const described = await withOperations(await describeSource(options, pool));
    report.preview?.(planOfLevels(described, options));
    const dataset = await prepareLevels(described, options, scratch, { pool, report });
    const { precision, geometries, signKey } = options;
    const read = await Promise.all(
      LEVELS.map(async (level) => {
        const source = dataset.levels.find((candidate) => candidate.level === level) ?? { level, layers: [] };
        const [store, features] = [LevelStore.in(scratch, level), featureCount(source)];
        report.expect('features read', features);
        const task = { source, precision, scratch: store.path, geometries };
        const sizes = await pool.run<typeof readSizes>(TASKS.readSizes, task);
        report.advance('features read', features);
        return { level, layer: layerNames(source), features, index: store.readIndex(), ...sizes };
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
    const levels = read.map(({ level, layer, features, index, factors }): LevelForecast => {
      const before = sumsOf(index.bytes);
      const files = Math.ceil(features / FEATURES_PER_FILE[level]);
      const filesOf = (geometry: Geometry): LevelForecast['featureFiles'] => {
        const bytes = elementAt(before, features) * (factors[geometry] ?? 0) + MEMBER_FRAME_BYTES * files;
        return { files, bytes: Math.round(bytes) };
      };
      const pagesWith = (storedPages: StoredPages): PagesForecast =>
        pagesOf(plannedIndex(level, { ...options, storedPages }, index), before, factors.pages);
      const planned = plannedIndex(level, { ...options, storedPages: 'none' }, index);
      return {
        ...{ level, layer, features, ...extentOf(planned), listings: filledListings(planned) },
        featureFiles: filesOf('full'),
        geometries: Object.fromEntries(geometries.slice(1).map((geometry) => [geometry, filesOf(geometry)])),
        pages: { all: pagesWith('all'), unfiltered: pagesWith('unfiltered'), none: pagesWith('none') },
      };
    });
    const sides = read.map(({ index }) => sidesOf(index));
    const [size, disk] = [sourceSize(options, described), await diskOf(options.out)];
    const releases = STORED_PAGES.map((pages) => ({
      ...releaseWith(pages, levels, sides, options, signKey !== undefined),
      space: neededSpace(size, { ...options, storedPages: pages }, disk),
    }));
    return { quality, levels, releases };
  } finally {
    await pool.close();
    remove();
    report.end();
  }
}

/** At each position, and after the last one, the sum of the values before it. */
function sumsOf(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [i, value] of values.entries()) sums[i + 1] = elementAt(sums, i) + value;
  return sums;
}

/** @param before by position, bytes of the texts before it @param factor bytes of a page for each of a text */
function pagesOf(index: LevelIndex, before: Float64Array, factor: number): PagesForecast {
  const pages = { geojsonl: 0, fc: 0, bytes: 0 };
  for (const { kind, ranges } of plannedFiles(index)) {
    if (!isFormat(kind)) continue;
    pages[kind]++;
    pages.bytes += MEMBER_FRAME_BYTES;
    for (let i = 0; i < ranges.length; i += 2)
      pages.bytes += factor * (elementAt(before, numberAt(ranges, i + 1)) - elementAt(before, numberAt(ranges, i)));
  }
  return { ...pages, bytes: Math.round(pages.bytes) };
}

/** The sides of the boxes of all units, in widths of the map. */
function sidesOf({ features, boxes }: StoreIndex): number {
  let sum = 0;
  const rowOf = (latitude: number): number => mercatorY(latitudeOnMap(latitude / INDEX_SCALE));
  for (let unit = 0; unit < features; unit++) {
    const [west, south, east, north] = indexBoxAt(boxes, unit);
    const columns = (east - west) / INDEX_SCALE / 360;
    if (south <= north) sum += 2 * (columns < 0 ? columns + 1 : columns) + 2 * (rowOf(south) - rowOf(north));
  }
  return sum;
}

/** Bytes of the tiles of a level. @param sides of the boxes of its units, in widths of the map */
function tileBytes(zoom: number, sides: number, featureBytes: number): number {
  const tiles = sides * (2 ** (zoom + 1) - 1);
  return TILES.side * tiles + TILES.share * TILES.more ** (zoom - TILES.zoom) * featureBytes;
}

/** @param sides of the boxes of the units of each level */
function releaseWith(
  pages: StoredPages,
  levels: readonly LevelForecast[],
  sides: readonly number[],
  { tiles, ...shape }: Pick<BuildOptions, 'cells' | 'neighbours' | 'tiles'>,
  isSigned: boolean,
): Omit<ReleaseForecast, 'space'> {
  let files = RELEASE_FILES + (isSigned ? SIGNATURE_FILES.length : 0);
  let bytes = OTHER_BYTES.release;
  for (const [i, { level, features, featureFiles, geometries, pages: stored }] of levels.entries()) {
    const others = Object.values(geometries);
    const { geojsonl, fc, bytes: pageBytes } = stored[pages];
    files += (2 * featureFiles.files + 1) * (1 + others.length) + geojsonl + fc + LEVEL_FILES;
    files += borderPaths(level, shape).length;
    // Of levels without an area there are none.
    if (tiles !== undefined && features > 0) {
      files += TILES_FILES;
      bytes += tileBytes(tiles, elementAt(sides, i), featureFiles.bytes);
    }
    bytes += featureFiles.bytes * (1 + (shape.cells ? CELLS_SHARE : 0)) + pageBytes;
    bytes += features * (shape.neighbours ? NEIGHBOURS_BYTES : 0);
    bytes += sumOf(others.map((own) => own.bytes));
    bytes += features * (OTHER_BYTES.unit + OTHER_BYTES.geometry * others.length);
  }
  return { pages, files, bytes: Math.round(bytes + files * (isSigned ? OTHER_BYTES.signedFile : OTHER_BYTES.file)) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
