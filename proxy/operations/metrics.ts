// Metrics for Prometheus, on a separate port. The only file that imports prom-client.
import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { on } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import { CURRENT_PATH } from '../../format/layout.ts';
import { isObject } from '../../format/parse.ts';
import type { KeySource } from '../auth/authenticate.ts';
import { TOKEN_FAULTS } from '../auth/token-fault.ts';
import { isStorageError } from '../bodies/answer.ts';
import type { LoadedRelease } from '../data/loaded-release.ts';
import { OriginError } from '../origin/origin.ts';
import { METRICS, type Metric, type NameOf } from './metric-list.ts';
import type { EndedRequest } from './watch-requests.ts';

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const MS_PER_SECOND = 1000;
/** A worker that does not report within this time is left out of the totals. */
const REPORT_TIMEOUT_MS = 2000;
/** The message by which the primary process asks a worker for its metrics. */
const QUESTION = 'boundaries:metrics';

/** Every kind of error of the origin: a counter that begins with its first error shows no increase. */
const ORIGIN_FAULTS = Object.keys({
  missing: true,
  unreadable: true,
  unreachable: true,
  damaged: true,
  slow: true,
  busy: true,
} satisfies Record<OriginError['reason'], true>);

/** Classes of statuses by their first digit; 0 is that of a client that left before the response. */
const CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A value, or one for each combination of labels. */
type Values = number | readonly (readonly [Readonly<Record<string, string>>, number])[];

/** Starts to collect metrics in this process. Call it once. */
export function collectRequestMetrics() {
  collectDefaultMetrics();
  const duration = new Histogram({ ...described('request_duration_seconds'), buckets: DURATION_BUCKETS_SECONDS });
  const responses = counter('responses_total');
  for (const name of CLASSES) responses.inc({ class: name }, 0);
  const sent = counter('sent_bytes_total');
  const cut = counter('cut_answers_total');
  const refused = counter('refused_tokens_total');
  for (const code of TOKEN_FAULTS) refused.inc({ code }, 0);
  const unparsed = counter('unparsed_requests_total');
  const dropped = counter('access_log_dropped_lines_total');
  const faults = counter('origin_errors_total');
  for (const kind of ORIGIN_FAULTS) faults.inc({ kind }, 0);
  // Whenever the primary process asks.
  if (cluster.isWorker)
    process.on('message', (message) => {
      if (message === QUESTION) register.getMetricsAsJSON().then((metrics) => process.send?.({ metrics }));
    });
  /** An error that no client caused. */
  const failed = (error: unknown): void => {
    if (isStorageError(error)) faults.inc({ kind: error instanceof OriginError ? error.reason : 'damaged' });
  };
  return {
    failed,
    /** The response of a request has ended. */
    count({ route, status, bytes, ms, isCut, code }: EndedRequest) {
      responses.inc({ class: CLASSES[Math.floor(status / 100)] });
      sent.inc(bytes);
      if (isCut) cut.inc();
      if (code !== undefined) refused.inc({ code });
      // Routes are a fixed set: request text as a label would let clients fill the memory.
      duration.observe({ route: route ?? 'other', status: status || 'none' }, ms / MS_PER_SECOND);
    },
    unparsed: () => unparsed.inc(),
    /** A line of the access log could not be written. */
    droppedLine: () => dropped.inc(),
    gauge,
    /**
     * Reports which release is served, and what becomes of current.json.
     * @returns is called after each look at it, with its error if it failed
     */
    releases(releases: { readonly current: LoadedRelease | undefined }): (error?: unknown) => void {
      let served = releases.current;
      let servedSince = Date.now();
      let isRefused = false;
      let readAt = performance.now();
      gauge('release_info', () =>
        releases.current === undefined ? [] : [[{ release: releases.current.id, digest: releases.current.digest }, 1]],
      );
      gauge('release_loaded_timestamp_seconds', () => (served === undefined ? 0 : servedSince / MS_PER_SECOND));
      gauge('release_refused', () => Number(isRefused));
      gauge('pointer_age_seconds', () => (performance.now() - readAt) / MS_PER_SECOND);
      return (error) => {
        if (served !== releases.current) [served, servedSince] = [releases.current, Date.now()];
        if (error instanceof OriginError) failed(error);
        if (error instanceof OriginError && error.path === CURRENT_PATH) return;
        // It was read, whatever else is wrong.
        readAt = performance.now();
        isRefused = error !== undefined;
      };
    },
    /** Reports how old the keys of issuers are. */
    keys(issuers: ReadonlyMap<string, Pick<KeySource, 'ageMs'>>) {
      gauge('keys_age_seconds', () =>
        [...issuers].flatMap(([issuer, { ageMs }]) =>
          ageMs === undefined ? [] : [[{ issuer }, ageMs() / MS_PER_SECOND] as const],
        ),
      );
    },
  };
}

/** Starts to count workers that are replaced, in the process that starts them. @returns counts one */
export function countRestarts(): () => void {
  const restarts = counter('worker_restarts_total');
  return () => restarts.inc();
}

function described(name: keyof typeof METRICS) {
  const { help, labels = [], ofWorkers = 'sum' }: Metric = METRICS[name];
  return { name: `boundaries_${name}`, help, labelNames: [...labels], aggregator: ofWorkers };
}

function counter(name: NameOf<'counter'>): Counter {
  return new Counter(described(name));
}

/** Reports a state that `read` returns, whenever the metrics are asked for. */
function gauge(name: NameOf<'gauge'>, read: () => Values): void {
  const gauge: Gauge = new Gauge({
    ...described(name),
    collect() {
      const values = read();
      if (typeof values === 'number') return gauge.set(values);
      // A release that is no longer served leaves.
      gauge.reset();
      for (const [labels, value] of values) gauge.set(labels, value);
    },
  });
}

/**
 * The server for Prometheus: GET /metrics. In the primary process of a cluster it adds up its own metrics and those
 * of all workers.
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
  const own = await register.getMetricsAsJSON();
  return AggregatorRegistry.aggregate([own, ...reports.filter((report) => report !== undefined)]).metrics();
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
