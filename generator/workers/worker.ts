// The child process of a command: runs the jobs of its parent one by one and sends back each result.
import { BuildError } from '../report/errors.ts';
import { endWithParent } from './end-with-parent.ts';
import { type Job, perform } from './work.ts';

/** The message to the parent: the result of a job, or its error. */
export type Answer = { result: unknown } | { failure: Failure };

/** An error as plain data. */
export interface Failure {
  /** With the stack, if the cause is unknown. */
  message: string;
  /** Of a BuildError. */
  remedy?: string | undefined;
  /** Of an error of the operating system: its code and, if it has one, the path. */
  code?: string | undefined;
  path?: string | undefined;
}

async function answer(job: Job): Promise<Answer> {
  try {
    return { result: await perform(job) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack = message } = error;
  if (error instanceof BuildError) return { message, remedy: error.remedy };
  if (!('syscall' in error && 'code' in error)) return { message: stack };
  return { message, code: String(error.code), path: 'path' in error ? String(error.path) : undefined };
}

// The pool passes its process id.
endWithParent(Number(process.argv.at(-1)));
process.on('message', async (job: Job) => {
  // If the parent has ended, the message cannot be sent, and 'disconnect' follows.
  process.send?.(await answer(job), undefined, undefined, () => {});
});
// The parent has ended, on Windows too.
process.on('disconnect', () => process.exit());
// Signals to the whole process group: the parent receives them as well, and ends its child processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
