// The build, from end to end: describe the dataset, read and serialise each level, write its files, finalise, publish.
import { join } from 'node:path';
import { LEVELS, levelName, type StoredPages } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { WHOLE, type WrittenLevel, writeLevel } from './pages/build-level.ts';
import { type FinalizedLevel, sealRelease } from './pages/finalize.ts';
import type { Acceptable } from './pages/plan.ts';
import { type Lock, takeLock } from './release/output-lock.ts';
import { activate, openStaging, removeLeftovers, type Staging, settle } from './release/staging.ts';
import type { Built, Remark } from './report/built.ts';
import { explained } from './report/errors.ts';
import type { Report } from './report/progress.ts';
import type { SourceOptions } from './source/dataset.ts';
import type { DatasetDescription } from './source/describe.ts';
import { sourceFiles } from './source/source-files.ts';
import { openPool, type Pool } from './workers/pool.ts';
import { workIn } from './workers/work.ts';

const DESCRIBE = workIn<typeof import('./source/describe.ts'), 'describeDataset'>(
  import.meta.url,
  './source/describe',
  'describeDataset',
);
const FINALIZE = workIn<typeof import('./pages/finalize.ts'), 'finalizeLevel'>(
  import.meta.url,
  './pages/finalize',
  'finalizeLevel',
);

/** What to build, from what, and how. */
export interface BuildOptions extends SourceOptions {
  /** The output folder. */
  out: string;
  /** The id of the new release. */
  release: string;
  /** Decimals of the coordinates, 0 to 12. */
  precision: number;
  /** Which pages are stored as files. */
  storedPages: StoredPages;
  /** Number of child processes; 0 to work in this process. */
  workers: number;
  /** Problems of the data to accept: the units are published unchanged. */
  accept: readonly Acceptable[];
  /** Attribution texts besides those in the source. */
  attribution: readonly string[];
  /** Whether the release becomes the current one. */
  activate: boolean;
}

/**
 * Builds a release, publishes it and, unless `activate` is false, makes it current.
 * @throws BuildError; then nothing is published, and the staging folder is removed
 */
export async function build(options: BuildOptions, report: Report): Promise<Built> {
  try {
    return await buildAndPublish(options, report);
  } catch (error) {
    throw explained(error);
  }
}

async function buildAndPublish(options: BuildOptions, report: Report): Promise<Built> {
  const pool = openPool(options.workers, LEVELS.length);
  let lock: Lock | undefined;
  try {
    const dataset = await describe(options, pool);
    lock = takeLock(options.out);
    const staging = openStaging(options.out, options.release);
    const building = LEVELS.map(async (level) => {
      const written = await writeLevel(level, dataset.layers, options, staging, pool, WHOLE, report);
      return { written, finalized: await finalize(written, options, staging, pool) };
    });
    const [about, levels] = await Promise.all([aboutRelease(options, dataset), Promise.all(building)]);
    const finalized = levels.map((level) => level.finalized);
    const release = sealRelease(staging.release, about, finalized);
    lock.assertHeld();
    await settle(options.out, options.release);
    if (options.activate) await activate(options.out, options.release);
    return { release, remarks: levels.flatMap(({ written }) => remarksOn(written)) };
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

/** Describes the dataset of a build. */
export function describe(options: BuildOptions, pool: Pool): Promise<DatasetDescription> {
  const { source, layers, gidColumns, levels } = options;
  return pool.run(DESCRIBE, { source, layers, gidColumns, levels });
}

/** Finalises a level once all its files are written. */
export function finalize(
  { level, layer, store, records }: WrittenLevel,
  { release, storedPages }: { release: string; storedPages: StoredPages },
  staging: Staging,
  pool: Pool,
): Promise<FinalizedLevel> {
  const checksums = join(staging.work, `${levelName(level)}.checksums`);
  const task = { release, level, layer, storedPages, store, records, out: staging.release, checksums };
  return pool.run(FINALIZE, task);
}

/** The members of release.json other than `levels`. */
export async function aboutRelease(
  options: BuildOptions,
  { gdal, attribution }: DatasetDescription,
): Promise<Omit<Release, 'levels'>> {
  return {
    release: options.release,
    source: await sourceFiles(options.source),
    gdal,
    precision: options.precision,
    storedPages: options.storedPages,
    attribution: [...new Set([...options.attribution, ...attribution])],
  };
}

/** Counts the accepted problems of a level. */
export function remarksOn({ level, read }: WrittenLevel): Remark[] {
  const counts: [string, number | undefined][] = [
    ['units lack a GID', read?.accepted['null-gids']],
    ['units repeat the GID of another', read?.accepted['duplicate-gids']],
    ['units have no area at this precision', read?.collapsedGeometries],
    ['rings have no area at this precision', read?.collapsedRings],
  ];
  return counts.flatMap(([what, count]) => (count ? [{ level, count, what }] : []));
}
