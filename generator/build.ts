// A build from end to end: find the levels, read and serialise their features, write their pages, seal, publish.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { attributionIn, findLevels, gdalVersion, type LevelLayer, type SourceOptions } from './dataset.ts';
import { type Acceptable, planEmptyLevel, planLevel } from './plan.ts';
import { openPool, type Pool } from './pool.ts';
import { sourceFiles } from './provenance.ts';
import { dropStaging, openStaging, publish, type Staging } from './publish.ts';
import type { Report } from './report.ts';
import { sealRelease, type WrittenLevel } from './seal.ts';
import { openStore } from './store.ts';

/** What to build, from what, and how. */
export interface BuildOptions extends SourceOptions {
  /** The output folder. */
  out: string;
  /** The id of the new release. */
  release: string;
  /** Decimals of the coordinates, 0 to 12. */
  precision: number;
  /** Child processes. */
  workers: number;
  /** Faults of the data to publish as they are. */
  accept: readonly Acceptable[];
  /** Who must be named where the data is shown, besides those the source names. */
  attribution: readonly string[];
}

/** Shards per child process, so that they end at about the same time. */
const SHARDS_PER_WORKER = 2;

/**
 * Builds and publishes a release.
 * @returns what release.json says
 * @throws BuildError; then nothing is published and what was staged is removed
 */
export async function build(options: BuildOptions, report: Report): Promise<Release> {
  const found = findLevels(options);
  const staging = openStaging(options.out, options.release);
  const pool = openPool(options.workers);
  try {
    const source = sourceFiles(options.source);
    const levels = await Promise.all(LEVELS.map((level) => buildLevel(level, found, options, staging, pool, report)));
    const about = {
      release: options.release,
      source: await source,
      gdal: gdalVersion,
      precision: options.precision,
      attribution: [...new Set([...options.attribution, ...attributionIn(options.source)])],
    };
    const release = sealRelease(staging.release, about, levels);
    publish(options.out, options.release);
    return release;
  } catch (error) {
    pool.close();
    dropStaging(options.out, options.release);
    throw error;
  } finally {
    pool.close();
    report.end();
  }
}

async function buildLevel(
  level: Level,
  found: readonly LevelLayer[],
  options: BuildOptions,
  staging: Staging,
  pool: Pool,
  report: Report,
): Promise<WrittenLevel> {
  const layer = found.find((candidate) => candidate.level === level);
  if (!layer) return { plan: planEmptyLevel(level), layer: '', records: [] };
  const store = join(staging.work, levelName(level));
  report.expect('features read', layer.features);
  const { features } = await pool.run('read', {
    found: layer,
    precision: options.precision,
    store,
    accept: options.accept,
  });
  report.advance('features read', features);
  const plan = planLevel(level, openIndex(store), options.accept);
  report.expect('pages written', plan.pages.geojsonl + plan.pages.fc);
  const shards = pool.size * SHARDS_PER_WORKER;
  const records = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const file = `${store}.pages-${shard}.json`;
      const task = { level, store, out: staging.release, records: file, shard, shards, accept: options.accept };
      const written = await pool.run('write', task);
      report.advance('pages written', written.pages);
      return file;
    }),
  );
  rmSync(store);
  return { plan, layer: layer.layer, records };
}

function openIndex(file: string) {
  const store = openStore(file);
  store.close();
  return store.index;
}
