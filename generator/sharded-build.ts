// A build on several machines: each job of a job array writes one shard to shared storage, then `seal` publishes the
// release. Shards do not communicate; `seal` refuses shards of different builds.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { elementAt } from '../format/element-at.ts';
import {
  CHECKSUMS_FILE,
  indexPath,
  isReleaseId,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  RELEASE_FILE,
  RELEASE_ID_RULE,
} from '../format/layout.ts';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import type { LevelAbout, Release } from '../format/release.ts';
import {
  aboutLevel,
  aboutRelease,
  type BuildOptions,
  finalize,
  remarkNoCredit,
  SPLIT_FOLDER,
  writeOverviewFile,
} from './build.ts';
import { describeSource, splitIntoLevels } from './describe-source.ts';
import { readLevel, storePath, type WrittenLevel, writeLevel } from './levels/build-level.ts';
import type { Share } from './levels/divide-work.ts';
import { sealRelease } from './levels/finalize.ts';
import { syncFiles, syncTree } from './release/fsync.ts';
import { type Lock, takeLock } from './release/output-lock.ts';
import { activate, removeFolder, settle, shardsPath } from './release/staging.ts';
import { BuildError, toBuildError } from './report/errors.ts';
import type { Report } from './report/progress.ts';
import {
  DONE_FILE,
  type DoneLevel,
  type DoneShard,
  finishedShards,
  foldersOfShard,
  shardFolder,
  unfinishedShardFolder,
} from './shard-folders.ts';
import { readStoreIndex } from './store/feature-store.ts';
import { indexDigest } from './store/store-index.ts';
import { openPool } from './workers/pool.ts';

/**
 * Builds one shard of a release: reads the dataset and writes the shard's files; publishes nothing. A shard that failed
 * or was lost can be run again.
 * @throws BuildError as `build` does
 */
export async function buildShard(options: BuildOptions, share: Share, report: Report): Promise<void> {
  if (!isReleaseId(options.release))
    throw new BuildError(`--release ${options.release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  const root = shardsPath(options.out, options.release);
  const fresh = join(root, unfinishedShardFolder(share));
  const staging = { root, release: join(root, 'release'), work: fresh };
  const pool = openPool(options.workers, LEVELS.length);
  try {
    const described = await describeSource(options, pool);
    mkdirSync(staging.release, { recursive: true });
    for (const earlier of foldersOfShard(root, share)) removeFolder(join(root, earlier));
    mkdirSync(fresh);
    const context = { options, staging, pool, report, share };
    const dataset = await splitIntoLevels(described, options, join(fresh, SPLIT_FOLDER), context);
    const reading = LEVELS.map((level) => readLevel(level, dataset.levels, context));
    const building = reading.map(async (read) => writeLevel(await read, context));
    const [about, levels] = await Promise.all([aboutRelease(options, dataset, reading, pool), Promise.all(building)]);
    remarkNoCredit(about, report);
    const done: DoneShard = { share, about, levels: levels.map(doneLevel) };
    writeFileSync(join(fresh, DONE_FILE), JSON.stringify(done));
    // Not all of the root: the folders of other shards are renamed when these have finished.
    for (const own of [staging.release, fresh]) await syncTree(own);
    await syncFiles([root]);
    renameSync(fresh, join(root, shardFolder(share)));
  } catch (error) {
    throw toBuildError(error, options.out);
  } finally {
    await pool.close();
    report.end();
  }
}

/**
 * Publishes a release from its shards.
 * @param activates whether it becomes the current release
 * @throws BuildError if a shard is missing, or was built from another source or with other options
 */
export async function seal(out: string, release: string, activates: boolean): Promise<Release> {
  const root = shardsPath(out, release);
  const pool = openPool(0);
  let lock: Lock | undefined;
  try {
    lock = takeLock(out);
    const shards = finishedShards(root, release);
    const { about } = elementAt(shards, 0);
    const levels = LEVELS.map((level) => joinLevel(level, root, shards));
    const staging = { root, release: join(root, 'release'), work: root };
    // An interrupted seal may have left some of these files.
    for (const path of [
      ...LEVELS.flatMap((level) => [manifestPath(level), indexPath(level), namesPath(level)]),
      OVERVIEW_FILE,
      RELEASE_FILE,
      CHECKSUMS_FILE,
    ])
      rmSync(join(staging.release, path), { force: true });
    const context = { options: about, staging, pool };
    const [overview, finalized] = await Promise.all([
      writeOverviewFile(levels, context),
      Promise.all(levels.map((level) => finalize(level, levels, context))),
    ]);
    for (const { summary, checksums } of finalized) removeStrays(staging.release, summary.level, checksums);
    const sealed = sealRelease(staging.release, about, finalized, overview);
    lock.assertHeld();
    await settle(staging, out, release);
    if (activates) await activate(out, release);
    return sealed;
  } catch (error) {
    throw toBuildError(error, out);
  } finally {
    await pool.close();
    lock?.release();
  }
}

/** Removes files of earlier runs of the shards, with other options or from another source. */
function removeStrays(release: string, level: Level, checksums: string): void {
  const lines = readFileSync(checksums, 'latin1').split('\n');
  const paths = new Set(lines.map((line) => line.slice(line.indexOf('  ') + 2)));
  for (const entry of readdirSync(join(release, levelName(level)), { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !paths.has(relative(release, file).replaceAll('\\', '/'))) rmSync(file);
  }
}

function doneLevel(written: WrittenLevel): DoneLevel {
  const { level, read, store, records } = written;
  const index = store === undefined ? '' : indexDigest(readStoreIndex(store));
  return { level, about: aboutLevel(written), read, index, records: records.map((file) => basename(file)) };
}

/** A level with the record files of all shards. */
function joinLevel(
  level: Level,
  root: string,
  shards: readonly DoneShard[],
): Pick<WrittenLevel, 'level' | 'store' | 'records'> & { about: LevelAbout; features: number } {
  const parts = shards.map((shard) => ({
    folder: join(root, shardFolder(shard.share)),
    done: shard.levels.find((done) => done.level === level),
  }));
  const [first] = parts;
  if (!first?.done)
    throw new BuildError(`${root}: the shards lack level ${level}`, 'remove that folder and build all shards again');
  const { about, read } = first.done;
  if (read === undefined) return { level, about, features: 0, store: undefined, records: [] };
  const records = parts.flatMap(({ folder, done }) => done?.records.map((name) => join(folder, name)) ?? []);
  return { level, about, features: read.features, store: storePath(first.folder, level), records };
}
