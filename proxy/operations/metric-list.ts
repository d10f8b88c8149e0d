// Every metric of ours, by its name after `boundaries_`: what it is, and by which labels. Names follow Prometheus'
// conventions: base units, and _total for what only grows.

/** One metric. */
export interface Metric {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** What one number of several workers is, of a gauge; a counter and a histogram are sums. */
  ofWorkers?: 'sum' | 'max';
}

/** All of them. */
export const METRICS = {
  release_info: {
    type: 'gauge',
    help: 'The release that is served: always 1. Two while workers serve different ones',
    labels: ['release', 'digest'],
    ofWorkers: 'max',
  },
  release_loaded_timestamp_seconds: {
    type: 'gauge',
    help: 'When the release that is served began to be, in seconds since 1970; 0 without one',
    ofWorkers: 'max',
  },
  release_refused: {
    type: 'gauge',
    help: 'current.json names a release that cannot be served, and an older one still is: 1; otherwise 0',
    ofWorkers: 'max',
  },
  pointer_age_seconds: {
    type: 'gauge',
    help: 'Time since current.json was last read, which is tried every second',
    ofWorkers: 'max',
  },
  origin_errors_total: {
    type: 'counter',
    help: 'Files of the origin that could not be read, by what was wrong',
    labels: ['kind'],
  },
  keys_age_seconds: {
    type: 'gauge',
    help: 'Time since the key set of an issuer was last read',
    labels: ['issuer'],
    ofWorkers: 'max',
  },
  refused_tokens_total: { type: 'counter', help: 'Requests whose token was refused, by the reason', labels: ['code'] },
  public: {
    type: 'gauge',
    help: 'Serves everybody without tokens: 1, only with tokens: 0',
    ofWorkers: 'max',
  },
  request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the headers of a request to the end of its response, without health checks',
    labels: ['route', 'status'],
  },
  responses_total: {
    type: 'counter',
    help: 'Responses by the class of their status, without health checks; none: the client left before',
    labels: ['class'],
  },
  requests_running: { type: 'gauge', help: 'Requests in progress', ofWorkers: 'sum' },
  turns_waiting: { type: 'gauge', help: 'Requests and tasks that wait for their turn', ofWorkers: 'sum' },
  sent_bytes_total: { type: 'counter', help: 'Bytes of responses, headers included' },
  held_bytes: {
    type: 'gauge',
    help: 'Bytes of bodies that are read for clients, or not taken by them',
    ofWorkers: 'sum',
  },
  cut_answers_total: { type: 'counter', help: 'Responses that were cut' },
  unparsed_requests_total: { type: 'counter', help: 'Requests that are not HTTP, too large or too slow' },
  access_log_dropped_lines_total: { type: 'counter', help: 'Access log lines that could not be written' },
  worker_restarts_total: { type: 'counter', help: 'Worker processes that exited and were replaced' },
} as const satisfies Record<string, Metric>;

/** The name of a metric after `boundaries_`. */
export type MetricName = keyof typeof METRICS;

/** Those of a type. */
export type NameOf<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
