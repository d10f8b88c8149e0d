// Which alerts fire by what a proxy's metrics say before a fault and while it lasts: promtool evaluates the rules over
// both, as Prometheus would, without waiting for hours.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { temporaryFolder } from '../temporary-folder.ts';
import { runProgram } from './programs.ts';
import type { Scrape } from './scrape.ts';

const RULES = resolve('proxy/examples/operations/alerts.yml');

/** What Prometheus reads of one target. */
export interface Target {
  job: 'boundaries' | 'node';
  instance: string;
  before: Scrape;
  /** Undefined if it does not answer. */
  after: Scrape | undefined;
}

/** So many times it is read before the fault, and while it lasts. */
const READS = { before: 20, after: 80 };
const INTERVAL_SECONDS = 15;

/** How it goes on. */
interface Course {
  /** Between two reads. */
  intervalSeconds?: number;
  /** An age that the fault lets rise, which goes on while it lasts. */
  rising?: string;
}

/** Fails unless exactly these alerts fire. */
export async function assertFiring(
  targets: readonly Target[],
  alerts: readonly string[],
  { intervalSeconds = INTERVAL_SECONDS, rising }: Course = {},
): Promise<void> {
  const test = {
    interval: `${intervalSeconds}s`,
    input_series: targets.flatMap((target) => seriesOf(target, intervalSeconds, rising)),
    promql_expr_test: [
      {
        expr: `count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[${READS.after * intervalSeconds}s]))`,
        eval_time: `${(READS.before + READS.after - 1) * intervalSeconds}s`,
        exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
  const file = join(temporaryFolder(), 'alerts.test.yml');
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: `${intervalSeconds}s`, tests: [test] }));
  const { status, text } = await runProgram('promtool', ['test', 'rules', file]);
  assert.equal(status, 0, text);
}

/** The series of a target, in promtool's notation. */
function seriesOf({ job, instance, before, after }: Target, intervalSeconds: number, rising: string | undefined) {
  const own = `job="${job}",instance="${instance}"`;
  const up = `${times(1, 0, READS.before)} ${times(after === undefined ? 0 : 1, 0, READS.after)}`;
  const names = new Set([...before.keys(), ...(after?.keys() ?? [])]);
  const series = [...names]
    .filter((name) => name.startsWith('boundaries_'))
    .map((name) => {
      const [metric = '', labels = ''] = name.split(/[{}]/);
      const [was, is] = [before.get(name), after?.get(name)].map((value) => sinceStart(metric, value));
      const growth = metric === rising ? intervalSeconds : 0;
      const values = [times(was, 0, READS.before), times(is, growth, READS.after)];
      return { series: `${metric}{${[own, labels].filter(Boolean).join(',')}}`, values: values.join(' ') };
    });
  return [{ series: `up{${own}}`, values: up }, ...series];
}

/** A number of equal or growing values; of one that is missing, none. */
function times(value: number | undefined, growth: number, count: number): string {
  return value === undefined ? `stale _x${count - 1}` : `${value}+${growth}x${count - 1}`;
}

/** The clock of promtool begins at 0. */
function sinceStart(metric: string, value: number | undefined): number | undefined {
  const isTime = metric.endsWith('_timestamp_seconds') && value !== undefined && value > 0;
  return isTime ? Math.max(1, value - Date.now() / 1000) : value;
}
