// Verification: whether every file of a release has the bytes that it was published with, and whether the release
// agrees with itself. Needs no GDAL.
import type { KeyObject } from 'node:crypto';
import { basename, join } from 'node:path';
import { CHANGES_PATH } from '../../format/changes.ts';
import { CURRENT_PATH, isReleaseId, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { pathsOf, plannedFiles } from '../plan/plan.ts';
import { SIGNATURE_FILES, signatureProblems } from '../release/sign.ts';
import { BuildError } from '../report/errors.ts';
import type { Report } from '../report/progress.ts';
import { openPool, type Pool, taskCount } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import { checkChanges } from './check-changes.ts';
import { currentRelease } from './current-release.ts';
import { type FileFinding, FOREIGN, listedFindings, SPECIAL } from './file-findings.ts';
import type { FilesResult } from './files.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import { specialFiles } from './special-files.ts';

/** What to verify, and how. */
export interface VerifyOptions {
  /** The output folder. */
  out: string;
  /** The id of the release; without it, the current one. */
  release?: string | undefined;
  /** Number of child processes; 0 to work in this process. */
  workers: number;
  /** Public Ed25519 keys, with one of which the release must be signed; without any it need not be. */
  trustedKeys?: readonly KeyObject[] | undefined;
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
  findings: FileFinding[];
}

/**
 * Verifies a release.
 * @throws BuildError if the release does not exist
 */
export async function verify({ workers, ...options }: VerifyOptions, report: Report): Promise<Verification> {
  const pool = openPool(workers);
  try {
    return await verifyIn(pool, options, report);
  } finally {
    await pool.close();
    report.end();
  }
}

/** The same in the tasks of a pool. */
async function verifyIn(
  pool: Pool,
  { out, release, trustedKeys = [] }: Omit<VerifyOptions, 'workers'>,
  report: Report,
): Promise<Verification> {
  const findings: FileFinding[] = [];
  const none = { files: 0, pages: 0, features: 0, bytes: 0 };
  findings.push(...specialFiles(out, CURRENT_PATH), ...specialFiles(out, CHANGES_PATH));
  const id = release ?? (findings.length > 0 ? undefined : currentRelease(out, findings));
  if (id !== undefined && isReleaseId(id)) findings.push(...specialFiles(out, releasePath(id)));
  // To read one of them may never end.
  if (id === undefined || findings.some(({ problem }) => problem === SPECIAL))
    return { release: id ?? '', ...none, findings: listedFindings(findings) };
  const metadata = await readMetadata(out, id, findings);
  for (const { path, problem } of signatureProblems(join(out, releasePath(id)), trustedKeys))
    metadata.found(path, problem);
  checkChanges(out, id, trustedKeys, findings);
  const indexes = metadata.levels.filter((index) => index !== undefined);
  const results = await Promise.all(indexes.flatMap((index) => filesVerified(index, metadata, pool, report)));
  for (const { path, problem } of results.flatMap((result) => result.findings)) metadata.found(path, problem);
  return {
    release: id,
    files: metadata.files,
    pages: results.reduce((total, { pages }) => total + pages, 0),
    features: indexes.reduce((total, { features }) => total + features, 0),
    bytes: results.reduce((total, { bytes }) => total + bytes, 0),
    findings: listedFindings(findings),
  };
}

/**
 * Verifies a release that is about to be signed: its signatures may be of another key or none, and other files beside
 * it are not signed.
 * @throws BuildError if a file is not what was published
 */
export async function requireIntact(out: string, release: string, pool: Pool, report: Report): Promise<void> {
  const { findings } = await verifyIn(pool, { out, release }, report);
  const [first] = findings.filter(
    ({ path, problem }) => !SIGNATURE_FILES.includes(basename(path)) && problem !== FOREIGN,
  );
  if (first === undefined) return;
  throw new BuildError(
    `${join(out, first.path)}: ${first.problem}`,
    `what is damaged is not signed: run verify --release ${release} to see all problems, and build the release again`,
  );
}

/** Verifies the feature files and pages of a level in tasks of some files each. */
function filesVerified(
  index: LevelIndex,
  { out, id, checksums }: Metadata,
  pool: Pool,
  report: Report,
): Promise<FilesResult & { pages: number }>[] {
  const { level, features, geometries } = index;
  const files = index.files * (1 + geometries.length);
  const planned = [...plannedFiles(index)];
  report.expect('features verified', features * (1 + geometries.length));
  report.expect('pages verified', planned.length - files);
  return [...rangesOf(0, files, pool), ...rangesOf(files, planned.length, pool)].map(async ([from, to]) => {
    const sums = planned.slice(from, to).map((file) => pathsOf(file).map((path) => checksums?.get(path)));
    const result = await pool.run<typeof import('./files.ts').verifyFiles>(TASKS.verifyFiles, {
      out,
      release: id,
      level,
      from,
      to,
      checksums: sums,
    });
    const pages = from < files ? 0 : to - from;
    if (pages > 0) report.advance('pages verified', pages);
    else report.advance('features verified', featuresBefore(index, to) - featuresBefore(index, from));
    return { ...result, pages };
  });
}

/** Number of features in the feature files before a number, of one geometry after the other. */
function featuresBefore({ files, features, perFile }: LevelIndex, file: number): number {
  return Math.floor(file / files) * features + (file % files) * perFile;
}

/** Divides the numbers `first` up to but not including `end` into ranges, one for each task. */
function rangesOf(first: number, end: number, pool: Pool): [from: number, to: number][] {
  const tasks = Math.min(taskCount(pool), end - first);
  const begin = (task: number): number => first + Math.floor((task * (end - first)) / tasks);
  return Array.from({ length: tasks }, (_, task) => [begin(task), begin(task + 1)]);
}
