// Builds one level: one task reads its layers into a feature store, then several tasks write its files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Level, levelName, type StoredPages } from '../../format/levels.ts';
import type { Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, type LevelSource, overviewLevelsOf } from '../source/level-source.ts';
import type { Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import type { Part, Share } from './divide-work.ts';
import type { ReadResult } from './store-level.ts';

const READ = workIn<typeof import('./store-level.ts'), 'readLevel'>(import.meta.url, './store-level', 'readLevel');
const WRITE = workIn<typeof import('./write-files.ts'), 'writeFiles'>(import.meta.url, './write-files', 'writeFiles');

/** What the tasks of a build share. */
export interface LevelContext {
  options: { precision: number; storedPages: StoredPages; keepFids?: boolean | undefined };
  staging: Staging;
  pool: Pool;
  report: Report;
  /** Which files to write. */
  share: Share;
}

/** A level after it is read. */
export interface ReadLevel {
  /** Undefined if the dataset lacks the level. */
  source: LevelSource | undefined;
  level: Level;
  /** Path of the level's store; undefined if the dataset lacks the level. */
  store: string | undefined;
  /** Undefined if the dataset lacks the level. */
  read: ReadResult | undefined;
  /** The parts in which its files, or a share of them, are to be written. */
  parts: readonly Part[];
}

/** A level after its files, or a share of them, are written. Of its store only index and plan remain. */
export interface WrittenLevel extends ReadLevel {
  /** The record files of all tasks. */
  records: readonly string[];
}

/** Maximum tasks of a level per child process: enough that all processes finish at about the same time. */
const TASKS_PER_WORKER = 4;

/** Reads a level into its store. */
export async function readLevel(
  level: Level,
  sources: readonly LevelSource[],
  { options, staging, pool, report, share }: LevelContext,
): Promise<ReadLevel> {
  const source = sources.find((candidate) => candidate.level === level);
  if (!source) return { level, source, store: undefined, read: undefined, parts: [] };
  const { precision, storedPages, keepFids = false } = options;
  const store = storePath(staging.work, level);
  report.expect('features read', featureCount(source));
  const { read, parts } = await pool.run(READ, {
    source,
    precision,
    keepFids,
    store,
    storedPages,
    isInOverview: overviewLevelsOf(sources).includes(level),
    share,
    parts: Math.max(1, pool.size * TASKS_PER_WORKER),
  });
  report.advance('features read', read.features);
  report.expect(
    'files written',
    parts.reduce((sum, { first, end }) => sum + end - first, 0),
  );
  return { level, source, store, read, parts };
}

/** Writes the parts of a level's files. */
export async function writeLevel(
  reading: ReadLevel,
  { options, staging, pool, report }: LevelContext,
): Promise<WrittenLevel> {
  const { level, store, parts } = reading;
  if (store === undefined) return { ...reading, records: [] };
  const { storedPages } = options;
  const records = await Promise.all(
    parts.map(async (part) => {
      const file = `${store}.records-${part.first}`;
      await pool.run(WRITE, {
        level,
        store,
        storedPages,
        out: staging.release,
        records: file,
        part,
      });
      report.advance('files written', part.end - part.first);
      return file;
    }),
  );
  rmSync(store);
  return { ...reading, records };
}

/** The path of a level's store in a work folder. */
export function storePath(work: string, level: Level): string {
  return join(work, levelName(level));
}
