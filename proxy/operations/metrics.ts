// Numbers for Prometheus, on a port of their own. The only file that knows prom-client.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Registry,
  register,
} from 'prom-client';
import type { Answer } from '../http/answer.ts';

/** What is counted of each request. */
export interface Metrics {
  observe(req: IncomingMessage, res: ServerResponse, answer: () => Answer | undefined): void;
  unparsed(): void;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const MILLIS = 1000;
/** A worker that is busy for longer is left out of the sum. */
const ANSWER_MS = 2000;

/** Begins to count in this process. To be called once. */
export function countRequests(registry: Registry = register): Metrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'boundaries_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer',
    labelNames: ['route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const bytes = new Counter({ name: 'boundaries_sent_bytes_total', help: 'Bytes of answers, headers too', registers });
  const cut = new Counter({ name: 'boundaries_cut_answers_total', help: 'Answers that did not end', registers });
  const running = new Gauge({ name: 'boundaries_requests_running', help: 'Requests under way', registers });
  const unparsed = new Counter({
    name: 'boundaries_unparsed_requests_total',
    help: 'Requests that were no HTTP, too large or too slow',
    registers,
  });
  if (cluster.isWorker) answerPrimary(registry);
  return {
    observe(req, res, answer) {
      const begun = performance.now();
      const { socket } = req;
      const before = socket.bytesWritten;
      running.inc();
      res.once('close', () => {
        running.dec();
        bytes.inc(Math.max(0, socket.bytesWritten - before));
        if (!res.writableFinished) cut.inc();
        // Every route is one of ours, so nobody can fill the memory with labels.
        const seconds = (performance.now() - begun) / MILLIS;
        const status = res.headersSent ? String(res.statusCode) : 'none';
        duration.observe({ route: answer()?.route ?? 'other', status }, seconds);
      });
    },
    unparsed: () => unparsed.inc(),
  };
}

/** The server that Prometheus asks: GET /metrics. In the primary process of a cluster it adds up all workers. */
export function createMetricsServer(): Server {
  const isAdding = cluster.isPrimary && Object.keys(cluster.workers ?? {}).length > 0;
  const read = isAdding ? addWorkers() : (): Promise<string> => register.metrics();
  return createServer((req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    read().then(
      (body) => res.writeHead(200, { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' }).end(body),
      () => res.writeHead(503).end(),
    );
  });
}

// prom-client's own way asks every worker that has been started, and fails when one does not listen yet or no longer.
const ASK = 'boundaries:metrics';

/** A message either way; of the primary without numbers. */
interface Message {
  type: typeof ASK;
  numbers?: object[];
}

/** Sends this worker's numbers whenever it is asked for them. */
function answerPrimary(registry: Registry): void {
  process.on('message', (message) => {
    if (!isMessage(message)) return;
    registry.getMetricsAsJSON().then(
      (numbers) => process.send?.({ type: ASK, numbers } satisfies Message),
      () => {},
    );
  });
}

/** Asks every worker that listens, and adds up what comes in time. */
function addWorkers(): () => Promise<string> {
  const listening = new Set<Worker>();
  cluster.on('listening', (worker) => listening.add(worker));
  cluster.on('exit', (worker) => listening.delete(worker));
  return async () => {
    const answers = [...listening].map((worker) => numbersOf(worker));
    const numbers = (await Promise.all(answers)).filter((one) => one !== undefined);
    return AggregatorRegistry.aggregate(numbers).metrics();
  };
}

/** The numbers of a worker; undefined when it ends or does not answer in time. */
function numbersOf(worker: Worker): Promise<object[] | undefined> {
  return new Promise((resolve) => {
    const end = (numbers?: object[]): void => {
      clearTimeout(timer);
      worker.off('message', take).off('exit', leave);
      resolve(numbers);
    };
    const take = (message: unknown): void => {
      if (isMessage(message)) end(message.numbers);
    };
    const leave = (): void => end();
    const timer = setTimeout(end, ANSWER_MS);
    worker.on('message', take).once('exit', leave);
    if (worker.isConnected()) worker.send({ type: ASK } satisfies Message);
    else end();
  });
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === ASK;
}
