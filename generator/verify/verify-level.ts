// Verifies the feature files and pages of a level in child processes, and decides which of several files is damaged.
import { elementAt } from '../../format/element-at.ts';
import { CHECKSUMS_FILE, indexPath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Level } from '../../format/levels.ts';
import { plannedFiles } from '../levels/plan.ts';
import type { FileReading } from '../reader/read-page.ts';
import type { Report } from '../report/progress.ts';
import type { Pool } from '../workers/pool.ts';
import { TASKS } from '../workers/tasks.ts';
import type { RangeTask, Unit, verifyFeatures } from './features.ts';
import type { Metadata } from './metadata.ts';
import type { verifyPages } from './pages.ts';

/** Tasks per child process, so that they end at about the same time. */
const TASKS_PER_WORKER = 4;

/** A verified level. */
export interface VerifiedLevel {
  pages: number;
  /** Of its feature files and pages. */
  bytes: number;
  /** What its features say, by position; undefined for damaged ones. */
  units: readonly (Unit | undefined)[];
}

/** The feature files first: pages are compared with their features. @param overview the levels in the overview */
export async function verifyLevel(
  index: LevelIndex,
  overview: readonly Level[],
  metadata: Metadata,
  pool: Pool,
  report: Report,
): Promise<VerifiedLevel> {
  const { level, files } = index;
  const columns = metadata.isSealed ? metadata.description?.levels[level] : undefined;
  const paths = Array.from(plannedFiles(index), ({ path }) => path);
  const pageCount = paths.length - files;
  const isInOverview = overview.includes(level);
  report.expect('features verified', index.features);
  report.expect('pages verified', pageCount);
  const features = await Promise.all(
    rangesOf(level, 0, files, metadata, pool).map(async (task) => {
      const result = await pool.run<typeof verifyFeatures>(TASKS.verifyFeatures, { ...task, columns, isInOverview });
      report.advance('features verified', result.units.length);
      return result;
    }),
  );
  const intact = Buffer.concat(features.map((result) => result.intact));
  const pages = await Promise.all(
    rangesOf(level, files, paths.length, metadata, pool).map(async (task) => {
      const result = await pool.run<typeof verifyPages>(TASKS.verifyPages, { ...task, intact });
      report.advance('pages verified', result.length);
      return result;
    }),
  );
  const readings = [...features.flatMap((result) => result.files), ...pages.flat()];
  for (const [i, path] of paths.entries()) judge(path, elementAt(readings, i), indexPath(level), metadata);
  return {
    pages: pageCount,
    bytes: readings.reduce((total, { bytes }) => total + bytes, 0),
    units: features.flatMap((result) => result.units),
  };
}

/** Divides the planned files `first` up to but not including `end` into tasks. */
function rangesOf(level: Level, first: number, end: number, { out, id }: Metadata, pool: Pool): RangeTask[] {
  const tasks = Math.min(Math.max(pool.size * TASKS_PER_WORKER, 1), end - first);
  const begin = (task: number): number => first + Math.floor((task * (end - first)) / tasks);
  return Array.from({ length: tasks }, (_, i) => ({ out, release: id, level, from: begin(i), to: begin(i + 1) }));
}

/** Of a file, the index and checksums.txt, the one that differs from the other two is damaged. */
function judge(path: string, reading: FileReading, index: string, { checksums, found }: Metadata): void {
  const { sha256, problems, differences } = reading;
  for (const problem of problems) found(path, problem);
  const listed = checksums?.get(path);
  if (differences.length > 0)
    for (const difference of differences)
      if (listed === sha256) found(index, `${path}: ${difference}`);
      else found(path, difference);
  else if (listed !== undefined && listed !== sha256 && problems.length === 0)
    found(CHECKSUMS_FILE, `has ${listed} for ${path}, which is ${sha256}`);
}
