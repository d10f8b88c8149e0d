// Writes a part of a level's files: feature files, pages and cells. Runs in child processes; several write the same level
// concurrently, without communication. A page is one gzip member: the text of its short features is deflated together; the
// deflate data of large features is copied from the store.
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CellArrays } from '../../format/cells.ts';
import { sumOf } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { deflateText, FRAME_DATA, type FrameData, MemberWriter } from '../../format/gzip.ts';
import { type Format, FRAMES, type Geometry, type Level } from '../../format/levels.ts';
import type { Ranges } from '../../format/positions.ts';
import type { CheckedFile } from '../../format/release.ts';
import { newCellBuilder } from '../cells/build-cells.ts';
import { createOutputFile } from '../release/output-file.ts';
import { BuildError } from '../report/errors.ts';
import { geometryStorePath, openStore, type StoreReader } from '../store/feature-store.ts';
import { readRings } from '../store/ring-store.ts';
import { readSidecar } from '../store/sidecar.ts';
import type { Part } from './divide-work.ts';
import { type FilePlan, fileAt, isFormat, plannedIndex, type StoredFiles } from './plan.ts';
import { addFeature, addFile, type FeatureRecords, featureRecords, newRecords, writeRecords } from './records.ts';

/** What to write and where. Plain data: it is sent to a child process. */
export interface WriteTask extends StoredFiles {
  level: Level;
  /** The level's store, filled. */
  store: string;
  /** The release's folder. */
  out: string;
  /** Path of the file for the records of the written files. */
  records: string;
  part: Part;
  /** Decimals of the coordinates. */
  precision: number;
}

/** Maximum bytes of a page: a level's page tables have 32 bits for them. */
const PAGE_BYTES_MAX = 2 ** 32 - 1;

/** Writes the part's files and their records. */
export function writeFiles({ level, out, part, ...task }: WriteTask): void {
  const store = openStore(task.store);
  const stores = new Map<Geometry, StoreReader>([['full', store]]);
  const storeOf = (geometry: Geometry): StoreReader => {
    const opened = stores.get(geometry) ?? openStore(geometryStorePath(task.store, geometry));
    stores.set(geometry, opened);
    return opened;
  };
  const index = plannedIndex(level, task, store.index);
  const plan = readSidecar<FilePlan>(task.store, 'plan');
  const records = newRecords(part);
  const folders = new Set<string>();
  let last: { file: string; written: CheckedFile } | undefined;
  for (let at = part.first; at < part.end; at++) {
    const planned = fileAt(index, elementAt(plan.order, at));
    const file = join(out, planned.path);
    const folder = dirname(file);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    if (plan.copies[at] === 1 && last !== undefined) linkOrCopy(last.file, file);
    else {
      const { kind, ranges } = planned;
      let written: CheckedFile;
      if (kind === 'cells') {
        const { arrays, ...checked } = writeCells(file, task.store, task.precision);
        records.cells = arrays;
        written = checked;
      } else if (isFormat(kind)) written = writePage(file, kind, ranges, store);
      else written = writeFeatureFile(file, ranges, storeOf(kind), featureRecords(records, kind));
      last = { file, written };
    }
    addFile(records, last.written);
  }
  for (const opened of stores.values()) opened.close();
  writeRecords(task.records, records);
}

/** @throws BuildError for a page that the page tables have no room for */
export function refuseLargePage(file: string, bytes: number): void {
  if (bytes > PAGE_BYTES_MAX)
    throw new BuildError(
      `${file}: a page of ${bytes} bytes, at most ${PAGE_BYTES_MAX} are possible`,
      'use --pages none: requests are answered from the feature files',
    );
}

/** Writes a feature file: one gzip member with a seam after every line. */
function writeFeatureFile(file: string, ranges: Ranges, store: StoreReader, records: FeatureRecords): CheckedFile {
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  for (const { bytes, deflated } of store.read(ranges)) {
    const feature = deflated ? { data: bytes, ...deflated } : { data: deflateText(bytes), ...sumOf(bytes) };
    member.add(feature);
    addFeature(records, feature);
  }
  member.end();
  return output.close();
}

/** Writes the cells, which say which units are at a point, from the rings as they are published. */
export function writeCells(file: string, store: string, precision: number): CheckedFile & { arrays: CellArrays } {
  const output = createOutputFile(file);
  const cells = newCellBuilder(precision);
  readRings(store, cells, cells.unit);
  // The file keeps what it has not written yet.
  const arrays = cells.finish((bytes) => output.write(Buffer.from(bytes)));
  return { ...output.close(), arrays };
}

/** Files never change once written, so identical pages are hard links if the file system supports them. */
function linkOrCopy(file: string, twin: string): void {
  try {
    linkSync(file, twin);
  } catch {
    // A repeated shard finds the files of its first run; they are removed, not overwritten, as other links share the bytes.
    rmSync(twin, { force: true });
    copyFileSync(file, twin);
  }
}

/**
 * Writes one page. Holds at most its short features and one large one, compressed.
 * @param ranges the positions of its features
 */
function writePage(file: string, format: Format, ranges: Ranges, store: StoreReader): CheckedFile {
  const output = createOutputFile(file);
  const member = new MemberWriter(output.write);
  let pending: (keyof FrameData | Buffer)[] = ['before'];

  function writePending(): void {
    const [only] = pending;
    // Between two large features there is only a separator, whose deflate data is known.
    if (pending.length === 1 && typeof only === 'string') member.add(FRAME_DATA[format][only]);
    else {
      const text = Buffer.concat(
        pending.map((part) => (typeof part === 'string' ? Buffer.from(FRAMES[format][part]) : part)),
      );
      if (text.length > 0) member.add({ data: deflateText(text), ...sumOf(text) });
    }
    pending = [];
  }

  let isFirst = true;
  for (const { bytes, deflated } of store.read(ranges)) {
    if (!isFirst) pending.push('between');
    isFirst = false;
    if (deflated === undefined) {
      pending.push(bytes);
    } else {
      writePending();
      member.add({ data: bytes, ...deflated });
    }
  }
  pending.push('after');
  writePending();
  member.end();
  const written = output.close();
  refuseLargePage(file, written.bytes);
  return written;
}
