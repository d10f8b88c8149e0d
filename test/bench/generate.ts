// CPU time, memory and seconds of a complete build, beside plain ogr2ogr dumps of the same layers or, with --before
// FOLDER, beside a build by the checkout of another version, in turn. Run as `npm run bench:generate`; without --source
// it measures a synthetic dataset.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS } from '../../format/levels.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { describeDataset } from '../../generator/source/level-sources.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { type Figures, folderOfRun, outputOf, printRow } from './measure.ts';
import { compiledIn } from './servers.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:generate -- [options] [-- options of build]\n\nNeeds ogr2ogr, but with --before.')
  .option('source', { type: 'string', describe: 'a dataset to build; synthetic units when left out' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each build and the control are measured' })
  .option('before', { type: 'string', describe: 'a checkout of the version before, which is the control' })
  .parserConfiguration({ 'populate--': true })
  .strict()
  .parseSync();
const { rounds, before } = values;
const folder = folderOfRun();
const source = values.source ?? join(folder, 'synthetic.gpkg');
if (values.source === undefined) writeSynthetic(source, values.units);
const out = join(folder, 'output');

/** What a command took: CPU time is user and system, of all its processes. */
interface Cost {
  cpuSeconds: number;
  seconds: number;
  /** The largest process of a build. */
  largestMb: number;
}

const build = builder('.');
const control = before === undefined ? dumpAll : builder(before);
const costs: { subject: Cost; control: Cost }[] = [];
for (let round = 0; round < rounds; round++) {
  const cost = { subject: await build(), control: await control() };
  console.error(
    `round ${round + 1} of ${rounds}: ${cost.subject.cpuSeconds.toFixed(1)} s of CPU, control ${cost.control.cpuSeconds.toFixed(1)} s`,
  );
  costs.push(cost);
}
const figures = (of: keyof Cost): Figures =>
  costs.map((both) => ({ subject: both.subject[of], control: both.control[of] }));
const name = before ?? 'ogr2ogr -f GeoJSONSeq -lco COORDINATE_PRECISION=7, one layer each';
printRow('CPU time of a build', 's', name, figures('cpuSeconds'));
printRow('from its start to its end', 's', name, figures('seconds'));
if (before !== undefined) printRow('its largest process', 'MB', name, figures('largestMb'));

/** Builds with the program of a checkout. */
function builder(checkout: string): () => Promise<Cost> {
  const program = compiledIn(checkout, 'generator/main.ts');
  const further = [values['--']].flat().filter((option) => option !== undefined);
  // A measurement is of any dataset, whatever its quality. Another version may not know all names of problems: it gets
  // the one that synthetic units have.
  const accepted = ['--accept', ...(before === undefined ? ACCEPTABLE : ['empty-geometries'])];
  const of = ['--source', source, '--out', out, '--release', 'bench', ...accepted];
  return async () => {
    rmSync(out, { recursive: true, force: true });
    const options = ['build', ...of, '--quiet', '--json', ...further.map(String)];
    const { printed, ...cost } = await costOf(process.execPath, [program, ...options]);
    const { phases }: { phases: { largestBytes: number }[] } = JSON.parse(printed);
    return { ...cost, largestMb: Math.max(...phases.map(({ largestBytes }) => largestBytes)) / 1e6 };
  };
}

/** Dumps the layers of the source. */
async function dumpAll(): Promise<Cost> {
  const total = { cpuSeconds: 0, seconds: 0, largestMb: Number.NaN };
  const { levels } = describeDataset({ source: [source], levels: LEVELS });
  for (const { path, layer, level } of levels.flatMap(({ layers }) => layers)) {
    const file = join(folder, `${level}.geojsonl`);
    const { cpuSeconds, seconds } = await costOf('ogr2ogr', [
      '-f',
      'GeoJSONSeq',
      '-lco',
      'COORDINATE_PRECISION=7',
      file,
      path,
      layer,
    ]);
    rmSync(file);
    total.cpuSeconds += cpuSeconds;
    total.seconds += seconds;
  }
  return total;
}

/** A shell adds up what all its children took, and theirs. */
async function costOf(
  command: string,
  args: readonly string[],
): Promise<Omit<Cost, 'largestMb'> & { printed: string }> {
  const started = performance.now();
  const printed = await outputOf('sh', ['-c', '"$0" "$@" && times', command, ...args]);
  const seconds = (performance.now() - started) / 1000;
  const lines = printed.trimEnd().split('\n');
  const children = [...(lines.pop() ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = children.reduce((sum, [, minutes, own]) => sum + 60 * Number(minutes) + Number(own), 0);
  return { cpuSeconds, seconds, printed: lines.slice(0, -1).join('\n') };
}
