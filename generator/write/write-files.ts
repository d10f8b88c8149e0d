// Writes a part of a level's files: feature files, pages, the table, and what is made of borders. Runs in child
// processes; several write the same level concurrently, without communication. A page is one gzip member: the text of
// its short features is deflated together; the deflate data of large features is copied from the store.
//
// An order that this file and finalize.ts share: the records of a part have an entry for each path of `pathsOf`, file
// by file as the plan orders them, copies too, and of each geometry an entry for each feature. Names of files are not
// in them: an entry that is added or left out here, but not there, belongs to another file.
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CheckedFile } from '../../format/checked-files.ts';
import { sumOf, swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { SEPARATORS } from '../../format/gzip.ts';
import { alonePath } from '../../format/layout.ts';
import { type Format, FRAMES, type Geometry, type Level } from '../../format/levels.ts';
import { positionsOf, type Ranges } from '../../format/positions.ts';
import type { ReleaseContents } from '../../format/release-json.ts';
import { deflateLine, deflateText, MemberWriter } from '../../format/write/gzip.ts';
import { writeBorders } from '../borders/write-borders.ts';
import { createOutputFile } from '../files/output-file.ts';
import { writeSerialized } from '../files/serialized-file.ts';
import { type TableAbout, writeTable } from '../parquet/write-table.ts';
import type { Part } from '../plan/divide-work.ts';
import { type FilePlan, fileAt, isFormat, pathsOf, plannedIndex } from '../plan/plan.ts';
import { addFeature, addFile, type FeatureRecords, featureRecords, newRecords } from '../plan/records.ts';
import { BuildError } from '../report/errors.ts';
import { type FeatureTexts, openTexts } from '../simplify/feature-texts.ts';
import { REUSE_TEXT_BYTES } from '../store/feature-store.ts';
import { LevelStore } from '../store/level-store.ts';

/** What to write and where. Plain data: it is sent to a child process. */
export interface WriteTask {
  contents: ReleaseContents;
  level: Level;
  /** The level's store, filled. */
  store: string;
  /** The release's folder. */
  out: string;
  /** Path of the file for the records of the written files. */
  records: string;
  part: Part;
  /** What the table says of itself. */
  table: TableAbout;
}

/** Maximum bytes of a page: a level's page tables have 32 bits for them. */
const PAGE_BYTES_MAX = 2 ** 32 - 1;

/**
 * Writes the part's files and their records. Of each geometry features come in order of position: in the plan its
 * feature files come by first position, which is that of their numbers, and parts follow one another.
 */
export function writeFiles({ level, contents, out, part, ...task }: WriteTask): void {
  const files = new LevelStore(task.store);
  const opened = new Map<Geometry, FeatureTexts>();
  const textsWith = (geometry: Geometry): FeatureTexts => {
    const texts = opened.get(geometry) ?? openTexts(files, geometry, contents.precision);
    opened.set(geometry, texts);
    return texts;
  };
  const index = plannedIndex(level, contents, files.readIndex());
  const plan = files.readPlan<FilePlan>();
  const records = newRecords(part);
  const folders = new Set<string>();
  let last: { file: string; written: CheckedFile } | undefined;
  for (let at = part.first; at < part.end; at++) {
    const planned = fileAt(index, contents, elementAt(plan.order, at));
    for (const path of pathsOf(planned)) {
      const folder = dirname(join(out, path));
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
      folders.add(folder);
    }
    if (planned.kind === 'borders') {
      const made = writeBorders(out, level, files, contents);
      for (const written of made.files) addFile(records, written);
      records.borders = made.borders;
      continue;
    }
    if (planned.kind === 'table') {
      records.table = writeTable(out, level, files, contents, task.table);
      for (const written of [records.table, records.table.digests]) addFile(records, written);
      continue;
    }
    const file = join(out, planned.path);
    let alone: CheckedFile | undefined;
    if (plan.copies[at] === 1 && last !== undefined) linkOrCopy(last.file, file);
    else {
      const { kind, ranges } = planned;
      let written: CheckedFile;
      if (isFormat(kind)) written = writePage(file, kind, ranges, textsWith('full'));
      else {
        const features = featureRecords(records, kind);
        const beside = join(out, alonePath(level, planned.number, kind));
        [written, alone] = writeFeatureFiles(file, beside, ranges, textsWith(kind), features);
      }
      last = { file, written };
    }
    addFile(records, last.written);
    if (alone !== undefined) addFile(records, alone);
  }
  for (const texts of opened.values()) texts.close();
  writeSerialized(task.records, records);
}

/** @throws BuildError for a page that the page tables have no room for */
export function refuseLargePage(file: string, bytes: number): void {
  if (bytes > PAGE_BYTES_MAX)
    throw new BuildError(
      `${file}: a page of ${bytes} bytes, at most ${PAGE_BYTES_MAX} are possible`,
      'use --pages none: requests are answered from the feature files',
    );
}

/** A feature is chained if that saves this share of its data. */
const SAVED_MIN = 0.1;

/**
 * The data of a feature that refers to the one before it; undefined if it is to be in the feature file alone. That of a
 * long text is: its coordinates are most of it.
 * @param line,before their texts; undefined if they are long
 * @param alone its data
 */
function chainedData(line: Buffer | undefined, before: Buffer | undefined, alone: Buffer): Buffer | undefined {
  if (line === undefined || before === undefined) return undefined;
  const chained = deflateLine(line, before);
  return chained.length <= (1 - SAVED_MIN) * alone.length ? chained : undefined;
}

/**
 * Writes a feature file, one gzip member with a seam after every line, and the file beside it: its chained features
 * alone.
 */
function writeFeatureFiles(
  file: string,
  beside: string,
  ranges: Ranges,
  texts: FeatureTexts,
  records: FeatureRecords,
): [CheckedFile, CheckedFile] {
  const [output, others] = [createOutputFile(file), createOutputFile(beside)];
  const member = new MemberWriter(output.write);
  let before: Buffer | undefined;
  for (const { bytes, deflated } of texts.read(ranges)) {
    const line = deflated === undefined && bytes.length < REUSE_TEXT_BYTES ? bytes : undefined;
    const alone = deflated === undefined ? deflateLine(bytes) : bytes;
    const sum = deflated ?? sumOf(bytes);
    const chained = chainedData(line, before, alone);
    member.add({ data: chained ?? alone, ...sum });
    if (chained !== undefined) others.write(alone);
    addFeature(records, { data: alone, ...sum }, chained);
    before = line;
  }
  member.end();
  return [output.close(), others.close()];
}

/** Files never change once written, so identical pages are hard links if the file system supports them. */
function linkOrCopy(file: string, twin: string): void {
  try {
    linkSync(file, twin);
  } catch {
    // A repeated shard finds the files of its first run; they are removed, not overwritten, as other links share the
    // bytes.
    rmSync(twin, { force: true });
    copyFileSync(file, twin);
  }
}

/**
 * Writes one page. Holds at most its short features and one large one, compressed.
 * @param ranges the positions of its features
 */
function writePage(file: string, format: Format, ranges: Ranges, texts: FeatureTexts): CheckedFile {
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  const { before, after } = FRAMES[format];
  const separator = Buffer.of(SEPARATORS[format]);
  let pending: Buffer[] = [Buffer.from(before)];

  function writePending(): void {
    const text = Buffer.concat(pending);
    if (text.length > 0) member.add({ data: deflateText(text), ...sumOf(text) });
    pending = [];
  }

  let left = positionsOf(ranges).count;
  for (const { bytes, deflated } of texts.read(ranges)) {
    const hasSeparator = --left > 0 && format === 'fc';
    if (deflated === undefined) {
      if (hasSeparator) pending.push(bytes.subarray(0, -1), separator);
      else pending.push(bytes);
    } else {
      writePending();
      // The last byte of the deflate data is that of the text.
      if (hasSeparator) bytes[bytes.length - 1] = SEPARATORS[format];
      member.add({ ...deflated, data: bytes, crc: hasSeparator ? swapSeparator(deflated.crc) : deflated.crc });
    }
  }
  pending.push(Buffer.from(after));
  writePending();
  member.end();
  const written = output.close();
  refuseLargePage(file, written.bytes);
  return written;
}
