// Metrics for Prometheus, on a separate port. The only file that imports prom-client.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
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
import type { EndedRequest } from './watch-requests.ts';

/** The metrics of the requests of this process. */
export interface RequestMetrics {
  /** The response of a request has ended. */
  count(request: EndedRequest): void;
  unparsed(): void;
  /** A line of the access log could not be written. */
  droppedLine(): void;
  /** Reports what the server holds at present. Call it once. */
  observe(server: { running(): number; heldBytes(): number }): void;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const MS_PER_SECOND = 1000;
/** A worker that does not report within this time is left out of the totals. */
const REPORT_TIMEOUT_MS = 2000;
/** The message by which the primary process asks a worker for its metrics. */
const QUESTION = 'boundaries:metrics';

/** Starts to collect metrics in this process. Call it once. */
export function collectRequestMetrics(registry: Registry = register): RequestMetrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'boundaries_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const sent = new Counter({
    name: 'boundaries_sent_bytes_total',
    help: 'Bytes of responses, headers included',
    registers,
  });
  const cut = new Counter({ name: 'boundaries_cut_answers_total', help: 'Responses that were cut', registers });
  const unparsed = new Counter({
    name: 'boundaries_unparsed_requests_total',
    help: 'Requests that are not HTTP, too large or too slow',
    registers,
  });
  const dropped = new Counter({
    name: 'boundaries_access_log_dropped_lines_total',
    help: 'Access log lines that could not be written',
    registers,
  });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  // Whenever the primary process asks.
  if (cluster.isWorker)
    process.on('message', (message) => {
      if (message === QUESTION) registry.getMetricsAsJSON().then((report) => process.send?.(report));
    });
  return {
    count({ route, status, bytes, ms, isCut }) {
      sent.inc(bytes);
      if (isCut) cut.inc();
      // Routes are a fixed set: request text as a label would let clients fill the memory.
      duration.observe({ route: route ?? 'other', status: status || 'none' }, ms / MS_PER_SECOND);
    },
    unparsed: () => unparsed.inc(),
    droppedLine: () => dropped.inc(),
    observe({ running, heldBytes }) {
      gauge('boundaries_requests_running', 'Requests in progress', running);
      gauge(
        'boundaries_held_bytes',
        'Bytes of bodies that are being read for clients, or that clients have not taken',
        heldBytes,
      );
    },
  };
}

/**
 * The server for Prometheus: GET /metrics. In the primary process of a cluster it adds up the metrics of all workers.
 */
export function createMetricsServer(): Server {
  return createServer((req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
    const text = workers.length > 0 ? sumOfWorkers(workers) : register.metrics();
    text.then(
      (body) => res.writeHead(200, { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' }).end(body),
      () => res.writeHead(503).end(),
    );
  });
}

// Not prom-client's cluster support: it asks every worker that was started, and fails if one does not answer.
async function sumOfWorkers(workers: readonly (Worker | undefined)[]): Promise<string> {
  const reports = await Promise.all(workers.map((worker) => worker && reportOf(worker)));
  return AggregatorRegistry.aggregate(reports.filter((report) => report !== undefined)).metrics();
}

/** The metrics of a worker; undefined if it does not report in time. */
async function reportOf(worker: Worker): Promise<object[] | undefined> {
  const answer = once(worker, 'message', { signal: AbortSignal.timeout(REPORT_TIMEOUT_MS) });
  // A worker that exits does not answer.
  worker.send(QUESTION, () => {});
  const [report] = await answer.catch(() => []);
  return report;
}
