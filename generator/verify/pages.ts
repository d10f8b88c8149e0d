// Verifies a range of a level's pages: the text of each, line by line, against the features. Runs in a child process.
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { releasePath } from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import { type Format, FRAMES } from '../../format/levels.ts';
import { positionsIn, type Ranges } from '../../format/positions.ts';
import { plannedFiles } from '../levels/plan.ts';
import { FileError, problemOf } from '../reader/file-error.ts';
import { readLevel } from '../reader/read-level.ts';
import { type FileReading, LINE_FEED, type OnLine, readPage } from '../reader/read-page.ts';
import { newFeatureCheck, type RangeTask } from './features.ts';

/** Which pages to verify, by their numbers in the order of `plannedFiles`. */
export interface PagesTask extends RangeTask {
  /** 1 for each feature that is as the index describes it: pages must hold its text. */
  intact: Uint8Array;
}

/** Verifies pages. */
export async function verifyPages({ out, release, level, from, to, intact }: PagesTask): Promise<FileReading[]> {
  const root = join(out, releasePath(release));
  const index = readLevel(root, release, level);
  const onFeature = newTextCheck(index, intact);
  const readings: FileReading[] = [];
  for (const { kind, number, path, ranges } of plannedFiles(index, from, to)) {
    if (kind === 'features') continue;
    const reading = await readPage(join(root, path), newLineCheck(kind, ranges, onFeature));
    const differences = reading.sha256 === '' ? [] : differencesOf(kind, number, reading, index);
    readings.push({ ...reading, differences });
  }
  return readings;
}

function differencesOf(format: Format, number: number, { bytes, sha256 }: FileReading, index: LevelIndex): string[] {
  const expected = index.arrays.pages?.[format].bytes[number];
  if (bytes !== expected) return [`is ${bytes} bytes long, expected ${expected}`];
  const digest = index.pageDigest(format, number);
  return sha256.startsWith(digest) ? [] : [`its SHA-256 is ${sha256}, expected one that begins with ${digest}`];
}

/** Takes the text of a feature. */
type OnFeature = (text: Buffer, position: number) => void;

/** Compares a feature's text with that of its feature file; if that is damaged, with fid and GIDs in the index. */
function newTextCheck(index: LevelIndex, intact: Uint8Array): OnFeature {
  let check: ReturnType<typeof newFeatureCheck> | undefined;
  return (text, position) => {
    const isIntact = elementAt(intact, position) === 1;
    const [bytes, crc] = [index.textBytes(position, position + 1), index.textCrc(position, position + 1)];
    if (isIntact && text.length === bytes && crc32(text) === crc) return;
    check ??= newFeatureCheck(index);
    const fid = index.fidAt(position);
    try {
      check(text, position);
    } catch (error) {
      throw new FileError(`fid ${fid}: ${problemOf(error)}`);
    }
    if (isIntact) throw new FileError(`fid ${fid} is not as its feature file has it`);
  };
}

/** Makes a check of the lines of one page: the frame of its format around the features at `positions`. */
function newLineCheck(format: Format, positions: Ranges, onFeature: OnFeature): OnLine {
  const expected = linesOf(format, positions);
  let lines = 0;
  return (line) => {
    const next = expected.next();
    if (line === undefined && next.done) return;
    if (line === undefined) throw new FileError(`ends after ${lines} lines, expected more`);
    lines++;
    if (next.done) throw new FileError(`line ${lines} follows its end`);
    if (line.at(-1) !== LINE_FEED) throw new FileError(`line ${lines} does not end in a line feed`);
    const { begin, position } = next.value;
    const [got, rest] = [line.subarray(0, begin.length), line.subarray(begin.length)];
    if (!got.equals(begin)) throw new FileError(`line ${lines} begins with ${quoted(got)}, expected ${quoted(begin)}`);
    if (position !== undefined) onFeature(rest, position);
    else if (rest.length > 0) throw new FileError(`line ${lines} ends with ${quoted(rest)}, expected nothing more`);
  };
}

/** The beginning of each line, and the position of the feature after it; undefined for a line without a feature. */
function* linesOf(format: Format, positions: Ranges): Generator<{ begin: Buffer; position?: number }> {
  const { before, between, after } = FRAMES[format];
  if (before !== '') yield { begin: Buffer.from(before) };
  let begin: Buffer = Buffer.of();
  for (const position of positionsIn(positions)) {
    yield { begin, position };
    begin = Buffer.from(between);
  }
  if (after !== '') yield { begin: Buffer.from(after) };
}

function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('utf8', 0, 40));
}
