// The proxy over a directory beside a bare Node server that sends bodies of the same sizes from memory.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Load } from '../measure/load.ts';
import { type Row, spread } from '../measure/measure.ts';
import type { Question } from '../requests/questions.ts';
import { startScript } from '../servers/servers.ts';
import { bodySizes } from '../servers/service.ts';
import { type Bench, type Figures, freshProxy, measureBeside, writeTargets } from './compare.ts';

/** How many real bodies the control's sizes are those of. */
const SAMPLED_BODIES = 500;

/**
 * Measures one question.
 * @param out the output folder that the proxy serves
 * @param isCold whether the page cache is emptied before each figure of the proxy
 * @returns the row of requests a second, and the row of p99 where the question has one
 * @throws Error when an answer fails, a stored page has another length than its manifest says, or targets run out
 */
export async function compareWithBareNode(
  bench: Bench,
  out: string,
  question: Question,
  isCold = false,
): Promise<Row[]> {
  const { name, coding, isTailMeasured, goal } = question;
  const sizes = await sampleSizes(bench, out, question);
  const sizesFile = join(bench.folder, `${name}.sizes.json`);
  writeFileSync(sizesFile, JSON.stringify(sizes));
  const control = await startScript('test/bench/servers/control.ts', [sizesFile, coding]);
  const what = `${question.what}, ${coding}${isCold ? ', page cache dropped before' : ''}`;
  const proxy = freshProxy(bench, out, question, isCold);
  const figures = await measureBeside(
    bench.rounds,
    what,
    proxy,
    controlLoad(bench, control.url, question),
    isTailMeasured && !isCold,
  ).finally(() => control.stop());
  const bytes = `${Math.round(spread(sizes).median).toLocaleString('en')} bytes in the median`;
  const bare = `bare Node server sending bodies of the same sizes from memory (${bytes})`;
  const peak = { what, control: bare, unit: 'requests/s', figures: figures.peaks, target: isCold ? 'none' : goal };
  return [peak, ...tailRow(what, figures.tails)];
}

/** The row of p99; none where it was not measured. */
function tailRow(what: string, figures: Figures): Row[] {
  if (figures.length === 0) return [];
  const target = '<= 2, stretch 1.2';
  return [
    { what: `${what}: p99 at half of the peak`, control: 'the same, at the same rate', unit: 'ms', figures, target },
  ];
}

/** The control answers whatever is asked: any target of any length will do. */
function controlLoad({ service, seconds, folder }: Bench, url: string, { name, coding, targets }: Question): Load {
  const paths = targets.slice(0, SAMPLED_BODIES).map(({ path }) => path);
  const file = writeTargets(join(folder, `${name}.control`), paths);
  const list = { file, first: 1, last: paths.length, order: 'again' } as const;
  return { url, headers: service.headers(coding), seconds, targets: list };
}

/** The sizes of some bodies. The list is shuffled, so its first targets are as good as any. */
async function sampleSizes({ service }: Bench, out: string, { coding, targets }: Question): Promise<number[]> {
  const sample = targets.slice(0, SAMPLED_BODIES);
  const proxy = await service.start(out);
  try {
    const paths = sample.map(({ path }) => path);
    const sizes = await bodySizes(proxy.url, paths, service.headers(coding));
    for (const [i, { path, bytes }] of sample.entries())
      if (bytes !== undefined && bytes !== sizes[i])
        throw new Error(`${path} has ${sizes[i]} bytes, expected the ${bytes} of a stored page`);
    return sizes;
  } finally {
    await proxy.stop();
  }
}
