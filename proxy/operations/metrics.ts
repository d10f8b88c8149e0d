// Metrics for Prometheus, on a separate port. The only file that imports prom-client.
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
import type { HttpRequest } from '../http/request.ts';

/** The metrics of the requests of this process. */
export interface RequestMetrics {
  observe(req: IncomingMessage, res: ServerResponse, request: HttpRequest): void;
  unparsed(): void;
  /** A line of the access log could not be written. */
  droppedLine(): void;
  /** Reports the bytes of bodies that clients have not taken. Call it once. */
  observeHeld(bytes: () => number): void;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const MS_PER_SECOND = 1000;
/** A worker that does not report within this time is left out of the totals. */
const REPORT_TIMEOUT_MS = 2000;

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
  const bytes = new Counter({
    name: 'boundaries_sent_bytes_total',
    help: 'Bytes of responses, headers included',
    registers,
  });
  const cut = new Counter({ name: 'boundaries_cut_answers_total', help: 'Responses that were cut', registers });
  const running = new Gauge({ name: 'boundaries_requests_running', help: 'Requests in progress', registers });
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
  if (cluster.isWorker) reportToPrimary(registry);
  return {
    observe(req, res, request) {
      const startedAt = performance.now();
      const { socket } = req;
      const bytesBefore = socket.bytesWritten;
      running.inc();
      res.once('close', () => {
        running.dec();
        bytes.inc(Math.max(0, socket.bytesWritten - bytesBefore));
        if (!res.writableFinished) cut.inc();
        // Routes are a fixed set: request text as a label would let clients fill the memory.
        const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
        const status = res.headersSent ? String(res.statusCode) : 'none';
        duration.observe({ route: request.route ?? 'other', status }, seconds);
      });
    },
    unparsed: () => unparsed.inc(),
    droppedLine: () => dropped.inc(),
    observeHeld(bytes) {
      new Gauge({
        name: 'boundaries_held_bytes',
        help: 'Bytes of bodies that are being read for clients, or that clients have not taken',
        registers,
        collect() {
          this.set(bytes());
        },
      });
    },
  };
}

/**
 * The server for Prometheus: GET /metrics. In the primary process of a cluster it adds up the metrics of all workers.
 */
export function createMetricsServer(): Server {
  const hasWorkers = cluster.isPrimary && Object.keys(cluster.workers ?? {}).length > 0;
  const read = hasWorkers ? aggregateWorkers() : (): Promise<string> => register.metrics();
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

// Not prom-client's cluster support: it asks every worker that was started, and fails if one does not listen yet or has
// exited.
const MESSAGE_TYPE = 'boundaries:metrics';

/** The request of the primary process, without metrics, or the report of a worker. */
interface MetricsMessage {
  type: typeof MESSAGE_TYPE;
  metrics?: object[];
}

/** Sends the metrics of this worker whenever the primary process requests them. */
function reportToPrimary(registry: Registry): void {
  process.on('message', (message) => {
    if (!isMetricsMessage(message)) return;
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ type: MESSAGE_TYPE, metrics } satisfies MetricsMessage),
      () => {},
    );
  });
}

/** Requests the metrics of every worker that listens, and adds up the reports that arrive in time. */
function aggregateWorkers(): () => Promise<string> {
  const listening = new Set<Worker>();
  cluster.on('listening', (worker) => listening.add(worker));
  cluster.on('exit', (worker) => listening.delete(worker));
  return async () => {
    const reports = await Promise.all([...listening].map((worker) => requestReport(worker)));
    return AggregatorRegistry.aggregate(reports.filter((report) => report !== undefined)).metrics();
  };
}

/** The metrics of a worker; undefined if it exits or does not report in time. */
function requestReport(worker: Worker): Promise<object[] | undefined> {
  return new Promise((resolve) => {
    const end = (metrics?: object[]): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', onExit);
      resolve(metrics);
    };
    const onMessage = (message: unknown): void => {
      if (isMetricsMessage(message)) end(message.metrics);
    };
    const onExit = (): void => end();
    const timer = setTimeout(end, REPORT_TIMEOUT_MS);
    worker.on('message', onMessage).once('exit', onExit);
    if (worker.isConnected()) worker.send({ type: MESSAGE_TYPE } satisfies MetricsMessage);
    else end();
  });
}

function isMetricsMessage(value: unknown): value is MetricsMessage {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === MESSAGE_TYPE;
}
