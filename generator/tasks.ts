// The work that can be done side by side, by kind: what each is given and what it answers. A module is loaded when the
// first job of its kind is performed, so that a process has only what it uses.
import type { CompareResult, CompareTask } from './compare.ts';
import type { SourceOptions } from './dataset.ts';
import type { DatasetDescription } from './describe.ts';
import type { ReadResult, ReadTask } from './read.ts';
import type { FinalizedLevel, FinalizeTask } from './seal.ts';
import type { VerifyFeaturesResult } from './verify-features.ts';
import type { VerifyPagesResult, VerifyPagesTask } from './verify-pages.ts';
import type { ShardTask } from './verify-shard.ts';
import type { WriteResult, WriteTask } from './write.ts';

/** By kind: the task, plain data that can be sent to another process, and its result. */
export interface Tasks {
  describe: { task: SourceOptions; result: DatasetDescription };
  read: { task: ReadTask; result: ReadResult };
  write: { task: WriteTask; result: WriteResult };
  finalize: { task: FinalizeTask; result: FinalizedLevel };
  verifyFeatures: { task: ShardTask; result: VerifyFeaturesResult };
  verifyPages: { task: VerifyPagesTask; result: VerifyPagesResult };
  compare: { task: CompareTask; result: CompareResult };
}

/** One task with its kind. */
export type Job = { [Kind in keyof Tasks]: { kind: Kind; task: Tasks[Kind]['task'] } }[keyof Tasks];

/** Performs a job in this process. */
export async function perform(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'describe':
      return (await import('./describe.ts')).describeDataset(job.task);
    case 'read':
      return (await import('./read.ts')).readLevel(job.task);
    case 'write':
      return (await import('./write.ts')).writeShard(job.task);
    case 'finalize':
      return (await import('./seal.ts')).finalizeLevel(job.task);
    case 'verifyFeatures':
      return (await import('./verify-features.ts')).verifyFeatures(job.task);
    case 'verifyPages':
      return (await import('./verify-pages.ts')).verifyPages(job.task);
    case 'compare':
      return (await import('./compare.ts')).compareLevel(job.task);
  }
}
