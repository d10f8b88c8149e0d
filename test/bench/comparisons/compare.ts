// Requests a second, and latency at half of them, of a proxy that has just started beside a control of the same round.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Load, p99Of, peakOf } from '../measure/load.ts';
import { dropPageCache } from '../measure/page-cache.ts';
import type { Question } from '../requests/questions.ts';
import { bodySizes, type Service } from '../servers/service.ts';

/** What every measurement shares. */
export interface Bench {
  service: Service;
  rounds: number;
  /** How long one measurement takes. */
  seconds: number;
  /** For files of this run. */
  folder: string;
}

/** One figure a round, each beside the control's. */
export type Figures = { subject: number; control: number }[];

/** Measures something by a load; what the load is asked of is prepared before and ended after. */
export type Subject = (measure: (load: Load) => Promise<number>) => Promise<number>;

export const WARM_UP_SECONDS = 1;
/** The last targets of a list are asked for only to warm a process up, so that its code is compiled. */
const WARM_UP_MAX_TARGETS = 10_000;
const WARM_UP_SHARE = 0.1;

/**
 * Measures a subject and its control in turn, round by round.
 * @param what for progress
 * @returns requests a second, and p99 in milliseconds (empty unless `isTailMeasured`)
 * @throws Error when an answer fails or targets run out
 */
export async function measureBeside(
  rounds: number,
  what: string,
  subject: Subject,
  control: Load,
  isTailMeasured: boolean,
): Promise<{ peaks: Figures; tails: Figures }> {
  await peakOf({ ...control, seconds: WARM_UP_SECONDS });
  const peaks: Figures = [];
  const tails: Figures = [];
  for (let round = 0; round < rounds; round++) {
    const figure = { subject: await subject(peakOf), control: await peakOf(control) };
    peaks.push(figure);
    console.error(`${what}: ${Math.round(figure.subject)} beside ${Math.round(figure.control)} requests/s`);
    if (!isTailMeasured) continue;
    const half = Math.floor(Math.min(figure.subject, figure.control) / 2);
    tails.push({ subject: await subject((load) => p99Of(load, half)), control: await p99Of(control, half) });
  }
  return { peaks, tails };
}

/**
 * A proxy for each measurement, newly started, that has answered a few other requests of the same kind.
 * @param origin its `--origin`
 * @param isCold whether the page cache is emptied between those and the measurement
 */
export function freshProxy(bench: Bench, origin: string, question: Question, isCold: boolean): Subject {
  return async (measure) => {
    const proxy = await bench.service.start(origin);
    try {
      const load = await warmUp(bench, proxy.url, question);
      if (isCold) dropPageCache();
      return await measure(load);
    } finally {
      await proxy.stop();
    }
  };
}

/** Warms a proxy up for a question. @returns the load to measure it by */
export async function warmUp({ service, folder, seconds }: Bench, url: string, question: Question): Promise<Load> {
  const { name, coding, order } = question;
  const paths = question.targets.map(({ path }) => path);
  const file = writeTargets(join(folder, `${name}.targets`), paths);
  const headers = service.headers(coding);
  if (order === 'once') {
    const last = paths.length - Math.ceil(Math.min(WARM_UP_MAX_TARGETS, paths.length * WARM_UP_SHARE));
    await bodySizes(url, paths.slice(last), headers);
    return { url, headers, seconds, targets: { file, first: 1, last, order } };
  }
  await bodySizes(url, paths, headers);
  const load = { url, headers, targets: { file, first: 1, last: paths.length, order } };
  await peakOf({ ...load, seconds: WARM_UP_SECONDS });
  return { ...load, seconds };
}

/** Writes targets for wrk. @returns the file */
export function writeTargets(file: string, targets: readonly string[]): string {
  writeFileSync(file, `${targets.join('\n')}\n`);
  return file;
}
