// One level of a build: its layer is read into a store, its pages are planned and then written, shard by shard.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Level, levelName } from '../format/levels.ts';
import type { LevelLayer } from './dataset.ts';
import { type Acceptable, planEmptyLevel, planLevel } from './plan.ts';
import type { Pool } from './pool.ts';
import type { Staging } from './publish.ts';
import type { ReadResult } from './read.ts';
import type { Report } from './report.ts';
import type { WrittenLevel } from './seal.ts';
import { readStoreIndex } from './store.ts';

/** Which part of a level's pages to write: those whose index is `shard` modulo `shards`. */
export interface Share {
  shard: number;
  shards: number;
}

/** All of them. */
export const WHOLE: Share = { shard: 0, shards: 1 };

/** A level whose pages are written, and what reading it told; undefined where the dataset lacks it. */
export interface BuiltLevel extends WrittenLevel {
  read: ReadResult | undefined;
}

/** Tasks per child process, so that all end at about the same time. */
const TASKS_PER_WORKER = 2;

/** Reads a level and writes its share of pages; the index of the store stays in the work folder. */
export async function buildLevel(
  level: Level,
  found: readonly LevelLayer[],
  options: { precision: number; accept: readonly Acceptable[] },
  staging: Staging,
  pool: Pool,
  share: Share,
  report: Report,
): Promise<BuiltLevel> {
  const layer = found.find((candidate) => candidate.level === level);
  if (!layer) return { plan: planEmptyLevel(level), layer: '', records: [], read: undefined };
  const { precision, accept } = options;
  const store = storePath(staging.work, level);
  report.expect('features read', layer.features);
  const read = await pool.run('read', { found: layer, precision, store, accept });
  report.advance('features read', read.features);
  const plan = planLevel(level, readStoreIndex(store), accept);
  report.expect('pages written', Math.round((plan.pages.geojsonl + plan.pages.fc) / share.shards));
  const tasks = Math.max(pool.size * TASKS_PER_WORKER, 1);
  const records = await Promise.all(
    Array.from({ length: tasks }, async (_, i) => {
      // Shard i of n, cut into k: every index that is i + n * j modulo n * k is also i modulo n.
      const part = { shard: share.shard + share.shards * i, shards: share.shards * tasks };
      const file = `${store}.pages-${part.shard}.json`;
      const written = await pool.run('write', { level, store, out: staging.release, records: file, ...part, accept });
      report.advance('pages written', written.pages);
      return file;
    }),
  );
  rmSync(store);
  return { plan, layer: layer.layer, records, read };
}

/** Where a level's store is, in a work folder. */
export function storePath(work: string, level: Level): string {
  return join(work, levelName(level));
}
