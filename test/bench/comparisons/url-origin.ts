// The proxy over a static host (nginx) beside bare http-proxy that passes the same bytes of the same host through.
import { join } from 'node:path';
import type { Row } from '../measure/measure.ts';
import type { Question } from '../requests/questions.ts';
import { startScript } from '../servers/servers.ts';
import { startStaticHost } from '../servers/static.ts';
import { type Bench, freshProxy, measureBeside, writeTargets } from './compare.ts';

/**
 * Measures one question whose targets have a file on the static host.
 * @param out the output folder that nginx serves
 * @throws Error when an answer fails or targets run out
 */
export async function compareWithHttpProxy(bench: Bench, out: string, question: Question, goal: string): Promise<Row> {
  const files = question.targets.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const file = writeTargets(join(bench.folder, `${question.name}.static`), files);
  const host = await startStaticHost(out, bench.folder);
  const forward = await startScript('test/bench/servers/forward.ts', [host.url]);
  try {
    const targets = { file, first: 1, last: files.length, order: 'again' } as const;
    const what = `${question.what}, ${question.coding}, URL origin`;
    const control = { url: forward.url, headers: {}, seconds: bench.seconds, targets };
    const proxy = freshProxy(bench, host.url, question, false);
    const { peaks } = await measureBeside(bench.rounds, what, proxy, control, false);
    const beside = 'bare http-proxy in front of the same nginx, asked for the same bytes';
    return { what, control: beside, unit: 'requests/s', figures: peaks, target: goal };
  } finally {
    await Promise.all([forward.stop(), host.stop()]);
  }
}
