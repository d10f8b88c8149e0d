// A build on several machines: each job of a job array writes one shard to shared storage, then `seal` publishes the
// release. Shards do not communicate; `seal` refuses shards of different builds.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import {
  CHECKSUMS_FILE,
  indexPath,
  isReleaseId,
  manifestPath,
  RELEASE_FILE,
  RELEASE_ID_RULE,
} from '../format/layout.ts';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { aboutLevel, aboutRelease, type BuildOptions, finalize, SPLIT_FOLDER } from './build.ts';
import { describeSource, splitIntoLevels } from './describe-source.ts';
import { readLevel, storePath, type WrittenLevel, writeLevel } from './pages/build-level.ts';
import type { Share } from './pages/divide-work.ts';
import { type LevelAbout, sealRelease } from './pages/finalize.ts';
import type { ReadResult } from './pages/read-level.ts';
import type { Acceptable } from './quality/kinds.ts';
import { sha256Of } from './release/checksums.ts';
import { syncTree } from './release/fsync.ts';
import { type Lock, takeLock } from './release/output-lock.ts';
import { activate, removeFolder, settle, shardsPath } from './release/staging.ts';
import { BuildError, explained } from './report/errors.ts';
import type { Report } from './report/progress.ts';
import { storeIndexPath } from './store/feature-store.ts';
import { openPool } from './workers/pool.ts';

/** The result of a shard, for `seal`: done.json in its folder, written last. */
interface DoneShard {
  share: Share;
  about: Omit<Release, 'levels'>;
  accept: readonly Acceptable[];
  levels: readonly DoneLevel[];
}

interface DoneLevel {
  level: Level;
  about: LevelAbout;
  read: ReadResult | undefined;
  /** SHA-256 of the store's index, equal in all shards of the same source; empty for a level without a layer. */
  index: string;
  /** Names of the record files in the shard's folder. */
  records: readonly string[];
}

const DONE_FILE = 'done.json';

/**
 * Builds one shard of a release: reads the dataset and writes the shard's files; publishes nothing. A shard that failed
 * or was lost can be run again.
 * @throws BuildError as `build` does
 */
export async function buildShard(options: BuildOptions, share: Share, report: Report): Promise<void> {
  if (!isReleaseId(options.release))
    throw new BuildError(`--release ${options.release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  const root = shardsPath(options.out, options.release);
  const name = `shard-${share.shard}-of-${share.shards}`;
  const work = join(root, name);
  // A new name, like that of every staging folder: child processes of a killed run may write in theirs until they end.
  const fresh = `${work}.${randomUUID()}.running`;
  const staging = { root, release: join(root, 'release'), work: fresh };
  const pool = openPool(options.workers, LEVELS.length);
  try {
    const described = await describeSource(options, pool);
    for (const folder of [staging.release, fresh]) mkdirSync(folder, { recursive: true });
    const isEarlier = (entry: string): boolean =>
      entry === name || (entry.startsWith(`${name}.`) && entry !== basename(fresh));
    for (const earlier of readdirSync(root).filter(isEarlier)) removeFolder(join(root, earlier));
    const context = { options, staging, pool, report, share };
    const dataset = await splitIntoLevels(described, options, join(fresh, SPLIT_FOLDER), context);
    const reading = LEVELS.map((level) => readLevel(level, dataset.levels, context));
    const building = reading.map(async (read) => writeLevel(await read, context));
    const [about, levels] = await Promise.all([aboutRelease(options, dataset, reading, pool), Promise.all(building)]);
    const done: DoneShard = {
      share,
      about,
      accept: options.accept,
      levels: levels.map(doneLevel),
    };
    writeFileSync(join(fresh, DONE_FILE), JSON.stringify(done));
    await syncTree(root);
    renameSync(fresh, work);
  } catch (error) {
    throw explained(error, options.out);
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
    const shards = doneShards(root, release);
    const [first] = shards;
    if (!first)
      throw new BuildError(
        `${root}: no shard is finished`,
        `run build --shard 0/N --release ${release} ... for each of N shards`,
      );
    const levels = LEVELS.map((level) => joinLevel(level, root, shards));
    const staging = { root, release: join(root, 'release'), work: root };
    // An interrupted seal may have left some of these files.
    for (const path of [
      ...LEVELS.flatMap((level) => [manifestPath(level), indexPath(level)]),
      RELEASE_FILE,
      CHECKSUMS_FILE,
    ])
      rmSync(join(staging.release, path), { force: true });
    const finalized = await Promise.all(
      levels.map((level) => finalize(level, { options: first.about, staging, pool })),
    );
    for (const { summary, checksums } of finalized) removeStrays(staging.release, summary.level, checksums);
    const sealed = sealRelease(staging.release, first.about, finalized);
    lock.assertHeld();
    await settle(staging, out, release);
    if (activates) await activate(out, release);
    return sealed;
  } catch (error) {
    throw explained(error, out);
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
  const index = store === undefined ? '' : sha256Of(readFileSync(storeIndexPath(store)));
  return { level, about: aboutLevel(written), read, index, records: records.map((file) => basename(file)) };
}

/** Every finished shard, in order. @throws BuildError if they are not all shards of one build */
function doneShards(root: string, release: string): DoneShard[] {
  const folders = existsSync(root) ? readdirSync(root).filter((name) => /^shard-\d+-of-\d+$/.test(name)) : [];
  const shards = folders.map((name): DoneShard => JSON.parse(readFileSync(join(root, name, DONE_FILE), 'utf8')));
  shards.sort((a, b) => a.share.shard - b.share.shard);
  const [first] = shards;
  for (const shard of shards) {
    if (JSON.stringify(identityOf(shard)) === JSON.stringify(first && identityOf(first))) continue;
    throw new BuildError(
      `${root}: shards ${first?.share.shard}/${first?.share.shards} and ${shard.share.shard}/${shard.share.shards} differ in source, options or number of shards`,
      'remove that folder and build all shards from the same source with the same options',
    );
  }
  const missing = Array.from({ length: first?.share.shards ?? 0 }, (_, i) => i).filter(
    (i) => shards[i]?.share.shard !== i,
  );
  if (missing.length > 0) {
    throw new BuildError(
      `${root}: shards not finished: ${missing.map((i) => `${i}/${first?.share.shards}`).join(', ')}`,
      `run build --shard ${missing[0]}/${first?.share.shards} --release ${release} ...`,
    );
  }
  return shards;
}

/** What all shards of a release have in common. */
function identityOf({ share, about, accept, levels }: DoneShard): unknown {
  return [share.shards, about, accept, levels.map(({ about: level, read, index }) => [level, read, index])];
}

/** A level with the record files of all shards. */
function joinLevel(
  level: Level,
  root: string,
  shards: readonly DoneShard[],
): Pick<WrittenLevel, 'level' | 'store' | 'records'> & { about: LevelAbout } {
  const parts = shards.map((shard) => ({
    folder: join(root, `shard-${shard.share.shard}-of-${shard.share.shards}`),
    done: shard.levels.find((done) => done.level === level),
  }));
  const [first] = parts;
  if (!first?.done)
    throw new BuildError(`${root}: the shards lack level ${level}`, 'remove that folder and build all shards again');
  const { about, read } = first.done;
  if (read === undefined) return { level, about, store: undefined, records: [] };
  const records = parts.flatMap(({ folder, done }) => done?.records.map((name) => join(folder, name)) ?? []);
  return { level, about, store: storePath(first.folder, level), records };
}
