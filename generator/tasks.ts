// The work that can be done side by side, by kind: what each is given and what it answers.
import { type CompareResult, type CompareTask, compareLevel } from './compare.ts';
import { type ReadResult, type ReadTask, readLevel } from './read.ts';
import { type VerifyResult, type VerifyTask, verifyShard } from './verify-pages.ts';
import { type WriteResult, type WriteTask, writeShard } from './write.ts';

/** By kind: the task, plain data that can be sent to another process, and its result. */
export interface Tasks {
  read: { task: ReadTask; result: ReadResult };
  write: { task: WriteTask; result: WriteResult };
  verify: { task: VerifyTask; result: VerifyResult };
  compare: { task: CompareTask; result: CompareResult };
}

/** One task with its kind. */
export type Job = { [Kind in keyof Tasks]: { kind: Kind; task: Tasks[Kind]['task'] } }[keyof Tasks];

/** Performs a job in this process. */
export async function perform(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'read':
      return readLevel(job.task);
    case 'write':
      return writeShard(job.task);
    case 'verify':
      return verifyShard(job.task);
    case 'compare':
      return compareLevel(job.task);
  }
}
