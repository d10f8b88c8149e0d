// The child process of a build: takes one job after the other from its parent and answers each with its result.
import { BuildError, explained } from '../report/errors.ts';
import { type Job, perform } from './work.ts';

/** What the child answers: the result, or what went wrong. */
export type Answer = { result: unknown } | { failure: { message: string; remedy: string | undefined } };

async function answer(job: Job): Promise<Answer> {
  try {
    return { result: await perform(job) };
  } catch (fault) {
    const error = explained(fault);
    if (error instanceof BuildError) return { failure: { message: error.message, remedy: error.remedy } };
    return {
      failure: { message: error instanceof Error ? (error.stack ?? error.message) : String(error), remedy: undefined },
    };
  }
}

process.on('message', async (job: Job) => {
  process.send?.(await answer(job));
});
// A child without a parent has nothing left to do.
process.on('disconnect', () => process.exit());
