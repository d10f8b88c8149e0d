// Verifies files of a release. Feature files are compared line by line with the tables that describe them, pages as a
// whole: CRC-32 and length of a page's text follow from those of its features. Runs in child processes, too.
import { hash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedFile, WholeFile } from '../../format/checked-files.ts';
import { joinSums, swapSeparator, type TextSum } from '../../format/crc32.ts';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { DIGEST_BYTES, type FeatureData, type FeatureTable } from '../../format/feature-table.ts';
import { FRAME_DATA, MEMBER_FRAME_BYTES, MEMBER_HEADER } from '../../format/gzip.ts';
import { CHECKSUMS_FILE, indexPath, releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { Format, Geometry, Level } from '../../format/levels.ts';
import { objectFrom } from '../../format/parse.ts';
import type { Ranges } from '../../format/positions.ts';
import { memberEnd } from '../../format/write/gzip.ts';
import { MAX_PRECISION } from '../geojson/geometry.ts';
import { gidsOf } from '../names/named-units.ts';
import { isFormat, plannedFiles } from '../plan/plan.ts';
import { FileError, problemOf } from '../release-reader/file-error.ts';
import { EXCESS_BYTES, expectBytes, readAt, sizeAndSum, sumOfMember } from '../release-reader/inflate.ts';
import { dataIn, openFeatures, readLevel, readTable, textFrom } from '../release-reader/read-level.ts';
import { type Box, indexBox } from '../rings/bbox.ts';
import type { FileFinding } from './file-findings.ts';

/** Which files of a level to verify, by their numbers in the order of `plannedFiles`. Plain data, like the result. */
export interface FilesTask {
  out: string;
  release: string;
  level: Level;
  from: number;
  to: number;
  /** The SHA-256 that checksums.txt has for each, and for the one beside it; undefined for none. */
  checksums: readonly (readonly (string | undefined)[])[];
}

/** What was found. */
export interface FilesResult {
  /** Of all files. */
  bytes: number;
  /** By path relative to the release's folder. */
  findings: FileFinding[];
}

/** Verifies feature files and pages. */
export async function verifyFiles({ out, release, level, from, to, checksums }: FilesTask): Promise<FilesResult> {
  const root = join(out, releasePath(release));
  const index = readLevel(root, release, level);
  const lineCheck = newLineCheck(index);
  const tables = new Map<Geometry, FeatureTable>([['full', index]]);
  const tableOf = (geometry: Geometry): FeatureTable => {
    const table = tables.get(geometry) ?? readTable(root, index, geometry);
    tables.set(geometry, table);
    return table;
  };
  const findings: FileFinding[] = [];
  let bytes = 0;
  for (const [i, { kind, number, path, alone, ranges }] of [...plannedFiles(index, from, to)].entries()) {
    const [listed, aloneListed] = checksums[i] ?? [];
    if (isFormat(kind)) {
      const check: FileCheck = (file, read) => checkDescribed(file, read, pageDescription(index, kind, number, ranges));
      bytes += await verifyFile({ root, path, by: indexPath(level), listed }, check, findings);
      continue;
    }
    const table = tableOf(kind);
    const by = indexPath(level, kind);
    const features = openFeatures(root, table, kind);
    const check: FileCheck = (file, read, found) =>
      checkFeatureFile(file, read.bytes, table, number, { ...lineCheck, textAt: features.textAt }, found);
    bytes += await verifyFile({ root, path, by, listed }, check, findings);
    if (alone !== undefined)
      bytes += await verifyFile(
        { root, path: alone, by, listed: aloneListed },
        (file, read, found) => checkAloneFile(file, read.bytes, table, number, lineCheck, found),
        findings,
      );
    features.close();
  }
  return { bytes, findings };
}

/** Compares a file with what another one says of it. @throws FileError for a problem; `found` takes others */
type FileCheck = (file: string, read: CheckedFile, found: (problem: string) => void) => Promise<void> | void;

/**
 * Verifies a file. Of it, the file that describes it, and checksums.txt, the one that differs from the others is
 * damaged.
 * @param described.root the release's folder
 * @param described.path,described.by the file, and the one that describes it, relative to that folder
 * @param described.listed its SHA-256 in checksums.txt; undefined for none
 * @param findings takes what is found @returns bytes of the file
 */
export async function verifyFile(
  { root, path, by, listed }: { root: string; path: string; by: string; listed: string | undefined },
  check: FileCheck,
  findings: FileFinding[],
): Promise<number> {
  const file = join(root, path);
  const problems: string[] = [];
  let read: CheckedFile = { bytes: 0, sha256: '' };
  try {
    read = sizeAndSum(file);
    await check(file, read, (problem) => problems.push(problem));
  } catch (error) {
    problems.push(problemOf(error));
  }
  const { bytes, sha256 } = read;
  for (const problem of problems)
    findings.push(listed === sha256 ? { path: by, problem: `${path}: ${problem}` } : { path, problem });
  if (problems.length === 0 && listed !== undefined && listed !== sha256)
    findings.push({ path: CHECKSUMS_FILE, problem: `has ${listed} for ${path}, which is ${sha256}` });
  return bytes;
}

/** What another file says of a file: of its SHA-256 at least the beginning. Its text is that of one gzip member. */
export type Description = Pick<CheckedFile, 'sha256'> & Partial<WholeFile> & { textCrc?: number };

/** Checks a file that is described as a whole. @throws FileError if it is another */
export async function checkDescribed(file: string, read: CheckedFile, description: Description): Promise<void> {
  const { bytes = read.bytes, sha256, textBytes, textCrc } = description;
  expectSize(read.bytes, bytes);
  if (!read.sha256.startsWith(sha256)) throw new FileError(`its SHA-256 is ${read.sha256}, expected ${sha256}`);
  if (textBytes === undefined) return;
  const { crc, length } = await sumOfMember(file, textBytes + EXCESS_BYTES);
  if (length !== textBytes) throw new FileError(`has ${length} bytes of text, expected ${textBytes}`);
  if (crc !== (textCrc ?? crc)) throw new FileError(`its text has the CRC-32 ${crc}, its features make ${textCrc}`);
}

/** What the index says of a page; of its text by way of its features. */
function pageDescription(index: LevelIndex, format: Format, number: number, ranges: Ranges): Description {
  const { crc, length } = sumOfPage(index, format, ranges);
  const bytes = elementAt(index.arrays.pages?.[format].bytes ?? [], number);
  return { bytes, sha256: index.pageDigest(format, number), textBytes: length, textCrc: crc };
}

/** What the lines of a level's feature files have to be. */
interface LineCheck {
  fidAt(position: number): number;
  /**
   * Takes a feature's text and its position.
   * @throws FileError if it is not the line of that feature
   */
  checkLine(text: Buffer, position: number): void;
}

/** Checks that a text is one line, a feature with the fid, the box and the GIDs that the index has. */
function newLineCheck(index: LevelIndex): LineCheck {
  const columns = index.columns.map(({ name }, column) => ({ name, gidAt: gidsOf(index, column) }));
  const checkLine = (text: Buffer, position: number): void => {
    if (text.indexOf('\n') !== text.length - 1) throw new FileError('its text is not one line');
    const fid = index.fidAt(position);
    const feature = objectFrom(text.toString(), 'its text');
    const properties = objectFrom(feature['properties'], 'its properties');
    for (const id of [feature['id'], properties['fid']])
      if (id !== fid) throw new FileError(`its id is ${JSON.stringify(id)}, expected ${fid}`);
    for (const { name, gidAt } of columns) {
      const [value, gid] = [properties[name] ?? '', gidAt(position)];
      // A number of more digits than a double has is read as the nearest one.
      const isGid = typeof value === 'number' ? value === Number(gid) : String(value) === (gid ?? '');
      if (!isGid) throw new FileError(`${name} is ${JSON.stringify(value)}, the index has ${JSON.stringify(gid)}`);
    }
    const [box, wanted] = [index.arrays.box.subarray(4 * position, 4 * position + 4), boxOf(feature['bbox'])];
    if (box.join() !== wanted.join())
      throw new FileError(`its bbox is ${wanted.join()} in 1e-7 degrees, the index has ${box.join()}`);
  };
  return { fidAt: (position) => index.fidAt(position), checkLine };
}

/** A bbox as the index of a level has it. */
function boxOf(bbox: unknown): Box {
  // Whole numbers: with the most decimals that a release can have, they are exact.
  const scale = 10 ** MAX_PRECISION;
  const [west, south, east, north] = Array.isArray(bbox) ? bbox.map((degrees) => Math.round(degrees * scale)) : [];
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    return indexBox(undefined, scale);
  return indexBox([west, south, east, north], scale);
}

/**
 * Checks a feature file: every feature by itself, those that are chained with the text before them, then header and
 * end.
 * @param tables of the features, wherever the file is
 * @param number of the file, from 0
 * @throws FileError for a problem of the file as a whole
 */
function checkFeatureFile(
  file: string,
  size: number,
  tables: FeatureTable,
  number: number,
  { fidAt, checkLine, textAt }: LineCheck & { textAt: (position: number) => Buffer },
  found: (problem: string) => void,
): void {
  const [first, end] = [number * tables.perFile, tables.fileEnd(number)];
  const { chained } = tables;
  expectSize(size, MEMBER_FRAME_BYTES + chained.bytes(first, end));
  const handle = openSync(file, 'r');
  try {
    let before: Buffer | undefined;
    for (let position = first; position < end; position++)
      try {
        const isAlone = tables.aloneAt(position) === chained;
        const data = dataIn(handle, chained, position);
        expectData(data, chained, position, isAlone ? tables.digests(position, position + 1) : undefined);
        const known = isAlone ? undefined : (before ?? textBefore(textAt, position));
        before = undefined;
        // Without the text before it, which is damaged itself, nothing more can be said of it.
        if (!isAlone && known === undefined) continue;
        before = textFrom(data, tables, position, known);
        checkLine(before, position);
      } catch (error) {
        before = undefined;
        found(`fid ${fidAt(position)}: ${problemOf(error)}`);
      }
    expectBytes(readAt(handle, 0, MEMBER_HEADER.length), MEMBER_HEADER, 'gzip header');
    const trailer = memberEnd({ crc: tables.textCrc(first, end), length: tables.textBytes(first, end) });
    expectBytes(readAt(handle, size - trailer.length, trailer.length), trailer, 'final block with the gzip trailer');
  } finally {
    closeSync(handle);
  }
}

/** The text before a position, alone; undefined if it cannot be read: then its own file is found to be damaged. */
function textBefore(textAt: (position: number) => Buffer, position: number): Buffer | undefined {
  try {
    return textAt(position - 1);
  } catch {
    return undefined;
  }
}

/** Checks the file beside a feature file: every feature that is chained there. @throws FileError likewise */
function checkAloneFile(
  file: string,
  size: number,
  tables: FeatureTable,
  number: number,
  { fidAt, checkLine }: LineCheck,
  found: (problem: string) => void,
): void {
  const [first, end] = [number * tables.perFile, tables.fileEnd(number)];
  const { alone } = tables;
  expectSize(size, alone.bytes(first, end));
  const handle = openSync(file, 'r');
  try {
    for (let position = first; position < end; position++)
      try {
        if (tables.aloneAt(position) !== alone) continue;
        const data = dataIn(handle, alone, position);
        expectData(data, alone, position, tables.digests(position, position + 1));
        checkLine(textFrom(data, tables, position), position);
      } catch (error) {
        found(`fid ${fidAt(position)}: ${problemOf(error)}`);
      }
  } finally {
    closeSync(handle);
  }
}

function expectSize(size: number, expected: number): void {
  if (size !== expected) throw new FileError(`is ${size} bytes long, expected ${expected}`);
}

/** @param digest of data alone @throws FileError if it is not the deflate data that the tables describe */
function expectData(data: Buffer, features: FeatureData, position: number, digest: Uint8Array | undefined): void {
  const isDigest = digest === undefined || hash('sha256', data, 'buffer').subarray(0, DIGEST_BYTES).equals(digest);
  if (isDigest && features.isIntact(data, position, position + 1)) return;
  const [offset, what] = [features.offsetAt(position), isDigest ? 'CRC-32' : 'digest'];
  throw new FileError(`bytes ${offset} to ${offset + data.length - 1} do not have the ${what} in the index`);
}

/** The sum of a page's text, which follows from those of its features and of its frame. */
function sumOfPage(index: LevelIndex, format: Format, ranges: Ranges): TextSum {
  const { before, after } = FRAME_DATA[format];
  let { crc, length } = before;
  for (let i = 0; i < ranges.length; i += 2) {
    const [first, end] = [numberAt(ranges, i), numberAt(ranges, i + 1)];
    crc = index.textCrc(first, end, crc, format);
    length += index.textBytes(first, end);
  }
  const hasSeparator = format === 'fc' && ranges.length > 0;
  return joinSums({ crc: hasSeparator ? swapSeparator(crc) : crc, length }, after);
}
