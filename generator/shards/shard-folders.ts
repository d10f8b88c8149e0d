// The folders in which the shards of a job array leave their results for `seal`, beside the files of the release.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LevelAbout, levelAboutFrom } from '../../format/level-json.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { FormatError, listIn, numberIn, objectFrom, textIn, textsIn } from '../../format/parse.ts';
import { type ReleaseAbout, releaseAboutFrom } from '../../format/release-json.ts';
import type { Share } from '../plan/divide-work.ts';
import { BuildError } from '../report/errors.ts';

/** The file with a shard's result. */
export const DONE_FILE = 'done.json';

/** The result of a shard: done.json in its folder, written last. */
export interface DoneShard {
  share: Share;
  about: ReleaseAbout;
  levels: readonly DoneLevel[];
}

/** A level of a finished shard. */
export interface DoneLevel {
  level: Level;
  about: LevelAbout;
  features: number;
  /** Digest of what is in the level's store, equal in all shards of the same source. */
  index: string;
  /** Names of the record files in the shard's folder. */
  records: readonly string[];
}

const RUNNING = '.running';
/** The folder of a shard, finished or not; with the number of shards. */
const SHARD_FOLDER = /^shard-\d+-of-(\d+)(?:\..+\.running)?$/;

/** The name of a finished shard's folder. */
export function shardFolder({ shard, shards }: Share): string {
  return `shard-${shard}-of-${shards}`;
}

/**
 * A new name for the folder of a shard that is not finished: like every staging folder, because child processes of a
 * killed run may write in theirs until they end.
 */
export function unfinishedShardFolder(share: Share): string {
  return `${shardFolder(share)}.${randomUUID()}${RUNNING}`;
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
  const begun = (existsSync(root) ? readdirSync(root) : []).filter((name) => SHARD_FOLDER.test(name));
  const [any] = begun;
  if (any === undefined)
    throw new BuildError(
      `${root}: no shard is finished`,
      `run build --shard 0/N --release ${release} ... for each of N shards`,
    );
  const finished = begun.filter((name) => !name.endsWith(RUNNING));
  const done = finished.map((name) => readDoneShard(root, name, release)).sort((a, b) => a.share.shard - b.share.shard);
  refuseDifferent(root, done);
  const shards = done[0]?.share.shards ?? Number(SHARD_FOLDER.exec(any)?.[1]);
  const all = Array.from({ length: shards }, (_, shard) => ({ shard, shards }));
  const missing = all.filter((share) => !finished.includes(shardFolder(share)));
  const [first] = missing;
  if (first === undefined) return done;
  const list = missing.map((share) => {
    const isBegun = begun.some((name) => name.startsWith(`${shardFolder(share)}.`));
    return `${shareText(share)} (${isBegun ? 'begun' : 'not begun'})`;
  });
  throw new BuildError(
    `${root}: shards not finished: ${list.join(', ')}`,
    `a shard that has begun may still be running; if not, run build --shard ${shareText(first)} --release ${release} ...`,
  );
}

/** Reads done.json. @throws BuildError if it is damaged, or that of another shard or release */
function readDoneShard(root: string, folder: string, release: string): DoneShard {
  const file = join(root, folder, DONE_FILE);
  try {
    const done = doneShardFromJson(readFileSync(file, 'utf8'), file);
    const { share, about } = done;
    if (shardFolder(share) !== folder || about.release !== release)
      throw new FormatError(file, `is of shard ${shareText(share)} of release ${about.release}`);
    return done;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const share = folder.replace('shard-', '').replace('-of-', '/');
    throw new BuildError(
      error.message,
      `remove that folder and run build --shard ${share} --release ${release} ... again`,
    );
  }
}

function refuseDifferent(root: string, [first, ...others]: readonly DoneShard[]): void {
  const other = others.find((shard) => first !== undefined && identityOf(shard) !== identityOf(first));
  if (first === undefined || other === undefined) return;
  throw new BuildError(
    `${root}: shards ${shareText(first.share)} and ${shareText(other.share)} differ in source, options, number of shards or what GDAL makes of the source`,
    'remove that folder and build all shards from the same source with the same options, with the same versions of Node.js and GDAL',
  );
}

/** What all shards of a release have in common. */
function identityOf({ share, about, levels }: DoneShard): string {
  return JSON.stringify([share.shards, about, levels.map(({ records: _, ...level }) => level)]);
}

function shareText({ shard, shards }: Share): string {
  return `${shard}/${shards}`;
}

const SHA256 = /^[0-9a-f]{64}$/;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * Parses done.json: other machines write it, so every member is checked.
 * @throws FormatError that names the file, the member, what was got and what was expected
 */
function doneShardFromJson(text: string, file: string): DoneShard {
  const json = objectFrom(text, file);
  const levels = listIn(json, 'levels', file).map((entry, i) => levelFrom(entry, LEVELS[i], `${file} levels[${i}]`));
  if (levels.length !== LEVELS.length)
    throw new FormatError(file, `${levels.length} levels, expected ${LEVELS.length}`);
  return {
    share: shareFrom(json['share'], `${file} share`),
    about: releaseAboutFrom(objectFrom(json['about'], `${file} about`), `${file} about`),
    levels,
  };
}

function shareFrom(value: unknown, where: string): Share {
  const json = objectFrom(value, where);
  const [shard, shards] = [numberIn(json, 'shard', where), numberIn(json, 'shards', where)];
  if (shard >= shards) throw new FormatError(where, `shard is ${shard} of ${shards}`);
  return { shard, shards };
}

function levelFrom(entry: unknown, level: Level | undefined, where: string): DoneLevel {
  const json = objectFrom(entry, where);
  if (level === undefined || json['level'] !== level)
    throw new FormatError(where, `level is ${JSON.stringify(json['level'])}, expected ${level}`);
  const about = levelAboutFrom(objectFrom(json['about'], `${where} about`), `${where} about`);
  const index = textIn(json, 'index', where);
  if (!SHA256.test(index)) throw new FormatError(where, `index is ${JSON.stringify(index)}, expected ${SHA256}`);
  const records = textsIn(json, 'records', where);
  const odd = records.find((name) => !FILE_NAME.test(name));
  if (odd !== undefined) throw new FormatError(where, `records has ${JSON.stringify(odd)}, expected names of files`);
  return { level, about, features: numberIn(json, 'features', where), index, records };
}
