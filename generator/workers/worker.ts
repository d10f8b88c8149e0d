// The child process of a command: runs the jobs of its parent one by one and sends back each result.
import { BuildError, explained } from '../report/errors.ts';
import { type Job, perform } from './work.ts';

/** The message to the parent: the result of a job, or its error. */
export type Answer = { result: unknown } | { failure: { message: string; remedy: string | undefined } };

async function answer(job: Job): Promise<Answer> {
  try {
    return { result: await perform(job) };
  } catch (cause) {
    const error = explained(cause);
    if (error instanceof BuildError) return { failure: { message: error.message, remedy: error.remedy } };
    return {
      failure: { message: error instanceof Error ? (error.stack ?? error.message) : String(error), remedy: undefined },
    };
  }
}

process.on('message', async (job: Job) => {
  process.send?.(await answer(job));
});
// The parent has ended.
process.on('disconnect', () => process.exit());
