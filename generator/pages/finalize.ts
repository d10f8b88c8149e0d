// Finalises a release after its pages and feature files are written: one task per level writes manifest, feature index,
// names and checksum lines, then release.json and checksums.txt are written.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { RECORD_BYTES } from '../../format/feature-index.ts';
import {
  CHECKSUMS_FILE,
  featureFilePath,
  indexPath,
  manifestPath,
  namesPath,
  OVERVIEW_FILE,
  pagePath,
  RELEASE_FILE,
} from '../../format/layout.ts';
import { FEATURES_PER_FILE, FORMATS, type Level, type StoredPages } from '../../format/levels.ts';
import { digestFrom, manifestToJson, type PageTable } from '../../format/manifest.ts';
import { type LevelSummary, type Release, releaseToJson, type WholeFile } from '../../format/release.ts';
import { namedUnits, type Relatives } from '../names/named-units.ts';
import { writeNames } from '../names/write-names.ts';
import { sha256Of } from '../release/checksums.ts';
import { writeDurably, writePartsDurably } from '../release/fsync.ts';
import { BuildError } from '../report/errors.ts';
import { readStoreIndex } from '../store/feature-store.ts';
import { type LevelPlan, planEmptyLevel, planLevel, plannedPages } from './plan.ts';
import { FILE_KINDS, type FileKind, readRecords, SHA256_BYTES } from './records.ts';

/** What release.json says of a level besides counts and digests. */
export type LevelAbout = Pick<LevelSummary, 'layer' | 'gidColumns' | 'nameColumn' | 'typeColumn' | 'isRenumbered'>;

/** What release.json says of a release besides its files. */
export type ReleaseAbout = Omit<Release, 'levels' | 'overview'>;

/** The level to finalise. Plain data: it is sent to a child process. */
export interface FinalizeTask {
  release: string;
  level: Level;
  about: LevelAbout;
  storedPages: StoredPages;
  /** Path of the level's store, whose index and names are read; undefined if the dataset lacks the level. */
  store: string | undefined;
  /** The levels beside it, for the names. */
  relatives: Relatives;
  /** The record files of all tasks that wrote the level. */
  records: readonly string[];
  /** The release's folder. */
  out: string;
  /** Path of the file for the level's lines of checksums.txt. */
  checksums: string;
}

/** A finalised level. */
export interface FinalizedLevel {
  summary: LevelSummary;
  /** Path of the file with its lines of checksums.txt, in order of path. */
  checksums: string;
}

/** The files of one kind, by number. */
interface FileTable {
  bytes: Float64Array;
  /** SHA-256 of each, `SHA256_BYTES` bytes, joined. */
  sha256: Buffer;
}

/** A file's path relative to the release, and the SHA-256 of its bytes in hex. */
interface Checksum {
  path: string;
  sha256: string;
}

/**
 * Writes a level's manifest, feature index and names, and its checksum lines.
 * @throws BuildError if a planned file was not written, or has not the size that was written
 */
export function finalizeLevel(task: FinalizeTask): FinalizedLevel {
  const { level, storedPages, store, out } = task;
  const plan =
    store === undefined ? planEmptyLevel(level, storedPages) : planLevel(level, readStoreIndex(store), storedPages);
  const { files, index } = mergeRecords(plan, task.records);
  checkFiles(plan, files, out);
  const manifest = manifestToJson({
    release: task.release,
    level,
    features: plan.features,
    fids: plan.fids,
    columns: plan.columns,
    featuresPerFile: FEATURES_PER_FILE[level],
    storedPages,
    pages: { geojsonl: pageTable(files.geojsonl), fc: pageTable(files.fc) },
  });
  const checksums = Array.from(plannedFiles(plan), ({ path, kind, number }) => ({
    path,
    sha256: files[kind].sha256.toString('hex', number * SHA256_BYTES, (number + 1) * SHA256_BYTES),
  }));
  const put = (path: string, content: string | Buffer): string => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeDurably(join(out, path), content);
    const sha256 = sha256Of(content);
    checksums.push({ path, sha256 });
    return sha256;
  };
  const summary: LevelSummary = {
    level,
    ...task.about,
    features: plan.features,
    listings: plan.filledListings,
    pages: plan.pages,
    bytes: FORMATS.reduce((sum, format) => sum + total(files[format].bytes), 0),
    featureFiles: { files: files.features.bytes.length, bytes: total(files.features.bytes) },
    manifest: put(manifestPath(level), manifest),
    index: put(indexPath(level), index),
    names: writeNames(out, level, namedUnits(level, store, task.relatives)),
  };
  checksums.push({ path: namesPath(level), sha256: summary.names.sha256 });
  writeFileSync(task.checksums, checksumLines(checksums));
  return { summary, checksums: task.checksums };
}

/**
 * Writes release.json and checksums.txt.
 * @param out the release's folder
 * @param levels all six, ascending
 * @param overview its file is written
 */
export function sealRelease(
  out: string,
  about: ReleaseAbout,
  levels: readonly FinalizedLevel[],
  overview: WholeFile,
): Release {
  const release = { ...about, overview, levels: levels.map(({ summary }) => summary) };
  const json = releaseToJson(release);
  writeDurably(join(out, RELEASE_FILE), json);
  const others = [
    { path: OVERVIEW_FILE, sha256: overview.sha256 },
    { path: RELEASE_FILE, sha256: sha256Of(json) },
  ];
  writePartsDurably(join(out, CHECKSUMS_FILE), checksumParts(levels, others));
  return release;
}

/** The lines of checksums.txt, in order of path: the folders lv0 to lv5, then the other files. */
function* checksumParts(levels: readonly FinalizedLevel[], others: Checksum[]): Generator<string | Uint8Array> {
  for (const { checksums } of levels) yield readFileSync(checksums);
  yield checksumLines(others);
}

/** Merges the records of all tasks into tables by file number. */
function mergeRecords(
  plan: LevelPlan,
  records: readonly string[],
): { files: Record<FileKind, FileTable>; index: Buffer } {
  const perFile = FEATURES_PER_FILE[plan.level];
  const tableOf = (count: number): FileTable => ({
    bytes: new Float64Array(count),
    sha256: Buffer.alloc(count * SHA256_BYTES),
  });
  const files = {
    features: tableOf(Math.ceil(plan.features / perFile)),
    geojsonl: tableOf(plan.pages.geojsonl),
    fc: tableOf(plan.pages.fc),
  };
  const index = Buffer.alloc(plan.features * RECORD_BYTES);
  for (const file of records) {
    const task = readRecords(file);
    let read = 0;
    for (const kind of FILE_KINDS) {
      const { numbers, bytes, sha256 } = task.files[kind];
      for (const [i, number] of numbers.entries()) {
        files[kind].bytes[number] = elementAt(bytes, i);
        files[kind].sha256.set(sha256.subarray(i * SHA256_BYTES, (i + 1) * SHA256_BYTES), number * SHA256_BYTES);
      }
    }
    for (const number of task.files.features.numbers) {
      const first = number * perFile;
      const length = (Math.min(first + perFile, plan.features) - first) * RECORD_BYTES;
      index.set(task.features.subarray(read, read + length), first * RECORD_BYTES);
      read += length;
    }
  }
  for (const kind of FILE_KINDS) {
    const missing = files[kind].bytes.indexOf(0);
    if (missing !== -1)
      throw new BuildError(
        `level ${plan.level}: ${kind} file ${missing + 1} of ${files[kind].bytes.length} was not written`,
        'run the build again; if it fails again, report a bug',
      );
  }
  return { files, index };
}

function pageTable({ bytes, sha256 }: FileTable): PageTable {
  const digests = Array.from(bytes, (_, i) => digestFrom(sha256.subarray(i * SHA256_BYTES, (i + 1) * SHA256_BYTES)));
  return { bytes: Array.from(bytes), digests: digests.join('') };
}

/** Feature files and pages by path, with their kind and number. */
function* plannedFiles(plan: LevelPlan): Generator<{ path: string; kind: FileKind; number: number }> {
  const { level } = plan;
  const featureFiles = Math.ceil(plan.features / FEATURES_PER_FILE[level]);
  for (let number = 0; number < featureFiles; number++)
    yield { path: featureFilePath(level, number), kind: 'features', number };
  for (const { format, number, listing, page } of plannedPages(plan))
    yield { path: pagePath(level, format, listing.key, page), kind: format, number };
}

/** The last check before the release is published: the folder may have been changed since. */
function checkFiles(plan: LevelPlan, files: Record<FileKind, FileTable>, out: string): void {
  for (const { path, kind, number } of plannedFiles(plan)) {
    const file = join(out, path);
    const expected = elementAt(files[kind].bytes, number);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === expected) continue;
    throw new BuildError(
      `${file}: ${size === undefined ? 'is missing' : `has ${size} bytes`}, ${expected} bytes were written`,
      'another program has changed the output folder: end it and run the command again',
    );
  }
}

/** The form that `sha256sum -c` reads, ordered by path. */
function checksumLines(checksums: Checksum[]): string {
  checksums.sort((a, b) => (a.path < b.path ? -1 : 1));
  return checksums.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
