// The result of a shard, done.json in its folder: other machines write it, so `seal` checks every member, as a reader of a
// release checks its manifests.
import { LEVELS, type Level } from '../format/levels.ts';
import {
  booleanIn,
  FormatError,
  type JsonObject,
  listIn,
  numberIn,
  objectFrom,
  textIn,
  textsIn,
} from '../format/parse.ts';
import { findingsIn, type ReleaseAbout, releaseAboutFrom } from '../format/release.ts';
import type { Share } from './pages/divide-work.ts';
import type { LevelAbout } from './pages/finalize.ts';
import type { ReadResult } from './pages/read-level.ts';

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
  read: ReadResult | undefined;
  /** Digest of the store's index, equal in all shards of the same source; empty for a level without a layer. */
  index: string;
  /** Names of the record files in the shard's folder. */
  records: readonly string[];
}

const SHA256 = /^[0-9a-f]{64}$/;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Reads done.json. @throws FormatError that names the file, the member, what was got and what was expected */
export function doneShardFromJson(text: string, file: string): DoneShard {
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
  const about = levelAboutFrom(json['about'], `${where} about`);
  // A level without a layer.
  if (json['read'] === undefined) return { level, about, read: undefined, index: '', records: [] };
  const records = textsIn(json, 'records', where);
  const odd = records.find((name) => !FILE_NAME.test(name));
  if (odd !== undefined) throw new FormatError(where, `records has ${JSON.stringify(odd)}, expected names of files`);
  const read = readResultFrom(json['read'], `${where} read`);
  return { level, about, read, index: matching(SHA256, json, 'index', where), records };
}

function levelAboutFrom(value: unknown, where: string): LevelAbout {
  const json = objectFrom(value, where);
  return {
    layer: textIn(json, 'layer', where),
    gidColumns: textsIn(json, 'gidColumns', where),
    nameColumn: textIn(json, 'nameColumn', where),
    typeColumn: textIn(json, 'typeColumn', where),
    isRenumbered: booleanIn(json, 'isRenumbered', where),
  };
}

function readResultFrom(value: unknown, where: string): ReadResult {
  const json = objectFrom(value, where);
  return {
    features: numberIn(json, 'features', where),
    findings: findingsIn(json, 'findings', where),
    isRenumbered: booleanIn(json, 'isRenumbered', where),
  };
}

function matching(pattern: RegExp, json: JsonObject, member: string, where: string): string {
  const text = textIn(json, member, where);
  if (!pattern.test(text)) throw new FormatError(where, `${member} is ${JSON.stringify(text)}, expected ${pattern}`);
  return text;
}
