// The generator's command line. Only this file reads arguments, prints and sets the exit code.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import type { Release } from '../format/release.ts';
import { type BuildOptions, build } from './build.ts';
import { BuildError } from './failure.ts';
import { MAX_PRECISION } from './geometry.ts';
import { ACCEPTABLE } from './plan.ts';
import { readCurrent } from './publish.ts';
import { reportTo } from './report.ts';
import { writeSample } from './sample.ts';
import { writeSynthetic } from './synthetic.ts';

const SAMPLE_RELEASE = 'sample';

await yargs(hideBin(process.argv))
  .scriptName('generator')
  .usage('Publishes administrative boundaries as static pages.\n\n$0 <command>')
  .command(
    'build',
    'build a release from a dataset and make it current',
    (args) =>
      args
        .option('source', { type: 'string', array: true, describe: 'file or folder that GDAL reads; may be repeated' })
        .option('sample', { type: 'boolean', describe: 'build the sample dataset instead of a source' })
        .option('out', { type: 'string', default: 'output', describe: 'output folder' })
        .option('release', { type: 'string', describe: 'id of the release, e.g. 2026-11' })
        .option('precision', {
          type: 'number',
          default: 7,
          describe: `decimals of the coordinates, 0 to ${MAX_PRECISION}`,
        })
        .option('levels', {
          type: 'string',
          array: true,
          default: LEVELS.map(levelName),
          describe: 'levels to publish',
        })
        .option('layer', { type: 'string', array: true, default: [], describe: 'layer of a level, e.g. lv3=communes' })
        .option('gid-column', {
          type: 'string',
          array: true,
          default: [],
          describe: 'column of the GIDs, e.g. lv0=ISO3',
        })
        .option('accept', {
          choices: ACCEPTABLE,
          array: true,
          default: [],
          describe: 'faults of the data to publish as they are',
        })
        .option('attribution', {
          type: 'string',
          array: true,
          default: [],
          describe: 'who must be named; may be repeated',
        })
        .option('workers', { type: 'number', default: availableParallelism(), describe: 'child processes' })
        .option('unless-published', { type: 'boolean', describe: 'do nothing where a release is current already' })
        .check((argv) => {
          if (!argv.sample === !argv.source) throw new Error('name the dataset with --source FILE, or take --sample');
          if (!argv.sample && !argv.release) throw new Error('name the release with --release ID');
          return true;
        })
        .example('$0 build --source gadm_410-levels.gpkg --release 4.1', 'publish GADM into output/'),
    async (argv) => {
      if (argv.unlessPublished && readCurrent(argv.out)) return;
      const source = argv.sample ? [await makeSample(argv.out)] : (argv.source ?? []);
      const options: BuildOptions = {
        source,
        out: argv.out,
        release: argv.release ?? SAMPLE_RELEASE,
        precision: wholeNumber('--precision', argv.precision, 0, MAX_PRECISION),
        levels: argv.levels.map((name) => levelFrom('--levels', name)),
        layers: byLevel('--layer', argv.layer),
        gidColumns: byLevel('--gid-column', argv.gidColumn),
        workers: wholeNumber('--workers', argv.workers, 1, 1024),
        accept: argv.accept,
        attribution: argv.attribution,
      };
      const started = performance.now();
      const release = await build(options, reportTo(process.stderr));
      console.log(summaryOf(release, (performance.now() - started) / 1000));
    },
  )
  .command(
    'sample',
    'make a GeoPackage to try things on',
    (args) =>
      args
        .option('out', { type: 'string', demandOption: true, describe: 'GeoPackage to write' })
        .option('synthetic', {
          type: 'number',
          describe: 'make six levels of about N invented units instead of real ones',
        })
        .example('$0 sample --out sample.gpkg', 'real countries, and units of Spain and the United States')
        .example('$0 sample --out big.gpkg --synthetic 400000', "invented units, as many as GADM's"),
    async (argv) => {
      if (argv.synthetic === undefined) await writeSample(argv.out);
      else await writeSynthetic(argv.out, wholeNumber('--synthetic', argv.synthetic, 1, 10_000_000));
    },
  )
  .demandCommand(1, 'name a command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error, parser) => {
    if (error && !(error instanceof BuildError)) console.error(error);
    else if (error instanceof BuildError) console.error(`error: ${error.message}\n  what to do: ${error.remedy}`);
    else console.error(`${message}\n\n${parser.help()}`);
    process.exit(1);
  })
  .parseAsync();

async function makeSample(out: string): Promise<string> {
  const file = join(out, 'sample.gpkg');
  await writeSample(file, { overwrite: true });
  return file;
}

function levelFrom(option: string, name: string): Level {
  const level = LEVELS.find((known) => levelName(known) === name || String(known) === name);
  if (level === undefined)
    throw new BuildError(`${option} ${name}: not a level`, `use ${LEVELS.map(levelName).join(', ')}`);
  return level;
}

function byLevel(option: string, entries: readonly string[]): Partial<Record<Level, string>> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [name, value] = [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)];
      if (!entry.includes('=') || value === '')
        throw new BuildError(`${option} ${entry}: not LEVEL=NAME`, `write ${option} lv0=NAME`);
      return [levelFrom(option, name), value];
    }),
  );
}

function wholeNumber(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BuildError(`${option} ${value}: out of range`, `give a whole number from ${least} to ${most}`);
}

function summaryOf(release: Release, seconds: number): string {
  const rows = release.levels.map((level) => [
    levelName(level.level),
    level.layer || '-',
    level.features,
    level.listings,
    level.pages.geojsonl,
    level.pages.fc,
    level.bytes,
  ]);
  const head = ['level', 'layer', 'features', 'listings', 'geojsonl', 'fc', 'bytes'];
  const total = ['total', '', ...[2, 3, 4, 5, 6].map((i) => rows.reduce((sum, row) => sum + Number(row[i]), 0))];
  const text = [head, ...rows, total].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  );
  const widths = head.map((_, i) => Math.max(...text.map((row) => row[i]?.length ?? 0)));
  const lines = text.map((row) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return `${lines.join('\n')}\n\nrelease ${release.release} is current, built in ${seconds.toFixed(1)} s`;
}
