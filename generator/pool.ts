// The child processes of a build: started when first needed, each with one task at a time.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import pLimit from 'p-limit';
import { BuildError } from './failure.ts';
import type { Answer, Job, Work } from './worker.ts';

/** Runs tasks in child processes, at most `size` at once. */
export interface Pool {
  size: number;
  run<Kind extends keyof Work>(kind: Kind, task: Work[Kind]['task']): Promise<Work[Kind]['result']>;
  /** Ends the children, and with them whatever they are doing. */
  close(): void;
}

/** A pool of at most `size` children. */
export function openPool(size: number): Pool {
  const limit = pLimit(size);
  const children = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];

  function startChild(): ChildProcess {
    const child = fork(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { serialization: 'advanced' });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function perform(job: Job): Promise<unknown> {
    const child = idle.pop() ?? startChild();
    const answer = await ask(child, job);
    idle.push(child);
    if ('result' in answer) return answer.result;
    const { message, remedy } = answer.failure;
    throw remedy === undefined ? new Error(message) : new BuildError(message, remedy);
  }

  return {
    size,
    run: (kind, task) => limit(() => perform({ kind, task } as Job)) as Promise<never>,
    close() {
      limit.clearQueue();
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

function ask(child: ChildProcess, job: Job): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer): void => {
      child.off('exit', onExit);
      resolve(answer);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage);
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      reject(
        new BuildError(
          `a child process ${how} during ${job.kind}`,
          'see above for its last words; with SIGKILL, memory ran out: use fewer --workers',
        ),
      );
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
    child.send(job);
  });
}
