// A build from end to end: find the levels, read and serialise their features, write their pages, seal, publish.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { attributionIn, findLevels, gdalVersion, type LevelLayer, type SourceOptions } from './dataset.ts';
import { explained } from './failure.ts';
import { takeLock } from './lock.ts';
import { type Acceptable, planEmptyLevel, planLevel } from './plan.ts';
import { openPool, type Pool } from './pool.ts';
import { sourceFiles } from './provenance.ts';
import { activate, openStaging, removeLeftovers, type Staging, settle } from './publish.ts';
import type { ReadResult } from './read.ts';
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
  /** Whether the finished release becomes the current one. */
  activate: boolean;
}

/** What came of a build. */
export interface Built {
  /** What release.json says. */
  release: Release;
  /** What is odd about the data, and how often. */
  remarks: readonly Remark[];
}

/** Something odd about a level's units that was published all the same. */
export interface Remark {
  level: Level;
  count: number;
  what: string;
}

/** Shards per child process, so that they end at about the same time. */
const SHARDS_PER_WORKER = 2;

/**
 * Builds a release, publishes it and, unless told otherwise, makes it current.
 * @throws BuildError; then nothing is published and what was staged is removed
 */
export async function build(options: BuildOptions, report: Report): Promise<Built> {
  try {
    return await buildLocked(options, report);
  } catch (error) {
    throw explained(error);
  }
}

async function buildLocked(options: BuildOptions, report: Report): Promise<Built> {
  const found = findLevels(options);
  const lock = takeLock(options.out);
  const pool = openPool(options.workers);
  try {
    const staging = openStaging(options.out, options.release);
    const source = sourceFiles(options.source);
    const building = LEVELS.map((level) => buildLevel(level, found, options, staging, pool, report));
    const [files, levels] = await Promise.all([source, Promise.all(building)]);
    const about = {
      release: options.release,
      source: files,
      gdal: gdalVersion,
      precision: options.precision,
      attribution: [...new Set([...options.attribution, ...attributionIn(options.source)])],
    };
    const release = sealRelease(staging.release, about, levels);
    lock.assertHeld();
    await settle(options.out, options.release);
    if (options.activate) await activate(options.out, options.release);
    return { release, remarks: levels.flatMap(remarksOn) };
  } catch (error) {
    await pool.close();
    removeLeftovers(options.out);
    throw error;
  } finally {
    await pool.close();
    lock.release();
    report.end();
  }
}

/** A level whose pages are written, and what reading it told. */
interface BuiltLevel extends WrittenLevel {
  read: ReadResult | undefined;
}

function remarksOn({ plan, read }: BuiltLevel): Remark[] {
  const counts: [string, number | undefined][] = [
    ['units lack a GID', plan.accepted['null-gids']],
    ['units repeat the GID of another', plan.accepted['duplicate-gids']],
    ['units have no area at this precision', read?.collapsedGeometries],
    ['rings have no area at this precision', read?.collapsedRings],
  ];
  return counts.flatMap(([what, count]) => (count ? [{ level: plan.level, count, what }] : []));
}

async function buildLevel(
  level: Level,
  found: readonly LevelLayer[],
  options: BuildOptions,
  staging: Staging,
  pool: Pool,
  report: Report,
): Promise<BuiltLevel> {
  const layer = found.find((candidate) => candidate.level === level);
  if (!layer) return { plan: planEmptyLevel(level), layer: '', records: [], read: undefined };
  const store = join(staging.work, levelName(level));
  report.expect('features read', layer.features);
  const read = await pool.run('read', {
    found: layer,
    precision: options.precision,
    store,
    accept: options.accept,
  });
  report.advance('features read', read.features);
  const plan = planLevel(level, openIndex(store), options.accept);
  report.expect('pages written', plan.pages.geojsonl + plan.pages.fc);
  const shards = Math.max(pool.size * SHARDS_PER_WORKER, 1);
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
  return { plan, layer: layer.layer, records, read };
}

function openIndex(file: string) {
  const store = openStore(file);
  store.close();
  return store.index;
}
