// A build on several machines: each job of a job array writes one shard to shared storage, then `seal` publishes the
// release. Shards do not communicate; `seal` refuses shards of different builds.
import type { KeyObject } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { CHECKSUMS_FILE } from '../../format/layout.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import type { Release } from '../../format/release-json.ts';
import {
  aboutRelease,
  type BuildOptions,
  describe,
  publish,
  readDataset,
  refuseFindings,
  requireSpace,
  withPool,
} from '../build.ts';
import { readChecksums } from '../files/checksums.ts';
import { syncFiles, syncTree } from '../files/fsync.ts';
import type { Share } from '../plan/divide-work.ts';
import { releaseContents } from '../plan/plan.ts';
import { withLock } from '../release/output-lock.ts';
import { removeFolder, sealedStaging, shardsPath } from '../release/staging.ts';
import { type Report, SILENT } from '../report/progress.ts';
import { LevelStore } from '../store/level-store.ts';
import { defaultMemory, memoryForTasks } from '../workers/memory.ts';
import { openPool } from '../workers/pool.ts';
import { writeRelease } from '../write/build-levels.ts';
import { makeTiles, tileTasks } from '../write/build-tiles.ts';
import { SlowUnits } from '../write/slow-units.ts';
import {
  DONE_FILE,
  type DoneLevel,
  type DoneShard,
  finishedShards,
  foldersOfShard,
  shardFolder,
  unfinishedShardFolder,
} from './shard-folders.ts';

/**
 * Builds one shard of a release: reads the dataset and writes the shard's files; publishes nothing. A shard that failed
 * or was lost can be run again.
 * @throws BuildError as `build` does
 */
export async function buildShard(options: BuildOptions, share: Share, report: Report): Promise<void> {
  return withPool(options, report, async (pool) => {
    const described = await describe(options, pool, report);
    await requireSpace(options, described, share.shards);
    const root = shardsPath(options.out, options.release);
    const fresh = join(root, unfinishedShardFolder(share));
    const staging = { root, release: join(root, 'release'), work: fresh };
    mkdirSync(staging.release, { recursive: true });
    for (const earlier of foldersOfShard(root, share)) removeFolder(join(root, earlier));
    mkdirSync(fresh);
    const context = { contents: releaseContents(options), staging, pool, report, share, slow: new SlowUnits(report) };
    // Other shards write in the same folder: nothing is put there of a source that is refused.
    let accept = (): void => {};
    const isAccepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const dataset = await readDataset(described, options, context, isAccepted);
    const about = aboutRelease(options, dataset, await refuseFindings(options, dataset, pool), report);
    accept();
    const tiles = makeTiles(dataset.stored, dataset.works, context, options.tileLanguages ?? []);
    const levels = await Promise.all(
      dataset.stored.map(async (stored): Promise<DoneLevel> => {
        const { level, store, features } = stored;
        const [records] = await Promise.all([elementAt(dataset.works, level).written, tiles]);
        const index = new LevelStore(store).digest(context.contents.geometries);
        return { level, about: stored.about, features, index, records: records.map((file) => basename(file)) };
      }),
    );
    for (const { store } of dataset.stored) new LevelStore(store).removeRings();
    writeFileSync(join(fresh, DONE_FILE), JSON.stringify({ share, about, levels } satisfies DoneShard));
    // Not all of the root: the folders of other shards are renamed when these have finished.
    for (const own of [staging.release, fresh]) await syncTree(own);
    await syncFiles([root]);
    renameSync(fresh, join(root, shardFolder(share)));
  });
}

/** How to seal a release. */
export interface SealOptions {
  /** Number of child processes; 0 to work in this process. */
  workers?: number;
  /** A private Ed25519 key, to sign it with. */
  signKey?: KeyObject | undefined;
  /** When it is signed, as `writeSignatures` takes it. */
  signTime?: string | undefined;
  /** Receives the progress of its verification before it is signed. */
  report?: Report;
}

/**
 * Publishes a release from its shards.
 * @param activates whether it becomes the current release
 * @throws BuildError if a shard is missing, or was built from another source or with other options
 */
export async function seal(
  out: string,
  release: string,
  activates: boolean,
  { workers = 0, signKey, signTime, report = SILENT }: SealOptions = {},
): Promise<Release> {
  const root = shardsPath(out, release);
  const pool = openPool(workers, 0, memoryForTasks(defaultMemory(), workers));
  return withLock(out, async (lock) => {
    try {
      const staging = sealedStaging({ root, release: join(root, 'release'), work: root }, out, release);
      const shards = finishedShards(root, release);
      const { about } = elementAt(shards, 0);
      const levels = LEVELS.map((level) => joinLevel(level, root, shards));
      const folders = shards.map(({ share }) => join(root, shardFolder(share)));
      const folderOf = (number: number): string => elementAt(folders, number % folders.length);
      const tilesOf = (level: Level) =>
        tileTasks(levels, level, about.tiles, about.options['tile-languages'] ?? [], folderOf);
      const sealed = await writeRelease(
        about,
        levels,
        ({ records }) => records,
        { staging, pool, report },
        tilesOf,
        true,
      );
      removeStrays(staging.release);
      await publish({ out, release, activate: activates, signKey, signTime }, staging, lock, pool, report);
      return sealed;
    } finally {
      await pool.close();
      report.end();
    }
  });
}

/** Removes files of earlier runs of the shards, with other options or from another source. */
function removeStrays(release: string): void {
  const { sums } = readChecksums(release);
  for (const entry of readdirSync(release, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(release, file).replaceAll('\\', '/');
    if (entry.isFile() && path !== CHECKSUMS_FILE && !sums.has(path)) rmSync(file);
  }
}

/** A level with the record files of all shards. Its store is that of the first one. */
function joinLevel(level: number, root: string, shards: readonly DoneShard[]) {
  const folders = shards.map(({ share }) => join(root, shardFolder(share)));
  const done = shards.map(({ levels }) => elementAt(levels, level));
  const records = done.flatMap((own, i) => own.records.map((name) => join(elementAt(folders, i), name)));
  const first = elementAt(done, 0);
  return { ...first, store: LevelStore.in(elementAt(folders, 0), first.level).path, records };
}
