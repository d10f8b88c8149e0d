// How long a complete build takes beside plain ogr2ogr dumps of the same layers, with each choice of --pages. Run as
// `npm run bench:generate`; without --source it measures a synthetic dataset.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS, STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { ACCEPTABLE } from '../../generator/quality/findings.ts';
import { describeDataset } from '../../generator/source/level-sources.ts';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { hasProgram, printRows, type Row, secondsOf } from './measure/measure.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:generate -- [options]\n\nNeeds ogr2ogr for the control.')
  .option('source', { type: 'string', describe: 'a dataset to build; synthetic units when left out' })
  .option('units', { type: 'number', default: 20_000, describe: 'how many synthetic units' })
  .option('pages', {
    choices: STORED_PAGES,
    array: true,
    default: ['all', 'unfiltered'] satisfies StoredPages[],
    describe: 'choices of --pages to measure',
  })
  .option('rounds', { type: 'number', default: 3, describe: 'how often each build and the control are measured' })
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .parseSync();
const { rounds, pages: choices } = values;
const folder = mkdtempSync(join(tmpdir(), 'bench-generate-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const say = (line: string): void => console.error(line);

/** Ratios to ogr2ogr that the builds aim at. */
const TARGETS: Readonly<Record<StoredPages, string>> = {
  all: '<= 1.25, stretch 1.0',
  unfiltered: '<= 0.6; <= 1.0 with 400,000 units',
  none: 'none',
};
/** How often the memory of a build is looked at. */
const MEMORY_EVERY_MS = 50;

const source = values.source ?? synthetic(values.units);
const { levels } = describeDataset({ source: [source], levels: LEVELS });
const out = join(folder, 'output');
const rows: Row[] = [];

/** One build. */
interface Build {
  seconds: number;
  /** The most memory that the parent process ever had resident, in MB; NaN where the system does not report it. */
  parentMegabytes: number;
  files: number;
}

const hasControl = hasProgram('ogr2ogr');
if (!hasControl) say('ogr2ogr is not installed (Debian: gdal-bin): builds are not compared with it');
const controls: number[] = [];
const builds = new Map<StoredPages, Build[]>(choices.map((pages) => [pages, []]));
for (let round = 0; round < rounds; round++) {
  const control = hasControl ? await dumpAll() : Number.NaN;
  controls.push(control);
  say(`round ${round + 1} of ${rounds}: ogr2ogr ${control.toFixed(1)} s`);
  for (const [pages, measured] of builds) {
    const build = await buildOnce(pages);
    measured.push(build);
    const { seconds, parentMegabytes, files } = build;
    say(`  --pages ${pages}: ${seconds.toFixed(1)} s, parent ${parentMegabytes.toFixed(0)} MB, ${files} files`);
  }
}
for (const [pages, measured] of builds) {
  const parent = Math.max(...measured.map(({ parentMegabytes }) => parentMegabytes));
  const files = measured[0]?.files.toLocaleString('en');
  rows.push({
    what: `a complete build --pages ${pages}: ${files} files, checksums, fsync; its parent process held at most ${parent.toFixed(0)} MB`,
    control: `${levels.length} runs of ogr2ogr -f GeoJSONSeq -lco COORDINATE_PRECISION=7, one layer each`,
    unit: 's',
    figures: measured.map(({ seconds }, round) => ({ subject: seconds, control: controls[round] ?? Number.NaN })),
    target: TARGETS[pages],
  });
}
printRows(rows, values.json);

function synthetic(units: number): string {
  say(`no --source: measuring ${units} synthetic units`);
  const file = join(folder, 'synthetic.gpkg');
  writeSynthetic(file, units);
  return file;
}

async function dumpAll(): Promise<number> {
  let seconds = 0;
  for (const { path, layer, level } of levels.flatMap((source) => source.layers)) {
    const file = join(folder, `${level}.geojsonl`);
    seconds += await secondsOf('ogr2ogr', ['-f', 'GeoJSONSeq', '-lco', 'COORDINATE_PRECISION=7', file, path, layer]);
    rmSync(file);
  }
  return seconds;
}

async function buildOnce(pages: StoredPages): Promise<Build> {
  rmSync(out, { recursive: true, force: true });
  // A measurement is of any dataset, whatever its quality.
  const accept = ['--accept', ...ACCEPTABLE];
  const options = ['--source', source, '--out', out, '--release', 'bench', '--pages', pages, ...accept];
  const started = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, 'generator/main.ts', '--quiet', 'build', ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  let parentMegabytes = Number.NaN;
  const timer = setInterval(() => {
    parentMegabytes = peakMegabytesOf(child.pid) ?? parentMegabytes;
  }, MEMORY_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`build --pages ${pages} exited with ${code}: ${errors}`);
  const seconds = (performance.now() - started) / 1000;
  const files = readdirSync(join(out, 'releases'), { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return { seconds, parentMegabytes, files: files.length };
}

/** The most memory that a running process ever had resident, in MB. */
function peakMegabytesOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
