// Verification: re-reads a release from end to end and names every file that is not as it was written and, given the
// dataset, every page that does not say what GDAL reads there.
import { FORMATS, LEVELS, type Level } from '../format/levels.ts';
import type { Manifest } from '../format/manifest.ts';
import { type Fault, newFaults } from './faults.ts';
import { openPool, type Pool } from './pool.ts';
import type { Report } from './report.ts';
import { verifyList, verifySums } from './verify-list.ts';
import { currentRelease, type Metadata, readMetadata } from './verify-metadata.ts';
import { type FeatureSums, pagesOf, type VerifyResult } from './verify-pages.ts';
import { verifySource } from './verify-source.ts';

/** What to verify, and how. */
export interface VerifyOptions {
  /** The output folder. */
  out: string;
  /** The id of the release; without it, the current one. */
  release?: string | undefined;
  /** The files or folders that the release was built from, to compare every feature with. */
  source?: readonly string[] | undefined;
  /** Child processes. */
  workers: number;
}

/** What was verified and what was found. */
export interface Verification {
  /** Empty where current.json does not tell. */
  release: string;
  files: number;
  pages: number;
  /** As the manifests count them. */
  features: number;
  /** Of all page files. */
  bytes: number;
  /** By path; none where all is well. */
  faults: Fault[];
}

/** Shards per child process, so that they end at about the same time. */
const SHARDS_PER_WORKER = 4;

/**
 * Verifies a release.
 * @throws BuildError where there is no such release, or the source cannot be opened or is of another kind
 */
export async function verify(options: VerifyOptions, report: Report): Promise<Verification> {
  const faults = newFaults();
  const release = options.release ?? currentRelease(options.out, faults);
  if (release === undefined) return { release: '', files: 0, pages: 0, features: 0, bytes: 0, faults: faults.list() };
  const metadata = readMetadata(options.out, release, LEVELS, faults);
  const files = verifyList(metadata);
  const pool = openPool(options.workers);
  try {
    const source = options.source ? verifySource(options.source, metadata, pool, report) : [];
    const levels = LEVELS.map((level) => verifyLevel(level, metadata, pool, report));
    const [results, compared] = await Promise.all([Promise.all(levels), source, verifySums(metadata)]);
    const all = [...results.flat(), ...compared];
    for (const { path, problem } of all.flatMap((result) => result.faults)) faults.add(path, problem);
    const sum = (count: (result: VerifyResult) => number): number =>
      results.flat().reduce((total, result) => total + count(result), 0);
    return {
      release,
      files,
      pages: sum(({ pages }) => pages),
      features: metadata.manifests.reduce((total, manifest) => total + (manifest?.features ?? 0), 0),
      bytes: sum(({ bytes }) => bytes),
      faults: faults.list(),
    };
  } finally {
    await pool.close();
    report.end();
  }
}

/** The unfiltered geojsonl pages first: what they hold, all other pages must hold too. */
async function verifyLevel(level: Level, metadata: Metadata, pool: Pool, report: Report): Promise<VerifyResult[]> {
  const manifest = metadata.manifests[level];
  if (manifest === undefined) return [];
  report.expect(
    'pages verified',
    FORMATS.reduce((total, format) => total + manifest.pages[format].bytes.length, 0),
  );
  const first = await verifyShards(manifest, undefined, metadata, pool, report);
  const sums = new Uint32Array(manifest.features * 2);
  for (const result of first) for (const [i, value] of result.sums.entries()) if (value !== 0) sums[i] = value;
  return [...first, ...(await verifyShards(manifest, sums, metadata, pool, report))];
}

function verifyShards(
  manifest: Manifest,
  sums: FeatureSums | undefined,
  { out, id, checksums }: Metadata,
  pool: Pool,
  report: Report,
): Promise<VerifyResult[]> {
  const most = Math.max(pool.size * SHARDS_PER_WORKER, 1);
  const pages = [...pagesOf(manifest, sums === undefined, 0, 1)];
  const shards = Math.min(most, pages.length);
  return Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const own = pages.filter(({ number }) => number % shards === shard);
      const task = {
        out,
        release: id,
        level: manifest.level,
        shard,
        shards,
        checksums: own.map(({ path }) => checksums?.sums.get(path) ?? ''),
      };
      const result = await pool.run('verify', sums === undefined ? task : { ...task, sums });
      report.advance('pages verified', result.pages);
      return result;
    }),
  );
}
