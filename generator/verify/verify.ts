// Verification: derives everything that a release says anew from its feature files, compares, and reports every damaged file;
// given the dataset, also every feature that differs from GDAL's reading of it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKSUMS_FILE,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  RELEASE_FILE,
} from '../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../format/levels.ts';
import { overviewLevels } from '../../format/overview.ts';
import { plannedFiles } from '../levels/plan.ts';
import { sha256OfFile } from '../reader/read-page.ts';
import type { Report } from '../report/progress.ts';
import { openPool } from '../workers/pool.ts';
import { type Finding, Findings } from './findings.ts';
import { currentRelease, type Metadata, readMetadata } from './metadata.ts';
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

/** The files of each level that are read by themselves. */
const LEVEL_FILES = [manifestPath, indexPath, namesPath];

/**
 * Compares the folder, the levels and checksums.txt with one another. That the files exist is seen when they are read.
 * @returns number of files in the folder
 */
function verifyList(metadata: Metadata): number {
  const { root, checksums, found } = metadata;
  const expected = new Set(expectedFiles(metadata));
  let files = 0;
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue;
    files++;
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (!expected.has(path)) found(path, 'is not part of this release');
    else if (!entry.isFile()) found(path, 'is no plain file');
  }
  if (checksums === undefined) return files;
  for (const path of checksums.keys())
    if (!expected.has(path) || path === CHECKSUMS_FILE)
      found(CHECKSUMS_FILE, `lists ${path}, which is not part of this release`);
  for (const path of expected)
    if (!checksums.has(path) && path !== CHECKSUMS_FILE) found(CHECKSUMS_FILE, `has no line for ${path}`);
  return files;
}

/** Verifies by SHA-256 alone the files of levels whose manifest or index is damaged. */
function verifySums(metadata: Metadata): void {
  const { root, checksums, found, attempt } = metadata;
  for (const path of unindexedFiles(metadata))
    attempt(path, () => {
      const [got, expected] = [sha256OfFile(join(root, path)), checksums?.get(path)];
      if (got !== expected) found(path, `its SHA-256 is ${got}, expected ${expected}`);
    });
}

function* expectedFiles(metadata: Metadata): Generator<string> {
  yield* [CHECKSUMS_FILE, RELEASE_FILE, OVERVIEW_FILE];
  yield* LEVELS.flatMap((level) => LEVEL_FILES.map((pathOf) => pathOf(level)));
  for (const index of metadata.levels) {
    if (index === undefined) continue;
    for (const { path } of plannedFiles(index)) yield path;
  }
  yield* unindexedFiles(metadata);
}

/** The feature files and pages of levels without an index: only checksums.txt lists them. */
function* unindexedFiles({ levels, checksums }: Metadata): Generator<string> {
  const folders = LEVELS.filter((level) => levels[level] === undefined).map((level) => `${levelName(level)}/`);
  const own: readonly string[] = LEVELS.flatMap((level) => LEVEL_FILES.map((pathOf) => pathOf(level)));
  for (const path of checksums?.keys() ?? [])
    if (folders.some((folder) => path.startsWith(folder)) && !own.includes(path)) yield path;
}
