// Worker processes that share one port: the primary process starts them, replaces those that exit, and stops them.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { type NewestRelease, toMessage } from '../data/newest-release.ts';

/** A worker that exits sooner is replaced after this delay, so that a permanent error does not cause a fork loop. */
const RESTART_DELAY_MS = 1_000;
/** A worker is killed if it runs longer than the stop timeout and this. */
const EXIT_GRACE_MS = 5_000;

/** The environment variable by which a worker is told what the others serve. */
const NEWEST = 'BOUNDARIES_NEWEST_RELEASE';
/** That by which a worker is told that no other one takes connections. */
const ALONE = 'BOUNDARIES_FIRST_WORKER';
/** The message of a worker that listens, and has loaded the release that it serves. */
const READY = 'boundaries:ready';

/**
 * Starts workers: this program with the same arguments.
 * @param stopTimeoutMs time for a worker's responses in progress
 * @param newest the newest release that a worker has served: all go on with it
 * @param log receives a line for each worker that exits
 * @param restarted is called for each one that is replaced
 */
export function startWorkers(
  count: number,
  stopTimeoutMs: number,
  newest: NewestRelease | undefined,
  log: (line: string) => void,
  restarted: () => void = () => {},
) {
  let isStopping = false;
  let isServing = false;
  const running = new Set<Worker>();
  const start = (): void => {
    if (isStopping) return;
    const served = newest?.served;
    const worker = cluster.fork({
      ...(served && { [NEWEST]: JSON.stringify(toMessage(served)) }),
      ...(running.size === 0 && { [ALONE]: 'true' }),
    });
    worker.on('message', (message: unknown) => {
      if (!newest?.hear(message) || newest.served === undefined) return;
      for (const other of running) if (other !== worker) other.send(toMessage(newest.served));
    });
    const startedAt = performance.now();
    running.add(worker);
    closeWhatItIsHanded(worker);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (isStopping || !isServing) return;
      log(`worker ${worker.process.pid} exited (${signal ?? `code ${code}`}); starting a replacement`);
      restarted();
      const lifetimeMs = performance.now() - startedAt;
      if (lifetimeMs < RESTART_DELAY_MS) setTimeout(start, RESTART_DELAY_MS);
      else start();
    });
  };
  const kill = (): void => {
    isStopping = true;
    for (const worker of running) worker.process.kill('SIGKILL');
  };
  const ready = new Promise<number>((resolve, reject) => {
    let [shared, readyWorkers] = [0, 0];
    cluster.on('listening', (_worker, { port }: AddressInfo) => {
      shared = port;
    });
    cluster.on('message', (_worker, message: unknown) => {
      if (message !== READY || ++readyWorkers !== count) return;
      isServing = true;
      resolve(shared);
    });
    cluster.once('exit', ({ process: { pid } }, code, signal) => {
      if (isServing) return;
      kill();
      // A worker prints its own errors, but not that it was killed.
      if (signal) log(`worker ${pid} exited (${signal}) before it was ready; after SIGKILL memory was probably short`);
      reject(new Error(`a worker exited with code ${code} before it was ready`));
    });
  });
  for (let i = 0; i < count; i++) start();
  return {
    /** The port, once all workers listen and have loaded the release; rejects if one exits before that. */
    ready,
    /** Lets all workers finish their responses; resolves when the last worker has exited. */
    async stop() {
      isStopping = true;
      const exits = [...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      for (const worker of running) worker.process.kill('SIGTERM');
      const deadline = setTimeout(kill, stopTimeoutMs + EXIT_GRACE_MS);
      await Promise.all(exits);
      clearTimeout(deadline);
    },
    /** Ends all workers at once. */
    kill,
  };
}

/**
 * Does this process listen before it has loaded a release, so that whoever looks is answered? Not a worker beside others
 * that serve: it would take connections from them which it cannot serve yet.
 */
export function listensFirst(): boolean {
  return cluster.isPrimary || process.env[ALONE] === 'true';
}

/** Tells the primary process that this worker serves. */
export function tellReady(): void {
  process.send?.(READY);
}

/** Lets a worker tell the others what it serves, and hear what they do. */
export function shareNewest(newest: NewestRelease): void {
  const told = process.env[NEWEST];
  if (told !== undefined) newest.hear(JSON.parse(told));
  newest.announce = (served) => process.send?.(toMessage(served));
  process.on('message', (message) => newest.hear(message));
}

/**
 * Closes a connection whose worker exits before it has taken it. The cluster of Node.js accepts connections in the
 * primary process and hands each worker one at a time; its copy of that one it would keep for good, neither answered
 * nor closed.
 */
function closeWhatItIsHanded(worker: Worker): void {
  const { process: child } = worker;
  const send = child.send.bind(child);
  let last: unknown;
  child.send = (...args: unknown[]): boolean => {
    // Messages with a handle are those of the cluster: a connection that was accepted.
    last = args[1] ?? last;
    return Reflect.apply(send, child, args);
  };
  worker.once('exit', () => {
    // Closing it again does nothing.
    if (isCloseable(last)) last.close();
  });
}

function isCloseable(handle: unknown): handle is { close(): void } {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}
