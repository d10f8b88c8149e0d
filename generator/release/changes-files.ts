// The files of changes beside the releases: a CSV for each pair of releases, and gone.bin, by which units that are gone
// are followed. `changes` and `build --changes` write them, current.json lists them (staging.ts), `prune` removes them.
import { type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import {
  CHANGE_CLASSES,
  CHANGE_COLUMNS,
  CHANGES_PATH,
  type ChangeClass,
  type ChangeCounts,
  type ChangeRow,
  changesPath,
  GONE_MAX_BYTES,
  GONE_PATH,
  type GoneUnit,
  type PublishedChanges,
  pairOf,
  SUCCESSORS_MAX,
} from '../../format/changes.ts';
import type { CheckedFile } from '../../format/checked-files.ts';
import type { Current } from '../../format/current-json.ts';
import { grouped } from '../../format/grouped.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { SIGNATURE_ENDING } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { gzipMember } from '../../format/write/gzip.ts';
import { goneToText } from '../../format/write/texts.ts';
import { checkedFile } from '../files/checksums.ts';
import { renameDurably, syncFiles, writeDurably } from '../files/fsync.ts';
import { gunzipWithin } from '../release-reader/inflate.ts';

/** A pair of releases. */
export interface ReleasePair {
  from: string;
  to: string;
}

/** Of a file of changes, inflated: all units of the largest datasets have a quarter of it. */
export const CHANGES_TEXT_MAX_BYTES = 1 << 28;

/** The flag of a gzip member with a comment (RFC 1952 section 2.3.1), and where it is in the header. */
const COMMENT_FLAG = 1 << 4;
const FLAGS_AT = 3;

/**
 * The file of a pair: CSV (RFC 4180), one gzip member.
 * @param rows shares are rounded to four decimals
 * @param comment how it was made, for people: the comment of the member
 */
export function encodeChanges(rows: readonly ChangeRow[], comment: string): Buffer {
  const records = rows.map((row) => [
    levelName(row.level),
    row.fromGid,
    row.fromName,
    row.toGid,
    row.toName,
    row.class,
    row.shareOfFrom.toFixed(4),
    row.shareOfTo.toFixed(4),
  ]);
  // By itself the library quotes line breaks of the kind alone that ends its records.
  const quoting = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;
  const text = Buffer.from(stringify([CHANGE_COLUMNS, ...records], quoting));
  const header = Buffer.from(MEMBER_HEADER);
  header[FLAGS_AT] = COMMENT_FLAG;
  return gzipMember(text, Buffer.concat([header, Buffer.from(`${comment}\0`, 'latin1')]));
}

/** Reads the file of a pair. @throws FormatError if it is damaged */
export function decodeChanges(bytes: Buffer, file: string): ChangeRow[] {
  return readChanges(bytes, file).rows;
}

/** The rows of the file of a pair, and the length of its text. @throws FormatError if it is damaged */
function readChanges(bytes: Buffer, file: string): { rows: ChangeRow[]; textBytes: number } {
  try {
    const text = gunzipWithin(bytes, CHANGES_TEXT_MAX_BYTES);
    return { rows: rowsFrom(parse(text, { record_delimiter: '\r\n' }), file), textBytes: text.length };
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(file, `is damaged: ${error instanceof Error ? error.message : error}`);
  }
}

function rowsFrom(records: unknown, file: string): ChangeRow[] {
  if (!isTable(records)) throw new FormatError(file, 'is no table');
  const [header = [], ...rows] = records;
  if (header.join() !== CHANGE_COLUMNS.join()) throw new FormatError(file, `has the columns ${header.join()}`);
  return rows.map(([level, fromGid = '', fromName = '', toGid = '', toName = '', own, ofFrom, ofTo], i) => {
    const where = `${file} row ${i + 1}`;
    const known = LEVELS.find((number) => levelName(number) === level);
    const named = CHANGE_CLASSES.find((name) => name === own);
    if (known === undefined || named === undefined) throw new FormatError(where, `is of ${level}, ${own}`);
    const [shareOfFrom, shareOfTo] = [shareFrom(ofFrom, where), shareFrom(ofTo, where)];
    return { level: known, fromGid, fromName, toGid, toName, class: named, shareOfFrom, shareOfTo };
  });
}

function isTable(value: unknown): value is string[][] {
  return Array.isArray(value) && value.every(Array.isArray);
}

function shareFrom(text: string | undefined, where: string): number {
  if (text === undefined || !/^[01]\.\d{4}$/.test(text) || Number(text) > 1)
    throw new FormatError(where, `a share is ${JSON.stringify(text)}, expected 0.0000 to 1.0000`);
  return Number(text);
}

/** Numbers of rows by class. */
export function changeCounts(rows: readonly ChangeRow[]): ChangeCounts {
  const counts = CHANGE_CLASSES.map((name) => [name, rows.filter((row) => row.class === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/**
 * Writes the file of a pair and gone.bin anew, with signatures if there is a key; signatures of others are removed.
 * The caller holds the lock, and lists them in current.json.
 * @param order ids of releases, oldest first: of a GID that was gone twice the later successors count
 * @returns why the service cannot read gone.bin; undefined if it can
 */
export async function writeChanges(
  out: string,
  pair: ReleasePair,
  rows: readonly ChangeRow[],
  comment: string,
  order: readonly string[],
  key: KeyObject | undefined,
): Promise<string | undefined> {
  mkdirSync(join(out, CHANGES_PATH), { recursive: true });
  await writeSigned(out, changesPath(pair.from, pair.to), encodeChanges(rows, comment), key);
  const text = encodeGone(out, order);
  const gone = gzipMember(text);
  await writeSigned(out, GONE_PATH, gone, key);
  await syncFiles([out]);
  const { file, text: most } = GONE_MAX_BYTES;
  if (gone.length <= file && text.length <= most) return undefined;
  const [size, limit] = [text.length, most].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  return `${GONE_PATH} has ${size} MiB of text: above ${limit} MiB the service does not read it, and GIDs that are gone lead nowhere; prune older releases with their changes`;
}

async function writeSigned(out: string, path: string, content: Buffer, key: KeyObject | undefined): Promise<void> {
  const file = join(out, path);
  const signature = `${file}${SIGNATURE_ENDING}`;
  if (existsSync(file) && readFileSync(file).equals(content) && key === undefined) return;
  rmSync(signature, { force: true });
  const fresh = join(dirname(file), '.new');
  writeDurably(fresh, content);
  await renameDurably(fresh, file);
  if (key === undefined) return;
  writeDurably(fresh, sign(null, content, key));
  await renameDurably(fresh, signature);
}

/** Signs the changes that lead to a release, and gone.bin. The caller holds the lock, and has verified them. */
export async function signChanges(out: string, release: string, key: KeyObject): Promise<void> {
  const paths = changesTo(out, release).map(({ from, to }) => changesPath(from, to));
  if (paths.length === 0) return;
  for (const path of [...paths, GONE_PATH])
    if (existsSync(join(out, path))) await writeSigned(out, path, readFileSync(join(out, path)), key);
}

function encodeGone(out: string, order: readonly string[]): Buffer {
  const units = [...goneIn(out, order)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, unit]) => unit);
  return Buffer.from(goneToText(units));
}

/**
 * The units that are gone by all pairs that there are, by level and GID. A pair that is damaged has no part in it:
 * `verify` names it.
 * @param order ids of releases, oldest first: of a GID that was gone twice the later successors count
 * @param leaving releases whose pairs are left out
 */
export function goneIn(out: string, order: readonly string[], leaving: readonly string[] = []): Map<string, GoneUnit> {
  const gone = new Map<string, GoneUnit>();
  const pairs = changesIn(out).filter(({ to }) => !leaving.includes(to));
  for (const pair of pairs.sort(byAge([...removedIn(pairs, order), ...order])))
    for (const unit of goneUnits(rowsIn(out, pair))) gone.set(`${unit.level} ${unit.gid}`, unit);
  return gone;
}

/** The releases of pairs that are not there any more, each behind those from which a pair leads to it. */
function removedIn(pairs: readonly ReleasePair[], order: readonly string[]): string[] {
  const sorted = new Set<string>();
  const visit = (id: string, behind: readonly string[]): void => {
    if (order.includes(id) || sorted.has(id) || behind.includes(id)) return;
    for (const { from, to } of pairs) if (to === id) visit(from, [...behind, id]);
    sorted.add(id);
  };
  for (const { from, to } of pairs) for (const id of [from, to]) visit(id, []);
  return [...sorted];
}

/** Compares pairs by their newer release, then by the older one. @param order ids, oldest first */
function byAge(order: readonly string[]): (a: ReleasePair, b: ReleasePair) => number {
  const at = (id: string): number => order.indexOf(id);
  return (a, b) => at(a.to) - at(b.to) || at(a.from) - at(b.from);
}

function rowsIn(out: string, { from, to }: ReleasePair): ChangeRow[] {
  const path = changesPath(from, to);
  try {
    return decodeChanges(readFileSync(join(out, path)), path);
  } catch (error) {
    if (error instanceof FormatError) return [];
    throw error;
  }
}

/** What a unit that is gone can have become. */
const SUCCESSIONS: readonly ChangeClass[] = ['merged', 'split', 'regrouped', 'recoded'];

/** The GIDs that the new release has not, with those that have their area, the largest share first. */
export function goneUnits(rows: readonly ChangeRow[]): GoneUnit[] {
  const kept = new Set(rows.filter(({ toGid }) => toGid !== '').map(({ level, toGid }) => `${level} ${toGid}`));
  const keyOf = ({ level, fromGid }: ChangeRow): string => `${level} ${fromGid}`;
  const gone = rows.filter((row) => SUCCESSIONS.includes(row.class) && !kept.has(keyOf(row)));
  return [...grouped(gone, keyOf).values()].flatMap((own) => {
    const [first] = own;
    const sorted = own.toSorted((a, b) => b.shareOfFrom - a.shareOfFrom).slice(0, SUCCESSORS_MAX);
    return first === undefined
      ? []
      : [{ level: first.level, gid: first.fromGid, successors: sorted.map(({ toGid }) => toGid) }];
  });
}

/** The pairs that have a file. */
export function changesIn(out: string): ReleasePair[] {
  const folder = join(out, CHANGES_PATH);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name) => pairOf(name) ?? []);
}

/** The pairs that have a file and lead to a release. */
export function changesTo(out: string, release: string): ReleasePair[] {
  return changesIn(out).filter(({ to }) => to === release);
}

/**
 * The members of current.json that list the files of changes: of the pairs whose newer release is hosted, and gone.bin,
 * which has more pairs.
 * @param hosted oldest first; the changes are in that order
 * @param leaving releases whose pairs are about to be removed
 * @param known what current.json says now: a file that has been damaged since is not what was published
 * @param renewed the pair whose file is new; gone.bin is then new, too
 */
export function listedChanges(
  out: string,
  hosted: readonly string[],
  leaving: readonly string[],
  known: Pick<Current, 'changes' | 'gone'>,
  renewed?: ReleasePair,
): { changes: PublishedChanges[]; gone?: CheckedFile } {
  const isPair = (a: ReleasePair, b: ReleasePair | undefined): boolean => a.from === b?.from && a.to === b?.to;
  const pairs = changesIn(out).filter(({ to }) => !leaving.includes(to));
  const changes = pairs
    .filter(({ to }) => hosted.includes(to))
    .sort(byAge(hosted))
    .flatMap((pair) => {
      const listed = isPair(pair, renewed) ? undefined : known.changes?.find((other) => isPair(other, pair));
      return listed ?? describedChanges(out, pair);
    });
  const file = join(out, GONE_PATH);
  if (pairs.length === 0 || !existsSync(file)) return { changes };
  const listed = renewed === undefined ? known.gone : undefined;
  return { changes, gone: listed ?? checkedFile(readFileSync(file)) };
}

/** What current.json says of the file of a pair; nothing if it is damaged. */
function describedChanges(out: string, pair: ReleasePair): PublishedChanges[] {
  const path = changesPath(pair.from, pair.to);
  const bytes = readFileSync(join(out, path));
  try {
    const { rows, textBytes } = readChanges(bytes, path);
    const { sha256 } = checkedFile(bytes);
    return [{ ...pair, bytes: bytes.length, textBytes, sha256, counts: changeCounts(rows) }];
  } catch (error) {
    if (error instanceof FormatError) return [];
    throw error;
  }
}

/** Removes the files of the pairs whose newer release is removed, and gone.bin with the last one. */
export function removeChanges(out: string, releases: readonly string[]): void {
  for (const { from, to } of changesIn(out)) if (releases.includes(to)) removeSigned(out, changesPath(from, to));
  if (changesIn(out).length === 0) removeSigned(out, GONE_PATH);
}

function removeSigned(out: string, path: string): void {
  for (const ending of ['', SIGNATURE_ENDING]) rmSync(join(out, `${path}${ending}`), { force: true });
}
