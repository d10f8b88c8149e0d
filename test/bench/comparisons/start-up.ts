// How soon the proxy answers after its start, and how much memory it holds: then, and after all kinds of requests.
import { peakOf } from '../load/load.ts';
import type { Figures, Row } from '../measure/measure.ts';
import type { Question } from '../requests/questions.ts';
import { hotPath } from '../requests/targets.ts';
import { startNode } from '../servers/servers.ts';
import { receive } from '../servers/service.ts';
import { type Bench, cycleOf } from './limit.ts';

const LOAD_SECONDS = 2;

/** From the start of the process to its first answer, beside Node that starts an empty server. */
export async function measureStart({ service, release, loads, rounds }: Bench): Promise<Row> {
  const figures: Figures = [];
  let resident = 0;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const proxy = await service.start(release.out);
    await receive(proxy.url + hotPath(release), service.headers('gzip'));
    const subject = (performance.now() - begun) / 1000;
    resident = Math.max(resident, proxy.memory().most);
    await proxy.stop();
    const program = `require('http').createServer().listen(0, '127.0.0.1', function () {
      console.log('http://127.0.0.1:' + this.address().port); });`;
    const empty = await startNode(loads.machine, ['-e', program]);
    await empty.stop();
    figures.push({ subject, control: empty.startSeconds });
  }
  const units = release.levels.reduce((sum, { features }) => sum + features, 0).toLocaleString('en');
  const metadata = `${(release.metadataBytes / 1e6).toFixed(1)} MB of manifests and indexes`;
  return {
    what: `start to first answer: ${units} units, ${metadata}, then ${Math.round(resident)} MB resident at most`,
    control: 'Node that starts a server of two lines',
    unit: 's',
    figures,
    target: '0.5 s and 130 MB with 400,000 units, stretch 0.35 s and 100 MB',
  };
}

/** Resident memory of one proxy after every question, beside the same proxy before. @throws Error when an answer fails */
export async function measureMemory(bench: Bench, questions: readonly Question[]): Promise<Row> {
  const proxy = await bench.service.start(bench.release.out);
  try {
    const control = proxy.memory().now;
    for (const question of questions) await peakOf(bench.loads, proxy.url, cycleOf(bench, question), LOAD_SECONDS);
    const { now, most } = proxy.memory();
    const names = questions.map(({ name }) => name).join(', ');
    return {
      what: `resident memory after ${LOAD_SECONDS} s each of ${names} (${Math.round(most)} MB at most)`,
      control: 'the same proxy when it has started',
      unit: 'MB',
      figures: [{ subject: now, control }],
      target: '200 MB with 400,000 units, stretch 160 MB',
    };
  } finally {
    await proxy.stop();
  }
}
