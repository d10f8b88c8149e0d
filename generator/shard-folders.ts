// The folders in which the shards of a job array leave their results for `seal`, beside the files of the release.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Level } from '../format/levels.ts';
import type { Share } from './pages/divide-work.ts';
import type { LevelAbout, ReleaseAbout } from './pages/finalize.ts';
import type { ReadResult } from './pages/read-level.ts';
import type { Acceptable } from './quality/kinds.ts';
import { BuildError } from './report/errors.ts';

/** The result of a shard: done.json in its folder, written last. */
export interface DoneShard {
  share: Share;
  about: ReleaseAbout;
  accept: readonly Acceptable[];
  levels: readonly DoneLevel[];
}

/** A level of a finished shard. */
export interface DoneLevel {
  level: Level;
  about: LevelAbout;
  read: ReadResult | undefined;
  /** Digest of the store's index, equal in all shards of the same source; empty for a level without a layer. */
  index: string;
  /** Names of the record files in the shard's folder. */
  records: readonly string[];
}

/** The file with a shard's result. */
export const DONE_FILE = 'done.json';

/** The name of a finished shard's folder. */
export function shardFolder({ shard, shards }: Share): string {
  return `shard-${shard}-of-${shards}`;
}

/**
 * A new name for the folder of a shard that is not finished: like every staging folder, because child processes of a
 * killed run may write in theirs until they end.
 */
export function unfinishedShardFolder(share: Share): string {
  return `${shardFolder(share)}.${randomUUID()}.running`;
}

/** Names of the folders of a shard, finished or not. */
export function foldersOfShard(root: string, share: Share): string[] {
  const finished = shardFolder(share);
  return readdirSync(root).filter((name) => name === finished || name.startsWith(`${finished}.`));
}

/**
 * Every shard of a release, in order.
 * @throws BuildError if one is not finished, or they are not all shards of one build
 */
export function finishedShards(root: string, release: string): DoneShard[] {
  const found = (existsSync(root) ? readdirSync(root) : []).flatMap(foundShard);
  const [any] = found;
  if (!any)
    throw new BuildError(
      `${root}: no shard is finished`,
      `run build --shard 0/N --release ${release} ... for each of N shards`,
    );
  const shards = found
    .filter(({ isFinished }) => isFinished)
    .map((share): DoneShard => JSON.parse(readFileSync(join(root, shardFolder(share), DONE_FILE), 'utf8')))
    .sort((a, b) => a.share.shard - b.share.shard);
  refuseDifferent(root, shards);
  const count = (shards[0]?.share ?? any).shards;
  const finished = new Set(shards.map(({ share }) => share.shard));
  const unfinished = Array.from({ length: count }, (_, shard) => ({ shard, shards: count })).filter(
    ({ shard }) => !finished.has(shard),
  );
  const [first] = unfinished;
  if (!first) return shards;
  const isBegun = (share: Share): boolean =>
    found.some(({ shard, shards, isFinished }) => !isFinished && shard === share.shard && shards === share.shards);
  const list = unfinished.map((share) => `${shareText(share)} (${isBegun(share) ? 'begun' : 'not begun'})`);
  throw new BuildError(
    `${root}: shards not finished: ${list.join(', ')}`,
    `a shard that is begun may be running; if it is not, run build --shard ${shareText(first)} --release ${release} ...`,
  );
}

interface FoundShard extends Share {
  isFinished: boolean;
}

/** The shard whose folder has this name. */
function foundShard(name: string): FoundShard[] {
  const match = /^shard-(\d+)-of-(\d+)(\..+\.running)?$/.exec(name);
  return match ? [{ shard: Number(match[1]), shards: Number(match[2]), isFinished: match[3] === undefined }] : [];
}

function refuseDifferent(root: string, shards: readonly DoneShard[]): void {
  const [first] = shards;
  if (!first) return;
  const identity = JSON.stringify(identityOf(first));
  const other = shards.find((shard) => JSON.stringify(identityOf(shard)) !== identity);
  if (!other) return;
  throw new BuildError(
    `${root}: shards ${shareText(first.share)} and ${shareText(other.share)} differ in source, options or number of shards`,
    'remove that folder and build all shards from the same source with the same options',
  );
}

/** What all shards of a release have in common. */
function identityOf({ share, about, accept, levels }: DoneShard): unknown {
  return [share.shards, about, accept, levels.map(({ about: level, read, index }) => [level, read, index])];
}

function shareText({ shard, shards }: Share): string {
  return `${shard}/${shards}`;
}
