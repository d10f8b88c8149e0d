// Writes a part of a level's files: feature files, pages, and what is made of borders. Runs in child processes; several
// write the same level concurrently, without communication. Pages are the slices that the proxy would make of the same
// features: each feature is compressed for its feature file, and pages are put together from the same data.
//
// An order that this file and finalize.ts share: the records of a part have an entry for each path of `pathsOf`, file by
// file as the plan orders them, copies too, and of each geometry an entry for each feature. Names of files are not in
// them: an entry that is added or left out here, but not there, belongs to another file.
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA, MemberWriter, SEPARATORS } from '../../format/gzip.ts';
import { alonePath } from '../../format/layout.ts';
import type { Format, Geometry, Level } from '../../format/levels.ts';
import { positionsOf } from '../../format/positions.ts';
import type { CheckedFile, ReleaseShape } from '../../format/release.ts';
import type { Part } from '../plan/divide-work.ts';
import { type FilePlan, fileAt, isFormat, pathsOf, plannedIndex } from '../plan/plan.ts';
import { addFeature, addFile, type FeatureRecords, featureRecords, newRecords } from '../read/records.ts';
import { createOutputFile } from '../release/output-file.ts';
import { BuildError } from '../report/errors.ts';
import { LevelStore } from '../store/level-store.ts';
import { writeSerialized } from '../store/serialized-file.ts';
import { type DeflatedFeature, DeflatedFeatures } from './deflated-features.ts';
import { writeBorders } from './write-borders.ts';

/** What to write and where. Plain data: it is sent to a child process. */
export interface WriteTask {
  shape: ReleaseShape;
  level: Level;
  /** The level's store, filled. */
  store: string;
  /** The release's folder. */
  out: string;
  /** Path of the file for the records of the written files. */
  records: string;
  part: Part;
}

/** Maximum bytes of a page: a level's page tables have 32 bits for them. */
const PAGE_BYTES_MAX = 2 ** 32 - 1;

/**
 * Writes the part's files and their records. Of each geometry features come in order of position: in the plan its feature
 * files come by first position, which is that of their numbers, and parts follow one another.
 */
export function writeFiles({ level, shape, out, part, ...task }: WriteTask): void {
  const files = new LevelStore(task.store);
  const store = files.openFeatures();
  const index = plannedIndex(level, shape, store.index);
  const stores = [store];
  const full = new DeflatedFeatures(store, index.perFile);
  const known = new Map<Geometry, DeflatedFeatures>([['full', full]]);
  const featuresOf = (geometry: Geometry): DeflatedFeatures => {
    const opened = known.get(geometry);
    if (opened !== undefined) return opened;
    const own = files.openFeatures(geometry);
    stores.push(own);
    const features = new DeflatedFeatures(own, index.perFile);
    known.set(geometry, features);
    return features;
  };
  const plan = files.readPlan<FilePlan>();
  const records = newRecords(part);
  const folders = new Set<string>();
  let last: { file: string; written: CheckedFile } | undefined;
  for (let at = part.first; at < part.end; at++) {
    const planned = fileAt(index, shape, elementAt(plan.order, at));
    for (const path of pathsOf(planned)) {
      const folder = dirname(join(out, path));
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
      folders.add(folder);
    }
    if (planned.kind === 'borders') {
      const made = writeBorders(out, level, files, shape);
      for (const written of made.files) addFile(records, written);
      records.borders = made.borders;
      continue;
    }
    const file = join(out, planned.path);
    let alone: CheckedFile | undefined;
    if (plan.copies[at] === 1 && last !== undefined) linkOrCopy(last.file, file);
    else {
      const { kind, ranges } = planned;
      let written: CheckedFile;
      if (isFormat(kind)) written = writePage(file, kind, full.read(ranges), positionsOf(ranges).count);
      else {
        const features = featureRecords(records, kind);
        const beside = join(out, alonePath(level, planned.number, kind));
        [written, alone] = writeFeatureFiles(file, beside, featuresOf(kind).read(ranges), features);
      }
      last = { file, written };
    }
    addFile(records, last.written);
    if (alone !== undefined) addFile(records, alone);
  }
  for (const opened of stores) opened.close();
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

/**
 * Writes a feature file, one gzip member with a seam after every line, and the file beside it: its chained features
 * alone.
 */
function writeFeatureFiles(
  file: string,
  beside: string,
  features: Iterable<DeflatedFeature>,
  records: FeatureRecords,
): [CheckedFile, CheckedFile] {
  const [output, others] = [createOutputFile(file), createOutputFile(beside)];
  const member = new MemberWriter(output.write);
  for (const { alone, chained, sum } of features) {
    member.add({ data: chained ?? alone, ...sum });
    if (chained !== undefined) others.write(alone);
    addFeature(records, { data: alone, ...sum }, chained);
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

/** Writes one page: the slice of its features. @param count how many they are */
function writePage(file: string, format: Format, features: Iterable<DeflatedFeature>, count: number): CheckedFile {
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  const { before, after } = FRAME_DATA[format];
  member.add(before);
  let left = count;
  for (const { alone, chained, sum } of features) {
    const data = chained ?? alone;
    const hasComma = --left > 0 && format === 'fc';
    member.add(hasComma ? { ...sum, data: withComma(data), crc: swapSeparator(sum.crc) } : { ...sum, data });
  }
  member.add(after);
  member.end();
  const written = output.close();
  refuseLargePage(file, written.bytes);
  return written;
}

/** The data of a feature with the separator of the format fc. Other files have the same data, as it is. */
function withComma(data: Buffer): Buffer {
  const own = Buffer.from(data);
  own[own.length - 1] = SEPARATORS.fc;
  return own;
}
