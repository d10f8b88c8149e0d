// The child process of a build: takes one task after the other from its parent and answers each with its result.
import { BuildError } from './failure.ts';
import { type ReadResult, type ReadTask, readLevel } from './read.ts';
import { type WriteResult, type WriteTask, writeShard } from './write.ts';

/** The work a child does, by kind: what it is given and what it answers. */
export interface Work {
  read: { task: ReadTask; result: ReadResult };
  write: { task: WriteTask; result: WriteResult };
}

/** What the parent sends. */
export type Job = { [Kind in keyof Work]: { kind: Kind; task: Work[Kind]['task'] } }[keyof Work];

/** What the child answers: the result, or what went wrong. */
export type Answer = { result: unknown } | { failure: { message: string; remedy: string | undefined } };

function perform(job: Job): unknown {
  return job.kind === 'read' ? readLevel(job.task) : writeShard(job.task);
}

function answer(job: Job): Answer {
  try {
    return { result: perform(job) };
  } catch (error) {
    const remedy = error instanceof BuildError ? error.remedy : undefined;
    const message = error instanceof Error ? (remedy ? error.message : (error.stack ?? error.message)) : String(error);
    return { failure: { message, remedy } };
  }
}

process.on('message', (job: Job) => process.send?.(answer(job)));
// A child without a parent has nothing left to do.
process.on('disconnect', () => process.exit());
