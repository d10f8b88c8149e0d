// Which line of Node to recommend: a hot page, ten random features and a build on each, in short bursts that take turns.
// Run as `npm run bench:nodes`; npm installs the Nodes in the user's cache.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { installNode } from '../../.setup/other-node.js';
import { peakOf, TargetCycle } from './load/load.ts';
import { secondsOf, spread } from './measure/measure.ts';
import { releaseToMeasure } from './requests/measured-release.ts';
import { questionOf } from './requests/questions.ts';
import { chooseMachine } from './servers/machine.ts';
import { prepareService } from './servers/service.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:nodes -- [options]\n\nNeeds wrk. Ratios are those to the first line, each of the same round.')
  .option('lines', { type: 'number', array: true, default: [20, 24, 26], describe: 'lines of Node' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units are served' })
  .option('release', { type: 'string', describe: 'an output folder to serve instead' })
  .option('cache', {
    type: 'string',
    default: join(tmpdir(), 'boundaries-bench'),
    describe: 'folder where datasets and releases are kept for the next run',
  })
  .option('rounds', { type: 'number', default: 9, describe: 'bursts on each Node' })
  .option('builds', { type: 'number', default: 3, describe: 'builds of the sample on each Node' })
  .strict()
  .parseSync();

const { lines, rounds, builds } = values;
const folder = mkdtempSync(join(tmpdir(), 'bench-nodes-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const programs: string[] = [];
for (const line of lines) programs.push(await installNode(line));
// Each Node needs a binding of its own, which this compiles where it cannot be downloaded.
for (const program of programs) execFileSync(program, ['.setup/setup.js'], { stdio: 'inherit' });
const release = await releaseToMeasure({ ...values, source: undefined });
const machine = chooseMachine(undefined);
const service = await prepareService(folder, machine);

const loads = { machine, headers: service.headers('gzip'), paced: service.program('test/bench/load/paced.ts'), folder };

for (const name of ['hot', 'slice'] as const) {
  const { what, targets } = questionOf(name, release);
  const cycle = new TargetCycle(
    targets.map(({ path }) => path),
    join(folder, name),
  );
  const servers = await Promise.all(programs.map((program) => service.start(release.out, program)));
  await inTurn(`${what}, requests/s`, rounds, (node) => peakOf(loads, servers[node]?.url ?? '', cycle));
  for (const server of servers) await server.stop();
}
await inTurn('build of the sample, seconds', builds, (node, round) => {
  const out = join(folder, `${node}-${round}`);
  return secondsOf(programs[node] ?? '', [
    service.program('generator/main.ts'),
    'build',
    '--sample',
    '--quiet',
    '--out',
    out,
  ]);
});

/**
 * Measures every Node in each round, and prints the medians. Round 0 warms up.
 * @param measure gets the number of the Node and of the round
 */
async function inTurn(
  what: string,
  count: number,
  measure: (node: number, round: number) => Promise<number>,
): Promise<void> {
  const figures: number[][] = programs.map(() => []);
  for (let round = 0; round <= count; round++)
    for (const [node, known] of figures.entries()) {
      const figure = await measure(node, round);
      if (round > 0) known.push(figure);
    }
  console.log(`\n${what}: median, and ratio to Node ${lines[0]} in the same round (least to greatest)`);
  for (const [node, known] of figures.entries()) {
    const ratio = spread(known.map((figure, round) => figure / (figures[0]?.[round] ?? Number.NaN)));
    const [median, least, greatest] = [ratio.median, ratio.least, ratio.greatest].map((value) => value.toFixed(2));
    const digits = { maximumSignificantDigits: 3 };
    const figure = spread(known).median.toLocaleString('en', digits);
    console.log(`  Node ${lines[node]}  ${figure.padStart(8)}  ${median} (${least} to ${greatest})`);
  }
}
