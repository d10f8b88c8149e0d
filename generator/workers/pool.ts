// The pool of child processes of a command; each does one task at a time.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { BuildError } from '../report/errors.ts';
import { type Cost, measured, Phases, type RunningPhase } from '../report/phases.ts';
import { idleMemory } from './memory.ts';
import { type Demand, TaskQueue } from './task-queue.ts';
import { type Job, perform, type Work } from './tasks.ts';
import type { Answer } from './worker.ts';

/** Runs tasks in child processes, at most `size` at once. */
export interface Pool {
  size: number;
  /** What its tasks took, to which others may be added. */
  phases: Phases;
  /**
   * Runs a function in a child process. Its type is given, as `typeof planDissolve`: it is not loaded here.
   * @param demand by which it waits for its turn
   */
  run<Call extends (task: never) => unknown>(
    work: Work,
    task: Parameters<NoInfer<Call>>[0],
    demand?: Demand,
  ): Promise<Awaited<ReturnType<Call>>>;
  /** The same for a task that may have become needless when it has its turn: then the result is undefined. */
  runIf<Call extends (task: never) => unknown>(
    isNeeded: () => boolean,
    work: Work,
    task: Parameters<NoInfer<Call>>[0],
    demand?: Demand,
  ): Promise<Awaited<ReturnType<Call>> | undefined>;
  /** Kills the child processes, whatever they are doing; resolves when they have exited. */
  close(): Promise<void>;
}

/** Tasks into which a piece of work is divided, for each child process: all of them end at about the same time. */
const TASKS_PER_WORKER = 4;

/** Into how many tasks a pool divides a piece of work that can be divided at will. */
export function taskCount({ size }: Pick<Pool, 'size'>): number {
  return Math.max(1, size * TASKS_PER_WORKER);
}

const AT_ONCE: Demand = { rank: 0, bytes: 0 };

/**
 * A pool of at most `size` child processes; with 0, tasks run in this process, one at a time.
 * @param atOnce number of children to start before the first job: each takes half a second to load its modules
 * @param memory bytes that tasks may hold together
 * @param onPhases gets the phases that run now, whenever they change
 */
export function openPool(
  size: number,
  atOnce = 0,
  memory?: number,
  onPhases?: (running: readonly RunningPhase[]) => void,
): Pool {
  const phases = new Phases(onPhases);
  const queue = new TaskQueue(Math.max(size, 1), memory);
  const children = new Set<ChildProcess>();
  const idle = new Set<ChildProcess>();
  const idleMax = memory === undefined ? Number.POSITIVE_INFINITY : idleMemory(memory, size);
  let isClosed = false;
  let performed: Promise<unknown> = Promise.resolve();

  function startChild(): ChildProcess {
    const child = forkWorker(idleMax);
    children.add(child);
    child.once('exit', () => {
      children.delete(child);
      idle.delete(child);
    });
    return child;
  }

  async function delegate(job: Job, isAlone: boolean): Promise<{ result: unknown; cost: Cost }> {
    if (isAlone) endIdle();
    const [child = startChild()] = idle;
    idle.delete(child);
    const answer = await ask(child, job);
    // What a task took stays with its process, and nobody counts it: the next job gets a new one.
    if ('result' in answer && answer.cost.heldBytes > idleMax) child.kill('SIGKILL');
    else idle.add(child);
    return resultOf(answer);
  }

  /** What children have kept of earlier tasks is room for one that needs all there is, in a child of its own. */
  function endIdle(): void {
    for (const child of idle) child.kill('SIGKILL');
    idle.clear();
  }

  function performHere(job: Job): Promise<{ result: unknown; cost: Cost }> {
    const result = measured(() => perform(job));
    performed = result.catch(() => {});
    return result;
  }

  async function start(job: Job, isAlone: boolean): Promise<unknown> {
    // A job that was queued after another job has failed.
    if (isClosed) throw new Error(`${job.name}: the pool is closed`);
    return phases.during(job.phase, () => (size === 0 ? performHere(job) : delegate(job, isAlone)));
  }

  const killChildren = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  // At once: a child process by itself notices the end of this one only a moment later.
  process.on('exit', killChildren);
  for (let i = 0; i < Math.min(size, atOnce); i++) idle.add(startChild());
  function runIf(isNeeded: () => boolean, work: Work, task: unknown, demand = AT_ONCE): Promise<never> {
    phases.expect(work.phase);
    return queue.run(demand, async () => {
      if (isNeeded()) return start({ ...work, task }, queue.isAlone(demand));
      return phases.expect(work.phase, -1);
    }) as Promise<never>;
  }

  return {
    size,
    phases,
    run: (...call) => runIf(() => true, ...call),
    runIf,
    async close() {
      isClosed = true;
      queue.clear();
      await performed;
      const living = [...children];
      const gone = Promise.all(living.map((child) => once(child, 'exit')));
      killChildren();
      await gone;
      process.off('exit', killChildren);
    },
  };
}

/**
 * From so many bytes on the memory of an array goes back to the system when the array does. The GNU C library by itself
 * raises this with each array that is freed, to 32 MiB: then a child process keeps most of what any task had.
 */
const MMAP_THRESHOLD_BYTES = 1 << 20;

/** @param idleMax bytes that it may have while it waits */
function forkWorker(idleMax: number, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
  return fork(program, [process.pid, idleMax].map(String), {
    serialization: 'advanced',
    env: { MALLOC_MMAP_THRESHOLD_: String(MMAP_THRESHOLD_BYTES), ...env },
  });
}

/** Runs a function in a child process that has these variables in its environment, and ends it. */
export async function runWith<Call extends (task: never) => unknown>(
  env: Readonly<Record<string, string>>,
  work: Work,
  task: Parameters<NoInfer<Call>>[0],
): Promise<Awaited<ReturnType<Call>>> {
  const child = forkWorker(Number.POSITIVE_INFINITY, { ...process.env, ...env });
  const exited = once(child, 'exit');
  try {
    return resultOf(await ask(child, { ...work, task })).result as never;
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

function resultOf(answer: Answer): { result: unknown; cost: Cost } {
  if ('result' in answer) return answer;
  const { message, lines = message, remedy, code, path } = answer.failure;
  if (remedy !== undefined) throw new BuildError(lines, remedy);
  throw code === undefined ? new Error(message) : Object.assign(new Error(message), { code, path });
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
          `a child process ${how} during ${job.name}`,
          'see its error output above; after SIGKILL the machine was probably out of memory: use fewer --workers, or less --memory',
        ),
      );
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
    // A child that exits before it gets the job is reported by `onExit`.
    child.send(job, () => {});
  });
}
