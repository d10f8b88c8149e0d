// Verification: reads a whole release and reports every damaged file; given the dataset, also every feature that differs
// from GDAL's reading of it.
import { featureFilePath } from '../../format/layout.ts';
import { FORMATS, LEVELS, type Level } from '../../format/levels.ts';
import { type Fault, newFaults } from '../report/faults.ts';
import type { Report } from '../report/progress.ts';
import type { SourceOptions } from '../source/source-options.ts';
import { openPool, type Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import { pagesOf } from './content/pages.ts';
import type { ShardTask } from './content/shard.ts';
import type { NameColumns, UnitSums } from './content/unit-sums.ts';
import { verifyList, verifySums } from './file-list.ts';
import { currentRelease, type Metadata, readMetadata } from './metadata.ts';
import { verifyNamesAndOverview } from './names-and-overview.ts';
import { verifySource } from './source.ts';

const VERIFY_FEATURES = workIn<typeof import('./content/features.ts'), 'verifyFeatures'>(
  import.meta.url,
  './content/features',
  'verifyFeatures',
);
const VERIFY_PAGES = workIn<typeof import('./content/pages.ts'), 'verifyPages'>(
  import.meta.url,
  './content/pages',
  'verifyPages',
);

/** What to verify, and how. */
export interface VerifyOptions {
  /** The output folder. */
  out: string;
  /** The id of the release; without it, the current one. */
  release?: string | undefined;
  /** The dataset of the release, to compare every feature with. */
  source?: Omit<SourceOptions, 'levels'> | undefined;
  /** Number of child processes; 0 to work in this process. */
  workers: number;
}

/** The result of a verification. */
export interface Verification {
  /** Empty if there is no current release. */
  release: string;
  files: number;
  pages: number;
  /** Number of features, from the manifests. */
  features: number;
  /** Of all feature files and pages. */
  bytes: number;
  /** By path; empty for an intact release. */
  findings: Fault[];
}

/** Shards per child process, so that they end at about the same time. */
const SHARDS_PER_WORKER = 4;

/**
 * Verifies a release.
 * @throws BuildError if the release does not exist, or the source cannot be opened or lacks a layer
 */
export async function verify(options: VerifyOptions, report: Report): Promise<Verification> {
  const faults = newFaults();
  const release = options.release ?? currentRelease(options.out, faults);
  if (release === undefined) return { release: '', files: 0, pages: 0, features: 0, bytes: 0, findings: faults.list() };
  const metadata = readMetadata(options.out, release, faults);
  const files = verifyList(metadata);
  const pool = openPool(options.workers);
  try {
    const source = options.source ? verifySource(options.source, metadata, pool, report) : [];
    const levels = LEVELS.map((level) => verifyLevel(level, metadata, pool, report));
    const [verified, compared] = await Promise.all([Promise.all(levels), source, verifySums(metadata)]);
    for (const { path, problem } of [...verified, ...compared].flatMap((found) => found.faults))
      faults.add(path, problem);
    const sums = verified.map((level) => level.sums);
    verifyNamesAndOverview(metadata, sums);
    return {
      release,
      files,
      pages: verified.reduce((total, { pages }) => total + pages, 0),
      features: metadata.manifests.reduce((total, manifest) => total + (manifest?.features ?? 0), 0),
      bytes: verified.reduce((total, { bytes }) => total + bytes, 0),
      findings: faults.list(),
    };
  } finally {
    await pool.close();
    report.end();
  }
}

/** The result of a level. */
interface VerifiedLevel {
  pages: number;
  bytes: number;
  faults: Fault[];
  /** What its intact features say of names and shapes. */
  sums: readonly UnitSums[];
}

/** The feature files first: pages are compared with their members. */
async function verifyLevel(level: Level, metadata: Metadata, pool: Pool, report: Report): Promise<VerifiedLevel> {
  const manifest = metadata.manifests[level];
  if (manifest === undefined) return { pages: 0, bytes: 0, faults: [], sums: [] };
  const index = metadata.indexes[level];
  const featureFiles = Array.from({ length: index?.files ?? 0 }, (_, file) => featureFilePath(level, file));
  const pages = FORMATS.reduce((total, format) => total + manifest.pages[format].bytes.length, 0);
  report.expect('features verified', index?.features ?? 0);
  report.expect('pages verified', pages);
  const features = await Promise.all(
    shardsOf(level, numbered(featureFiles), featureFiles.length, metadata, pool).map(async (task) => {
      const result = await pool.run(VERIFY_FEATURES, { ...task, columns: nameColumnsOf(level, metadata) });
      report.advance('features verified', result.features);
      return result;
    }),
  );
  const sound = features.flatMap((result) => result.sound);
  const read = await Promise.all(
    shardsOf(level, pagesOf(manifest, 0, 1), pages, metadata, pool).map(async (task) => {
      const result = await pool.run(VERIFY_PAGES, { ...task, sound });
      report.advance('pages verified', result.pages);
      return result;
    }),
  );
  const all = [...features, ...read];
  return {
    pages: read.reduce((total, result) => total + result.pages, 0),
    bytes: all.reduce((total, { bytes }) => total + bytes, 0),
    faults: all.flatMap(({ faults }) => faults),
    sums: features.map(({ sums }) => sums),
  };
}

/** The columns of a level's names, if release.json is to be believed. */
function nameColumnsOf(level: Level, { description, isSealed }: Metadata): NameColumns {
  const summary = isSealed ? description?.levels[level] : undefined;
  return summary && { nameColumn: summary.nameColumn, typeColumn: summary.typeColumn };
}

function* numbered(paths: readonly string[]): Generator<{ path: string; number: number }> {
  for (const [number, path] of paths.entries()) yield { path, number };
}

/** Distributes files over shards by their number. */
function shardsOf(
  level: Level,
  files: Iterable<{ path: string; number: number }>,
  count: number,
  { out, id, checksums }: Metadata,
  pool: Pool,
): ShardTask[] {
  const shards = Math.min(Math.max(pool.size * SHARDS_PER_WORKER, 1), count);
  const sums = Array.from({ length: shards }, (): string[] => []);
  for (const { path, number } of files) sums[number % shards]?.push(checksums?.sums.get(path) ?? '');
  return sums.map((own, shard) => ({ out, release: id, level, shard, shards, checksums: own }));
}
