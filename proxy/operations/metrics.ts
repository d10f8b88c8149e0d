// Metrics for Prometheus, on a separate port. The only file that imports prom-client.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { on } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import { isObject } from '../../format/parse.ts';
import type { EndedRequest } from './watch-requests.ts';

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const MS_PER_SECOND = 1000;
/** A worker that does not report within this time is left out of the totals. */
const REPORT_TIMEOUT_MS = 2000;
/** The message by which the primary process asks a worker for its metrics. */
const QUESTION = 'boundaries:metrics';

/** Starts to collect metrics in this process. Call it once. */
export function collectRequestMetrics() {
  collectDefaultMetrics();
  const duration = new Histogram({
    name: 'boundaries_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response',
    labelNames: ['route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
  });
  const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
    new Counter({ name: `boundaries_${name}_total`, help, labelNames });
  const sent = counter('sent_bytes', 'Bytes of responses, headers included');
  const cut = counter('cut_answers', 'Responses that were cut');
  const refused = counter('refused_tokens', 'Requests whose token was refused, by the reason', ['code']);
  const unparsed = counter('unparsed_requests', 'Requests that are not HTTP, too large or too slow');
  const dropped = counter('access_log_dropped_lines', 'Access log lines that could not be written');
  // Whenever the primary process asks.
  if (cluster.isWorker)
    process.on('message', (message) => {
      if (message === QUESTION) register.getMetricsAsJSON().then((metrics) => process.send?.({ metrics }));
    });
  return {
    /** The response of a request has ended. */
    count({ route, status, bytes, ms, isCut, code }: EndedRequest) {
      sent.inc(bytes);
      if (isCut) cut.inc();
      if (code !== undefined) refused.inc({ code });
      // Routes are a fixed set: request text as a label would let clients fill the memory.
      duration.observe({ route: route ?? 'other', status: status || 'none' }, ms / MS_PER_SECOND);
    },
    unparsed: () => unparsed.inc(),
    /** A line of the access log could not be written. */
    droppedLine: () => dropped.inc(),
    /** Reports a state that `read` returns, whenever the metrics are asked for; of several workers the sum. */
    gauge(name: string, help: string, read: () => number, aggregator: 'sum' | 'max' = 'sum') {
      const gauge: Gauge = new Gauge({
        name: `boundaries_${name}`,
        help,
        aggregator,
        collect: () => gauge.set(read()),
      });
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
  const messages = on(worker, 'message', { signal: AbortSignal.timeout(REPORT_TIMEOUT_MS) });
  // A worker that exits does not answer.
  worker.send(QUESTION, () => {});
  try {
    // It may just be saying something else, such as which release it serves.
    for await (const [message] of messages) if (isReport(message)) return message.metrics;
  } catch {
    // It has not come in time.
  }
  return undefined;
}

function isReport(message: unknown): message is { metrics: object[] } {
  return isObject(message) && Array.isArray(message['metrics']);
}
