// How long a complete build takes beside plain ogr2ogr dumps of the same layers, with each choice of --pages. Run as
// `npm run bench:generate`; without --source it measures a synthetic dataset. With --before FOLDER, a checkout of
// another version, it measures CPU time and memory of a build with both versions in turn instead.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { LEVELS, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import type { LayerSource } from '../../generator/source/level-source.ts';
import { describeDataset } from '../../generator/source/level-sources.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { folderOfRun, hasProgram, outputOf, printRows, type Row, secondsOf } from './measure/measure.ts';
import { compiledIn } from './servers/servers.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:generate -- [options] [-- options of build, with --before]\n\nNeeds ogr2ogr for the control.')
  .option('source', { type: 'string', describe: 'a dataset to build; synthetic units when left out' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('pages', {
    choices: STORED_PAGES,
    array: true,
    default: ['all', 'unfiltered'] satisfies StoredPages[],
    describe: 'choices of --pages to measure',
  })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each build and the control are measured' })
  .option('before', { type: 'string', describe: 'a checkout of the version before, which is the control' })
  .parserConfiguration({ 'populate--': true })
  .strict()
  .parseSync();
const { rounds, pages: choices } = values;
const PROGRAM = 'generator/main.ts';
const folder = folderOfRun();
const say = (line: string): void => console.error(line);

/** Ratios to ogr2ogr that the builds aim at. */
const TARGETS: Readonly<Record<StoredPages, string>> = {
  all: '<= 1.25, stretch 1.0',
  unfiltered: '<= 0.6; <= 1.0 with 400,000 units',
  none: 'none',
};

const source = values.source ?? join(folder, 'synthetic.gpkg');
if (values.source === undefined) writeSynthetic(source, values.units);
const out = join(folder, 'output');
if (values.before === undefined) await besideDumps();
else await besideVersion(values.before);

/** Builds with each choice of --pages, and dumps the same layers. */
async function besideDumps(): Promise<void> {
  const { levels } = describeDataset({ source: [source], levels: LEVELS });
  const layers = levels.flatMap((source) => source.layers);
  const hasControl = hasProgram('ogr2ogr');
  if (!hasControl) say('ogr2ogr is not installed (Debian: gdal-bin): builds are not compared with it');
  const rows = choices.map(
    (pages): Row => ({
      what: `a complete build --pages ${pages}: checksums, fsync`,
      control: `${levels.length} runs of ogr2ogr -f GeoJSONSeq -lco COORDINATE_PRECISION=7, one layer each`,
      unit: 's',
      figures: [],
      target: TARGETS[pages],
    }),
  );
  for (let round = 0; round < rounds; round++) {
    const control = hasControl ? await dumpAll(layers) : Number.NaN;
    say(`round ${round + 1} of ${rounds}: ogr2ogr ${control.toFixed(1)} s`);
    for (const [i, pages] of choices.entries()) {
      const subject = await buildOnce(pages);
      elementAt(rows, i).figures.push({ subject, control });
      say(`  --pages ${pages}: ${subject.toFixed(1)} s`);
    }
  }
  printRows(rows);
}

/** Builds with both versions in turn, from their compiled programs. */
async function besideVersion(before: string): Promise<void> {
  const programs = [compiledIn('.', PROGRAM), compiledIn(before, PROGRAM)] as const;
  const row = (what: string, unit: string, target: string): Row => ({
    what,
    control: `the same with ${before}`,
    unit,
    figures: [],
    target,
  });
  const cpu = row('CPU time of a build: user and system, of all processes', 's', '<= 1.0');
  const memory = row('the largest process', 'MB', '<= 1.0');
  for (let round = 0; round < rounds; round++) {
    const subject = await costOf(programs[0]);
    const control = await costOf(programs[1]);
    say(
      `round ${round + 1} of ${rounds}: ${subject.cpuSeconds.toFixed(1)} s, before ${control.cpuSeconds.toFixed(1)} s`,
    );
    cpu.figures.push({ subject: subject.cpuSeconds, control: control.cpuSeconds });
    memory.figures.push({ subject: subject.largestMb, control: control.largestMb });
  }
  printRows([cpu, memory]);
}

/** A shell adds up what all its children took, and theirs. */
async function costOf(program: string): Promise<{ cpuSeconds: number; largestMb: number }> {
  rmSync(out, { recursive: true, force: true });
  const further = [values['--']].flat().filter((option) => option !== undefined);
  const options = ['build', '--source', source, '--out', out, '--release', 'bench', '--quiet', '--json', ...further];
  const printed = await outputOf('sh', ['-c', '"$0" "$@" && times', process.execPath, program, ...options.map(String)]);
  const { phases }: { phases: { largestBytes: number }[] } = JSON.parse(printed.slice(0, printed.lastIndexOf('}') + 1));
  const [, , ...children] = [...printed.slice(printed.lastIndexOf('}')).matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = children.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
  return { cpuSeconds, largestMb: Math.max(...phases.map(({ largestBytes }) => largestBytes)) / 1e6 };
}

async function dumpAll(layers: readonly LayerSource[]): Promise<number> {
  let seconds = 0;
  for (const { path, layer, level } of layers) {
    const file = join(folder, `${level}.geojsonl`);
    seconds += await secondsOf('ogr2ogr', ['-f', 'GeoJSONSeq', '-lco', 'COORDINATE_PRECISION=7', file, path, layer]);
    rmSync(file);
  }
  return seconds;
}

/** @returns its seconds */
async function buildOnce(pages: StoredPages): Promise<number> {
  rmSync(out, { recursive: true, force: true });
  // A measurement is of any dataset, whatever its quality.
  const options = ['--source', source, '--out', out, '--release', 'bench', '--pages', pages, '--accept', ...ACCEPTABLE];
  return await secondsOf(process.execPath, [...process.execArgv, PROGRAM, '--quiet', 'build', ...options]);
}
