// A build from end to end: find the levels, read and serialise their features, write their pages, seal, publish.
import { LEVELS, type Level } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { attributionIn, findLevels, gdalVersion, type SourceOptions } from './dataset.ts';
import { explained } from './failure.ts';
import { type BuiltLevel, buildLevel, WHOLE } from './level.ts';
import { takeLock } from './lock.ts';
import type { Acceptable } from './plan.ts';
import { openPool } from './pool.ts';
import { sourceFiles } from './provenance.ts';
import { activate, openStaging, removeLeftovers, settle } from './publish.ts';
import type { Report } from './report.ts';
import { sealRelease } from './seal.ts';

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
    const building = LEVELS.map((level) => buildLevel(level, found, options, staging, pool, WHOLE, report));
    const [about, levels] = await Promise.all([aboutRelease(options), Promise.all(building)]);
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

/** What release.json says of a release besides its levels. */
export async function aboutRelease(options: BuildOptions): Promise<Omit<Release, 'levels'>> {
  return {
    release: options.release,
    source: await sourceFiles(options.source),
    gdal: gdalVersion(),
    precision: options.precision,
    attribution: [...new Set([...options.attribution, ...attributionIn(options.source)])],
  };
}

/** What is odd about a level. */
export function remarksOn({ plan, read }: BuiltLevel): Remark[] {
  const counts: [string, number | undefined][] = [
    ['units lack a GID', plan.accepted['null-gids']],
    ['units repeat the GID of another', plan.accepted['duplicate-gids']],
    ['units have no area at this precision', read?.collapsedGeometries],
    ['rings have no area at this precision', read?.collapsedRings],
  ];
  return counts.flatMap(([what, count]) => (count ? [{ level: plan.level, count, what }] : []));
}
