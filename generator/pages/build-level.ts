// Builds one level: one task reads its layer into a feature store, then several tasks write its files.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES_PER_FILE, type Level, levelName, type StoredPages } from '../../format/levels.ts';
import type { Staging } from '../release/staging.ts';
import type { Report } from '../report/progress.ts';
import type { LevelLayer } from '../source/dataset.ts';
import type { Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import type { Acceptable } from './plan.ts';
import type { ReadResult } from './read-features.ts';

const READ = workIn<typeof import('./read-features.ts'), 'readLevel'>(import.meta.url, './read-features', 'readLevel');
const WRITE = workIn<typeof import('./write-shard.ts'), 'writeShard'>(import.meta.url, './write-shard', 'writeShard');

/** Which part of a level's files to write: the feature files whose number is `shard` modulo `shards`, and their pages. */
export interface Share {
  shard: number;
  shards: number;
}

/** All files of a level. */
export const WHOLE: Share = { shard: 0, shards: 1 };

/** A level after its files, or a share of them, are written. */
export interface WrittenLevel {
  level: Level;
  /** The source layer; empty if the dataset lacks the level. */
  layer: string;
  /** Path of the level's store, of which only the index remains; undefined if the dataset lacks the level. */
  store: string | undefined;
  /** The record files of all tasks. */
  records: readonly string[];
  /** The result of reading it; undefined if the dataset lacks the level. */
  read: ReadResult | undefined;
}

/** Maximum tasks of a level per child process: enough that all processes finish at about the same time. */
const TASKS_PER_WORKER = 4;

/** Reads a level and writes a share of its files. */
export async function writeLevel(
  level: Level,
  found: readonly LevelLayer[],
  options: { precision: number; accept: readonly Acceptable[]; storedPages: StoredPages },
  staging: Staging,
  pool: Pool,
  share: Share,
  report: Report,
): Promise<WrittenLevel> {
  const layer = found.find((candidate) => candidate.level === level);
  if (!layer) return { level, layer: '', store: undefined, records: [], read: undefined };
  const { precision, accept, storedPages } = options;
  const store = storePath(staging.work, level);
  report.expect('features read', layer.features);
  const read = await pool.run(READ, { found: layer, precision, store, accept, storedPages });
  report.advance('features read', read.features);
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
  return { level, layer: layer.layer, store, records, read };
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
