// Divides the files of a level into parts of about equal work: for the shards of a job array, and for the tasks of a build.
// A pure function of the store index: every shard makes the same division, whatever its number of child processes.
import { elementAt, numberAt } from '../../format/element-at.ts';
import { FEATURES_PER_FILE } from '../../format/levels.ts';
import type { Runs } from '../../format/runs.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { type LevelPlan, plannedPages } from './plan.ts';

/** Which part of each level's files to write: part `shard` of `shards` parts of about equal work. */
export interface Share {
  shard: number;
  shards: number;
}

/** All files of a level. */
export const WHOLE: Share = { shard: 0, shards: 1 };

/** The positions `first` up to but not including `end`: the feature files and the pages that begin there. */
export interface Part {
  first: number;
  end: number;
  /** Number of those files. */
  files: number;
}

/** The work of a level by position: that of the files which begin there. */
interface LevelWork {
  /** In bytes of text to compress; whole numbers, so that sums are exact. */
  bytes: Float64Array;
  files: Uint32Array;
}

// Estimates: they affect how well the work is balanced, never what is written.
/** The work of a byte of deflate data, which is copied, beside that of a byte of text, which is compressed. */
const COPIED_BYTE = 1 / 2;
/** The work of creating a file. */
const FILE_BYTES = 4000;

/**
 * Divides a share of a level among tasks. Shards are cut first, so that they are the same however many tasks write each.
 * @returns at most `count` parts, each with at least one file
 */
export function divideShare(plan: LevelPlan, index: StoreIndex, { shard, shards }: Share, count: number): Part[] {
  const work = workOf(plan, index);
  const stretch = elementAt(divideWork(work, { first: 0, end: plan.features }, shards), shard);
  return divideWork(work, stretch, count).filter(({ files }) => files > 0);
}

/** The work of writing a level. */
function workOf(plan: LevelPlan, index: StoreIndex): LevelWork {
  const { features } = plan;
  const before = workBefore(index);
  const bytes = new Float64Array(features);
  const files = new Uint32Array(features);
  // Of the last page that begins at each position. Identical pages are written once; their listings follow one another.
  const last = { geojsonl: new Float64Array(features), fc: new Float64Array(features) };
  const add = (position: number, work: number): void => {
    bytes[position] = elementAt(bytes, position) + FILE_BYTES + work;
    files[position] = elementAt(files, position) + 1;
  };
  const perFile = FEATURES_PER_FILE[plan.level];
  for (let first = 0; first < features; first += perFile)
    add(first, elementAt(before, Math.min(first + perFile, features)) - elementAt(before, first));
  for (const { format, runs } of plannedPages(plan)) {
    const position = numberAt(runs, 0);
    const work = workIn(runs, before);
    const isLink = work === last[format][position];
    last[format][position] = work;
    add(position, isLink ? 0 : work);
  }
  return { bytes, files };
}

/**
 * Cuts a stretch of positions into parts of about equal work.
 * @returns `count` parts in order; a part without files is empty
 */
function divideWork({ bytes, files }: LevelWork, stretch: Omit<Part, 'files'>, count: number): Part[] {
  let total = 0;
  for (let position = stretch.first; position < stretch.end; position++) total += elementAt(bytes, position);
  const firsts: number[] = [];
  let done = 0;
  for (let position = stretch.first; position < stretch.end; position++) {
    const work = elementAt(bytes, position);
    if (work === 0) continue;
    // A position belongs to the part in which the middle of its work lies.
    const part = Math.floor(((done + work / 2) * count) / total);
    while (firsts.length <= part) firsts.push(position);
    done += work;
  }
  return Array.from({ length: count }, (_, part) => {
    const first = firsts[part] ?? stretch.end;
    const end = firsts[part + 1] ?? stretch.end;
    return { first, end, files: files.subarray(first, end).reduce((sum, number) => sum + number, 0) };
  });
}

/** The work of the features before each position, and of all. */
function workBefore({ features, bytes, deflatedText }: StoreIndex): Float64Array {
  const before = new Float64Array(features + 1);
  for (let position = 0; position < features; position++) {
    const isCopied = elementAt(deflatedText, position) > 0;
    const work = Math.round(elementAt(bytes, position) * (isCopied ? COPIED_BYTE : 1));
    before[position + 1] = elementAt(before, position) + work;
  }
  return before;
}

function workIn(runs: Runs, before: Float64Array): number {
  let work = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const first = numberAt(runs, i);
    work += elementAt(before, first + numberAt(runs, i + 1)) - elementAt(before, first);
  }
  return work;
}
