// Divides the planned files of a level into parts of about equal work: for the shards of a job array, and for the tasks
// of a build. A pure function of the store index: every shard makes the same division, whatever its number of child
// processes.
import { elementAt, numberAt } from '../../format/element-at.ts';
import type { StoreIndex } from '../store/store-index.ts';
import type { Estimate, FilePlan } from './plan.ts';

/** Which part of each level's files to write: part `shard` of `shards` parts of about equal work. */
export interface Share {
  shard: number;
  shards: number;
}

/** All files of a level. */
export const WHOLE: Share = { shard: 0, shards: 1 };

/** The files `first` up to but not including `end` of a plan, all of one stage. */
export interface Part extends Range {
  stage: number;
}

interface Range {
  first: number;
  end: number;
}

// Estimates: they affect how well the work is balanced, never what is written.
/** The work of a byte of deflate data, which is copied, beside that of a byte of text, which is compressed. */
const COPIED_BYTE = 1 / 2;
/** The work of creating a file. */
const FILE_BYTES = 4000;

/** The work of writing features, in bytes of text to compress: whole numbers, so that sums are exact. */
export function estimateWork({ features, bytes, deflatedText }: StoreIndex): Estimate {
  const before = new Float64Array(features + 1);
  for (let position = 0; position < features; position++) {
    const isCopied = elementAt(deflatedText, position) > 0;
    const work = Math.round(elementAt(bytes, position) * (isCopied ? COPIED_BYTE : 1));
    before[position + 1] = elementAt(before, position) + work;
  }
  return (ranges) => {
    let work = 0;
    for (let i = 0; i < ranges.length; i += 2)
      work += elementAt(before, numberAt(ranges, i + 1)) - elementAt(before, numberAt(ranges, i));
    return work;
  };
}

/**
 * Divides a share of a level among tasks. Shards are divided first, so that they are the same however many tasks write
 * each.
 * @returns about `count` parts, each with at least one file
 */
export function divideShare(plan: FilePlan, { shard, shards }: Share, count: number): Part[] {
  const share = elementAt(divide(plan, { first: 0, end: plan.work.length }, shards), shard);
  const total = workOf(plan, share);
  return plan.stageEnds.flatMap((stageEnd, stage) => {
    const first = Math.max(share.first, plan.stageEnds[stage - 1] ?? 0);
    const own = { first, end: Math.max(first, Math.min(share.end, stageEnd)) };
    const parts = divide(plan, own, Math.max(1, Math.round((count * workOf(plan, own)) / total)));
    return parts.filter(({ first, end }) => first < end).map((part) => ({ ...part, stage }));
  });
}

function workOf({ work }: FilePlan, { first, end }: Range): number {
  return work.subarray(first, end).reduce((sum, file) => sum + file + FILE_BYTES, 0);
}

/** Divides a part into `count` parts of about equal work, in order. A page stays with its copies. */
function divide(plan: FilePlan, whole: Range, count: number): Range[] {
  const { work, copies } = plan;
  const files = work.subarray(whole.first, whole.end);
  const total = workOf(plan, whole);
  const firsts: number[] = [];
  let done = 0;
  for (const [i, file] of files.entries()) {
    const at = whole.first + i;
    // A file belongs to the part in which the middle of its work lies.
    const part = Math.floor(((done + (file + FILE_BYTES) / 2) * count) / total);
    if (copies[at] === 0) while (firsts.length <= part) firsts.push(at);
    done += file + FILE_BYTES;
  }
  return Array.from({ length: count }, (_, part) => ({
    first: firsts[part] ?? whole.end,
    end: firsts[part + 1] ?? whole.end,
  }));
}
