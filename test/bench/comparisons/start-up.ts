// How soon the proxy starts, and how much memory it holds: after its start, and after all kinds of requests.

import { peakOf } from '../measure/load.ts';
import type { Row } from '../measure/measure.ts';
import type { MeasuredRelease } from '../requests/measured-release.ts';
import type { Question } from '../requests/questions.ts';
import { startProgram } from '../servers/servers.ts';
import { type Bench, type Figures, warmUp } from './compare.ts';

/** Seconds from the start of the process to its address in the log, beside Node that starts an empty server. */
export async function measureStart({ service, rounds }: Bench, release: MeasuredRelease): Promise<Row> {
  const { out, levels, metadataBytes } = release;
  const figures: Figures = [];
  let resident = 0;
  for (let round = 0; round < rounds; round++) {
    const proxy = await service.start(out);
    resident = Math.max(resident, proxy.memory().most);
    await proxy.stop();
    figures.push({ subject: proxy.startSeconds, control: await emptyStart() });
  }
  const units = levels.reduce((sum, { features }) => sum + features, 0).toLocaleString('en');
  const metadata = `${(metadataBytes / 1e6).toFixed(1)} MB of manifests and indexes`;
  return {
    what: `proxy start: ${units} units, ${metadata}, then ${Math.round(resident)} MB resident at most`,
    control: 'Node that starts a server of two lines',
    unit: 's',
    figures,
    target: 'at most 1.0 s and 200 MB with 400,000 units, stretch 0.5 s',
  };
}

/**
 * Resident memory of one proxy that was asked every question in turn, each for as long as a measurement takes, beside
 * the same proxy before its first request.
 * @throws Error when an answer fails or targets run out
 */
export async function measureMemory(bench: Bench, out: string, questions: readonly Question[]): Promise<Row> {
  const proxy = await bench.service.start(out);
  try {
    const control = proxy.memory().now;
    for (const question of questions) await peakOf(await warmUp(bench, proxy.url, question));
    const { now, most } = proxy.memory();
    const names = questions.map(({ name }) => name).join(', ');
    return {
      what: `resident memory after ${bench.seconds} s each of ${names} (${Math.round(most)} MB at most)`,
      control: 'the same proxy when it has started',
      unit: 'MB',
      figures: [{ subject: now, control }],
      target: 'at most 200 MB with 400,000 units',
    };
  } finally {
    await proxy.stop();
  }
}

async function emptyStart(): Promise<number> {
  const program = `const server = require('http').createServer();
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;
  const server = await startProgram(['-e', program]);
  await server.stop();
  return server.startSeconds;
}
