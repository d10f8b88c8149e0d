// Releases for tests, built in this process from a dataset.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { GEOMETRIES, LEVELS } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { type BuildOptions, build } from '../../../generator/build.ts';
import { DEFAULTS } from '../../../generator/options/defaults.ts';
import { type Report, SILENT } from '../../../generator/report/progress.ts';
import { buildShard, seal } from '../../../generator/shards/sharded-build.ts';
import { writeCountries, writeUnits } from '../datasets/small-datasets.ts';
import { type FixtureLayer, writeDataset } from '../datasets/write-dataset.ts';
import { contentOf } from '../files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { assertDerived } from './oracle.ts';
import { assertTables } from './table-oracle.ts';

/** All that the command line makes by default, but for tiles. */
export const WHOLE = {
  geometries: GEOMETRIES,
  cells: true,
  neighbours: true,
  parquet: true,
  storedPages: 'all',
} as const;
/** For tests of files, of which those of one other geometry are made like those of all. */
export const ONE_OTHER = { ...WHOLE, geometries: ['full', 'low'] } as const;

/** The file or files of a dataset. */
type Source = string | string[];
/** Options that are not those of `buildOptions`. */
type Options = Partial<BuildOptions>;

/**
 * The options of a build of `source` in `out`: the defaults of the command line, but for `options`, and without what
 * most tests do not ask for (other geometries, cells, neighbours, tables, stored pages; `WHOLE` has them), which costs
 * more than the rest.
 */
export function buildOptions(source: Source, out: string, options: Options = {}): BuildOptions {
  return {
    source: [source].flat(),
    out,
    release: 'r1',
    precision: 7,
    levels: LEVELS,
    workers: 0,
    memory: DEFAULTS.memory,
    spaceCheck: true,
    accept: [],
    attribution: [],
    activate: true,
    storedPages: 'none',
    geometries: ['full'],
    cells: false,
    neighbours: false,
    parquet: false,
    tiles: undefined,
    ...options,
  };
}

/** Builds a release of `source` in `out` with these options. The oracle checks it. */
export async function buildRelease(
  source: Source,
  out: string,
  options: Options = {},
  report?: Report,
): Promise<Release> {
  const release = await buildUnchecked(source, out, options, report);
  assertDerived(out, release.release);
  await assertTables(out, release);
  return release;
}

/**
 * Builds a release of these layers, in a folder that the test file may change or in one of its own.
 * @returns the output folder
 */
export async function buildLayers(layers: readonly FixtureLayer[], options: Options = {}, out = temporaryFolder()) {
  await buildRelease(writeDataset(join(temporaryFolder(), 'layers.gpkg'), 'GPKG', layers), out, options);
  return out;
}

/** Builds a release of one level with cells, which the oracle, for which some are too large, does not check. */
export async function buildUnits(units: readonly (string | null)[], options: Options = {}): Promise<string> {
  const out = temporaryFolder();
  await buildUnchecked(writeUnits(units), out, { cells: true, ...options });
  return out;
}

/** Builds a release of the countries with these options. @returns its output folder, which the test file may change */
export async function buildCountries(options: Options = {}): Promise<string> {
  const out = temporaryFolder();
  await buildRelease(writeCountries(), out, options);
  return out;
}

/**
 * `buildRelease` without the oracle, whose file operations are not those of the build: for tests that intercept these.
 */
export function buildUnchecked(
  source: Source,
  out: string,
  options: Options = {},
  report: Report = SILENT,
): Promise<Release> {
  return build(buildOptions(source, out, options), report);
}

/** That two shards and their seal give what is in `whole`, a build of `source` with these options, byte for byte. */
export async function assertSharded(source: Source, whole: string, options: Options = {}): Promise<void> {
  const sharded = temporaryFolder();
  for (const shard of [1, 0]) await buildShard(buildOptions(source, sharded, options), { shard, shards: 2 }, SILENT);
  await seal(sharded, 'r1', true);
  assert.deepEqual(contentOf(sharded), contentOf(whole));
}
