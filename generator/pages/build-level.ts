// Builds one level: one task reads its layers into a feature store, then several tasks write its files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES_PER_FILE, type Level, levelName, type StoredPages } from '../../format/levels.ts';
import type { Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import { featureCount, type LevelSource } from '../source/level-source.ts';
import type { Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import type { ReadResult } from './read-level.ts';

const READ = workIn<typeof import('./read-level.ts'), 'readLevel'>(import.meta.url, './read-level', 'readLevel');
const WRITE = workIn<typeof import('./write-shard.ts'), 'writeShard'>(import.meta.url, './write-shard', 'writeShard');

/** Which part of a level's files to write: the feature files whose number is `shard` modulo `shards`, and their pages. */
export interface Share {
  shard: number;
  shards: number;
}

/** All files of a level. */
export const WHOLE: Share = { shard: 0, shards: 1 };

/** What the tasks of a build share. */
export interface LevelContext {
  options: { precision: number; storedPages: StoredPages; keepFids?: boolean | undefined };
  staging: Staging;
  pool: Pool;
  report: Report;
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
}

/** A level after its files, or a share of them, are written. Of its store only the index remains. */
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
  { options, staging, pool, report }: LevelContext,
): Promise<ReadLevel> {
  const source = sources.find((candidate) => candidate.level === level);
  if (!source) return { level, source, store: undefined, read: undefined };
  const { precision, storedPages, keepFids = false } = options;
  const store = storePath(staging.work, level);
  report.expect('features read', featureCount(source));
  const read = await pool.run(READ, { source, precision, keepFids, store, storedPages });
  report.advance('features read', read.features);
  return { level, source, store, read };
}

/** Writes a share of a level's files. */
export async function writeLevel(
  reading: ReadLevel,
  { options, staging, pool, report }: LevelContext,
  share: Share,
): Promise<WrittenLevel> {
  const { level, store, read } = reading;
  if (store === undefined || read === undefined) return { ...reading, records: [] };
  const { storedPages } = options;
  const featureFiles = Math.ceil(read.features / FEATURES_PER_FILE[level]);
  report.expect('files written', Math.round((read.pages + featureFiles) / share.shards));
  const records = await Promise.all(
    sharesOf(share, featureFiles, pool.size).map(async (part) => {
      const file = `${store}.records-${part.shard}`;
      const written = await pool.run(WRITE, {
        level,
        store,
        storedPages,
        out: staging.release,
        records: file,
        ...part,
      });
      report.advance('files written', written.files);
      return file;
    }),
  );
  rmSync(store);
  return { ...reading, records };
}

/** Splits a share into one for each task, of at least one feature file. */
function sharesOf({ shard, shards }: Share, files: number, workers: number): Share[] {
  const tasks = Math.max(1, Math.min(Math.ceil(files / shards), workers * TASKS_PER_WORKER));
  // Every number that is i + n * j modulo n * k is i modulo n.
  return Array.from({ length: tasks }, (_, j) => ({ shard: shard + shards * j, shards: shards * tasks }));
}

/** The path of a level's store in a work folder. */
export function storePath(work: string, level: Level): string {
  return join(work, levelName(level));
}
