// Several processes that answer on one port: the primary starts them, replaces one that dies, and passes on the stop.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';

/** The processes of a cluster, as the primary sees them. */
export interface Workers {
  /** The port, once all workers listen; rejects when one ends before that. */
  listening: Promise<number>;
  /** Tells all to finish what they are sending; resolves when the last one has ended. */
  stop(): Promise<void>;
  /** Ends all at once. */
  kill(): void;
}

/** A worker that lived shorter than this is replaced only after as long, or a fault at the start would burn the machine. */
const SHORT_LIFE_MS = 1_000;
/** How much later than its answers a worker may end. */
const ENDING_MS = 5_000;

/**
 * Starts `count` workers: this same program with the same arguments.
 * @param stopMs how long a worker's answers may take when it is told to stop
 * @param log gets a line for each worker that died
 */
export function startWorkers(count: number, stopMs: number, log: (line: string) => void): Workers {
  let isStopping = false;
  let isListening = false;
  const running = new Set<Worker>();
  const start = (): void => {
    if (isStopping) return;
    const worker = cluster.fork();
    const begun = performance.now();
    running.add(worker);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (isStopping || !isListening) return;
      log(`worker ${worker.process.pid} ended (${signal ?? `exit code ${code}`}) and is replaced`);
      const lifeMs = performance.now() - begun;
      if (lifeMs < SHORT_LIFE_MS) setTimeout(start, SHORT_LIFE_MS);
      else start();
    });
  };
  const kill = (): void => {
    isStopping = true;
    for (const worker of running) worker.process.kill('SIGKILL');
  };
  const listening = new Promise<number>((resolve, reject) => {
    let ready = 0;
    cluster.on('listening', (_worker, { port }: AddressInfo) => {
      isListening = ++ready >= count;
      if (isListening) resolve(port);
    });
    cluster.once('exit', (_worker, code) => {
      if (isListening) return;
      kill();
      reject(new Error(`a worker ended at its start with exit code ${code}`));
    });
  });
  for (let i = 0; i < count; i++) start();
  return {
    listening,
    async stop() {
      isStopping = true;
      const ended = [...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      for (const worker of running) worker.process.kill('SIGTERM');
      const deadline = setTimeout(kill, stopMs + ENDING_MS);
      await Promise.all(ended);
      clearTimeout(deadline);
    },
    kill,
  };
}
