// What became of the units between two releases: the names of its files, its rows, and its members in current.json. The
// generator writes the files beside the releases, as a release depends on its source and its options alone.
import { isReleaseId } from './layout.ts';
import { LEVELS, type Level } from './levels.ts';
import { valuesIn } from './names.ts';
import { FormatError, isObject, type JsonObject, listIn, numberIn, objectFrom, textIn } from './parse.ts';

/** The folder of the files, relative to the output folder. */
export const CHANGES_PATH = 'changes';

/**
 * The classes of changes, in the order in which the first that holds is the one of a row, and at the end those of a row
 * with one unit.
 */
export const CHANGE_CLASSES = ['merged', 'split', 'regrouped', 'recoded', 'redrawn', 'renamed', 'gone', 'new'] as const;

export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** What became of the GIDs that are gone, over all pairs; relative to the output folder. */
export const GONE_PATH = `${CHANGES_PATH}/gone.bin`;

/** Maximum bytes of gone.bin, and of its text: those of more are not read by the service. */
export const GONE_MAX_BYTES = { file: 8 * 1024 * 1024, text: 16 * 1024 * 1024 } as const;

/** At most so many successors of a GID are listed. */
export const SUCCESSORS_MAX = 5;

/** A GID that is gone. */
export interface GoneUnit {
  level: Level;
  gid: string;
  /**
   * GIDs of the same level in the release in which it was gone first, at most SUCCESSORS_MAX, the largest part first.
   */
  successors: readonly string[];
}

/** The header of the CSV. */
export const CHANGE_COLUMNS = [
  'level',
  'from_gid',
  'from_name',
  'to_gid',
  'to_name',
  'class',
  'share_of_from',
  'share_of_to',
] as const;

/** A unit of the old release, one of the new release, and what the one is to the other. */
export interface ChangeRow {
  level: Level;
  /** GID and name in the old release; both empty for `new`. */
  fromGid: string;
  fromName: string;
  /** In the new release; both empty for `gone`. */
  toGid: string;
  toName: string;
  class: ChangeClass;
  /** The area that both have in common as a share of each, 0 to 1. */
  shareOfFrom: number;
  shareOfTo: number;
}

/** Numbers of rows by class, without those of which there is none. */
export type ChangeCounts = Partial<Readonly<Record<ChangeClass, number>>>;

/** The changes between two releases as current.json lists them. */
export interface PublishedChanges {
  from: string;
  to: string;
  /** Of the file, which is one gzip member. */
  bytes: number;
  /** Of its text. */
  textBytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  counts: ChangeCounts;
}

/** The file of a pair of releases, relative to the output folder. */
export function changesPath(from: string, to: string): string {
  return `${CHANGES_PATH}/${changesName(from, to)}.csv.gz`;
}

/** The name of a pair of releases, in files and URLs. */
export function changesName(from: string, to: string): string {
  return `${from}..${to}`;
}

/** Can it be one of a pair? `..` stands between the two. */
export function isPairable(release: string): boolean {
  return isReleaseId(release) && !release.includes('..') && !release.endsWith('.');
}

/** The releases of the name of a file in the folder; undefined if it is no file of changes. */
export function pairOf(file: string): { from: string; to: string } | undefined {
  const [, from, to] = /^(.+?)\.\.(.+)\.csv\.gz$/.exec(file) ?? [];
  return from !== undefined && to !== undefined && isPairable(from) && isPairable(to) ? { from, to } : undefined;
}

/** Reads the text of gone.bin. @throws FormatError */
export function goneFromText(text: string, file: string): GoneUnit[] {
  return Array.from(unitsInGone(text, file));
}

/** The units of the text of gone.bin, read line by line: it may be large. @throws FormatError */
export function* unitsInGone(text: string, file: string): Generator<GoneUnit> {
  for (let at = 0, line = 1; at < text.length; line++) {
    const where = `${file} line ${line}`;
    const end = text.indexOf('\n', at);
    if (end === -1) throw new FormatError(where, 'does not end in a line feed');
    const [number, gid, ...successors] = valuesIn(text.slice(at, end), where);
    const level = LEVELS.find((known) => known === number);
    const isText = successors.every((value): value is string => typeof value === 'string');
    if (level === undefined || typeof gid !== 'string' || !isText) throw new FormatError(where, 'is no unit');
    yield { level, gid, successors };
    at = end + 1;
  }
}

/** The member `changes` of current.json. @throws FormatError */
export function publishedChangesIn(json: JsonObject, file: string): PublishedChanges[] {
  return listIn(json, 'changes', file).map((entry, i) => {
    const where = `${file} changes[${i}]`;
    const pair = objectFrom(entry, where);
    const [from, to] = [textIn(pair, 'from', where), textIn(pair, 'to', where)];
    if (!isPairable(from) || !isPairable(to))
      throw new FormatError(where, `is of ${JSON.stringify(changesName(from, to))}, expected two release ids`);
    return {
      from,
      to,
      bytes: numberIn(pair, 'bytes', where),
      textBytes: numberIn(pair, 'textBytes', where),
      sha256: digestIn(pair, where),
      counts: countsIn(pair, where),
    };
  });
}

function digestIn(json: JsonObject, where: string): string {
  const sha256 = textIn(json, 'sha256', where);
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw new FormatError(where, `sha256 is ${JSON.stringify(sha256)}, expected a SHA-256 in hex`);
  return sha256;
}

function countsIn(json: JsonObject, where: string): ChangeCounts {
  const counts = json['counts'];
  if (!isObject(counts)) throw new FormatError(where, 'counts is not a JSON object');
  const known = CHANGE_CLASSES.filter((name) => counts[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, numberIn(counts, name, `${where} counts`)]));
}
