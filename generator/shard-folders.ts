// The folders in which the shards of a job array leave their results for `seal`, beside the files of the release.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError } from '../format/parse.ts';
import { type DoneShard, doneShardFromJson } from './done-shard.ts';
import type { Share } from './pages/divide-work.ts';
import { BuildError } from './report/errors.ts';

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
    .map((share) => readDoneShard(join(root, shardFolder(share), DONE_FILE), share, release))
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
    `a shard that has begun may still be running; if not, run build --shard ${shareText(first)} --release ${release} ...`,
  );
}

/** Reads done.json. @throws BuildError if it is damaged, or that of another shard or release */
function readDoneShard(file: string, { shard, shards }: Share, release: string): DoneShard {
  try {
    const done = doneShardFromJson(readFileSync(file, 'utf8'), file);
    const { share, about } = done;
    if (share.shard !== shard || share.shards !== shards || about.release !== release)
      throw new FormatError(file, `is of shard ${shareText(share)} of release ${about.release}`);
    return done;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new BuildError(
      error.message,
      `remove that folder and run build --shard ${shareText({ shard, shards })} --release ${release} ... again`,
    );
  }
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
function identityOf({ share, about, levels }: DoneShard): unknown {
  return [share.shards, about, levels.map(({ about: level, read, index }) => [level, read, index])];
}

function shareText({ shard, shards }: Share): string {
  return `${shard}/${shards}`;
}
