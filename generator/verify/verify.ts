// Verification: derives everything that a release says anew from its feature files, compares, and reports every damaged file;
// given the dataset, also every feature that differs from GDAL's reading of it.
import { LEVELS, type Level } from '../../format/levels.ts';
import { overviewLevels } from '../../format/overview.ts';
import type { Report } from '../report/progress.ts';
import { openPool } from '../workers/pool.ts';
import { verifyList, verifySums } from './file-list.ts';
import { type Finding, Findings } from './findings.ts';
import { currentRelease, readMetadata } from './metadata.ts';
import { namedUnits, verifyNames } from './names.ts';
import { verifyOverview } from './overview.ts';
import { type GivenSource, verifySource } from './source.ts';
import { type VerifiedLevel, verifyLevel } from './verify-level.ts';

/** What to verify, and how. */
export interface VerifyOptions {
  /** The output folder. */
  out: string;
  /** The id of the release; without it, the current one. */
  release?: string | undefined;
  /** The dataset of the release, to compare every feature with; its options are those that the release records. */
  source?: GivenSource | undefined;
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
  findings: Finding[];
}

const UNREADABLE: VerifiedLevel = { pages: 0, bytes: 0, units: [] };

/**
 * Verifies a release.
 * @throws BuildError if the release does not exist, or the source cannot be opened or lacks a layer
 */
export async function verify(options: VerifyOptions, report: Report): Promise<Verification> {
  const findings = new Findings();
  const release = options.release ?? currentRelease(options.out, findings);
  if (release === undefined)
    return { release: '', files: 0, pages: 0, features: 0, bytes: 0, findings: findings.list() };
  const metadata = readMetadata(options.out, release, findings);
  const files = verifyList(metadata);
  const pool = openPool(options.workers);
  try {
    const source = options.source ? verifySource(options.source, metadata, pool, report) : [];
    const featuresOf = (level: Level): number =>
      metadata.levels[level]?.features ?? metadata.description?.levels[level]?.features ?? 0;
    const overview = overviewLevels(LEVELS.map((level) => ({ level, features: featuresOf(level) })));
    const levels = metadata.levels.map((index) =>
      index ? verifyLevel(index, overview, metadata, pool, report) : UNREADABLE,
    );
    const [verified, compared] = await Promise.all([Promise.all(levels), source]);
    for (const { path, problem } of compared.flatMap((level) => level.findings)) findings.add(path, problem);
    verifySums(metadata);
    const units = LEVELS.map((level) => namedUnits(level, metadata.levels, verified[level]?.units ?? []));
    for (const level of LEVELS) verifyNames(level, units[level], metadata);
    verifyOverview(overview, units, metadata);
    return {
      release,
      files,
      pages: verified.reduce((total, { pages }) => total + pages, 0),
      features: metadata.levels.reduce((total, index) => total + (index?.features ?? 0), 0),
      bytes: verified.reduce((total, { bytes }) => total + bytes, 0),
      findings: findings.list(),
    };
  } finally {
    await pool.close();
    report.end();
  }
}
