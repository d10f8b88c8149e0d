#!/usr/bin/env node
// The command line of the generator. The only file that reads arguments, prints, and sets the exit code.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS, levelName, STORED_PAGES } from '../format/levels.ts';
import { coloured } from '../format/terminal.ts';
import { build } from './build.ts';
import { byLevel, levelFrom, shareFrom, wholeNumber } from './cli/parse-options.ts';
import { buildTable, diffTable, forecastTable, releaseTable } from './cli/tables.ts';
import { MAX_PRECISION } from './geojson/geometry.ts';
import { ACCEPTABLE } from './pages/plan.ts';
import { activateRelease, listReleases, pruneReleases } from './release/manage.ts';
import { readCurrent } from './release/staging.ts';
import { BuildError } from './report/errors.ts';
import { missingPackages } from './report/missing-packages.ts';
import { type Report, reportTo, SILENT } from './report/progress.ts';
import { buildShard, seal } from './sharded-build.ts';

const SAMPLE_RELEASE = 'sample';
const SAMPLE_PACKAGES = ['world-atlas', 'us-atlas', 'es-atlas', 'topojson-client', 'i18n-iso-countries'];
/** The name of the program: compiled, it is installed by a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'generator' : 'boundaries-generator';
const out = { type: 'string', default: 'output', describe: 'output folder' } as const;
const activateOption = {
  type: 'boolean',
  default: true,
  describe: 'make the release current; --no-activate to publish it only',
} as const;
const workersOption = {
  type: 'number',
  default: availableParallelism(),
  describe: 'number of child processes; 0 to run in this process',
} as const;

await yargs(hideBin(process.argv))
  .scriptName(PROGRAM)
  .usage('Publishes administrative boundaries as static files.\n\n$0 <command>')
  .option('quiet', { type: 'boolean', describe: 'hide progress' })
  .option('json', { type: 'boolean', describe: 'print the result as JSON' })
  .command(
    'build',
    'build a release from a dataset and make it current',
    (args) =>
      args
        .option('source', {
          type: 'string',
          array: true,
          describe: 'dataset: file or folder in a format that GDAL reads; repeatable',
        })
        .option('sample', { type: 'boolean', describe: 'build the sample dataset instead of --source' })
        .option('out', out)
        .option('release', { type: 'string', describe: 'id of the new release, e.g. 2026-11' })
        .option('activate', activateOption)
        .option('precision', {
          type: 'number',
          default: 7,
          describe: `decimal places of coordinates, 0 to ${MAX_PRECISION}`,
        })
        .option('levels', {
          type: 'string',
          array: true,
          default: LEVELS.map(levelName),
          describe: 'levels to publish',
        })
        .option('layer', {
          type: 'string',
          array: true,
          default: [],
          describe: 'source layer of a level, e.g. lv3=communes',
        })
        .option('gid-column', {
          type: 'string',
          array: true,
          default: [],
          describe: 'column that holds the GIDs of a level, e.g. lv0=ISO3',
        })
        .option('accept', {
          choices: ACCEPTABLE,
          array: true,
          default: [],
          describe: 'data problems to accept; the units are published unchanged',
        })
        .option('pages', {
          choices: STORED_PAGES,
          default: 'all' as const,
          describe: 'pages to store: of all listings, of unfiltered listings only, or none; responses are the same',
        })
        .option('attribution', {
          type: 'string',
          array: true,
          default: [],
          describe: 'attribution text for the data; repeatable',
        })
        .option('workers', workersOption)
        .option('shard', {
          type: 'string',
          describe: 'write only shard i of n (i/n, i from 0 to n - 1); publish all with seal',
        })
        .option('dry-run', {
          type: 'boolean',
          describe: 'estimate files and bytes for each choice of --pages; write nothing',
        })
        .option('unless-published', {
          type: 'boolean',
          describe: 'do nothing if the output folder has a current release',
        })
        .check((argv) => {
          if (!argv.sample === !argv.source)
            throw new BuildError('build needs either --source or --sample', 'add --source FILE, or --sample');
          if (!argv.sample && !argv.release)
            throw new BuildError('build --source needs a release id', 'add one, e.g. --release 2026-11');
          return true;
        })
        .example('$0 build --source gadm_410-levels.gpkg --release gadm-4.1', 'build and publish GADM in output/')
        .example(
          '$0 build --source gadm_410-levels.gpkg --release gadm-4.1 --dry-run',
          'compare the choices of --pages',
        )
        .example(
          '$0 build --source gadm_410-levels.gpkg --release gadm-4.1 --shard 0/8',
          'build on eight machines: the first shard',
        ),
    async (argv) => {
      if (argv.unlessPublished && readCurrent(argv.out)) return;
      const options = {
        source: argv.sample ? [await makeSample(argv.out)] : (argv.source ?? []),
        out: argv.out,
        release: argv.release ?? SAMPLE_RELEASE,
        precision: wholeNumber('--precision', argv.precision, 0, MAX_PRECISION),
        levels: argv.levels.map((name) => levelFrom('--levels', name)),
        layers: byLevel('--layer', argv.layer),
        gidColumns: byLevel('--gid-column', argv.gidColumn),
        workers: wholeNumber('--workers', argv.workers, 0, 1024),
        accept: argv.accept,
        storedPages: argv.pages,
        attribution: argv.attribution,
        activate: argv.activate,
      };
      if (argv.dryRun) {
        const { forecast } = await import('./pages/estimate.ts');
        const expected = forecast(options, reportOf(argv));
        print(argv, expected, `${forecastTable(expected)}\n\nBytes are estimates. Nothing was written.`);
        return;
      }
      if (argv.shard !== undefined) {
        await buildShard(options, shareFrom(argv.shard), reportOf(argv));
        print(
          argv,
          { release: options.release, shard: argv.shard },
          `shard ${argv.shard} of release ${options.release} is written; after the last shard, run seal ${options.release}`,
        );
        return;
      }
      const started = performance.now();
      const built = await build(options, reportOf(argv));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const state = argv.activate ? 'is current' : `is published; to make it current, run activate ${options.release}`;
      print(argv, built, `${buildTable(built)}\n\nrelease ${options.release} ${state} (${seconds} s)`);
    },
  )
  .command(
    'sample',
    'write a sample or synthetic GeoPackage',
    (args) =>
      args
        .option('out', { type: 'string', demandOption: true, describe: 'GeoPackage to write' })
        .option('synthetic', {
          type: 'number',
          describe: 'write about N invented units on six levels instead of real ones',
        })
        .example('$0 sample --out sample.gpkg', 'countries of the world, units of Spain and the United States')
        .example('$0 sample --out big.gpkg --synthetic 400000', 'as many invented units as GADM has'),
    async (argv) => {
      const { writeSynthetic } = await import('./datasets/synthetic/synthetic.ts');
      const written = progressOf(argv, 'units written');
      const synthetic =
        argv.synthetic === undefined ? undefined : wholeNumber('--synthetic', argv.synthetic, 1, 10_000_000);
      const units =
        synthetic === undefined
          ? (await sampleWriter())(argv.out, written).units
          : writeSynthetic(argv.out, synthetic, written);
      const total = units.reduce((sum, count) => sum + count, 0);
      print(
        argv,
        { file: argv.out, units },
        `${argv.out}: ${total.toLocaleString('en')} units, by level ${units.join(', ')}`,
      );
    },
  )
  .command(
    'seal <release>',
    'publish a release from its shards',
    (args) =>
      args
        .option('out', out)
        .positional('release', { type: 'string', demandOption: true, describe: 'release id' })
        .option('activate', activateOption)
        .example('$0 seal planet-1', 'after build --shard 0/4, 1/4, 2/4 and 3/4'),
    async (argv) => {
      const built = await seal(argv.out, argv.release, argv.activate);
      print(
        argv,
        built,
        `${buildTable(built)}\n\nrelease ${argv.release} is ${argv.activate ? 'current' : 'published'}`,
      );
    },
  )
  .command(
    'verify',
    'check every file of a release; with --source, every feature against the dataset',
    (args) =>
      args
        .option('out', out)
        .option('release', { type: 'string', describe: 'release id; default: the current release' })
        .option('source', { type: 'string', array: true, describe: 'dataset of the release; repeatable' })
        .option('workers', workersOption)
        .example('$0 verify', 'check the current release')
        .example('$0 verify --release gadm-4.1 --source gadm_410-levels.gpkg', "compare with GDAL's own reading"),
    async (argv) => {
      const { out: folder, release, source } = argv;
      const workers = wholeNumber('--workers', argv.workers, 0, 1024);
      const { verify } = await import('./verify/verify.ts');
      const verified = await verify({ out: folder, release, source, workers }, reportOf(argv));
      const { files, pages, features, faults } = verified;
      const counts = `${files.toLocaleString('en')} files, ${pages.toLocaleString('en')} pages, ${features.toLocaleString('en')} features`;
      const verdict = coloured(process.stdout, faults.length === 0 ? 'green' : 'red', `${faults.length} faults`);
      const lines = faults.map(({ path, problem }) => `${path}: ${problem}`);
      print(
        argv,
        verified,
        [
          ...lines,
          verified.release === ''
            ? `${folder} has no release to verify`
            : `release ${verified.release}: ${counts}, ${verdict}`,
        ].join('\n'),
      );
      if (faults.length > 0) process.exitCode = 1;
    },
  )
  .command(
    'diff <a> <b>',
    'compare two releases: units by GID, and files',
    (args) =>
      args
        .option('out', out)
        .positional('a', { type: 'string', demandOption: true, describe: 'id of the old release' })
        .positional('b', { type: 'string', demandOption: true, describe: 'id of the new release' })
        .example('$0 diff gadm-4.1 gadm-4.2', 'review a new release before activate'),
    async (argv) => {
      const { diff } = await import('./diff/diff.ts');
      const levels = diff(argv.out, argv.a, argv.b, reportOf(argv));
      print(argv, levels, diffTable(levels));
    },
  )
  .command(
    'list',
    'list the releases of an output folder',
    (args) => args.option('out', out).example('$0 list --json', 'list for a script'),
    async (argv) => {
      const listed = await listReleases(argv.out);
      print(argv, listed, releaseTable(listed));
    },
  )
  .command(
    'activate <release>',
    'make a release current; also rolls back to an old one',
    (args) =>
      args
        .option('out', out)
        .positional('release', { type: 'string', demandOption: true, describe: 'release id' })
        .example('$0 activate gadm-4.1', 'roll back to gadm-4.1'),
    async (argv) => {
      await activateRelease(argv.out, argv.release);
      print(argv, { current: argv.release }, `release ${argv.release} is current`);
    },
  )
  .command(
    'prune',
    'remove old releases; keeps the current one',
    (args) =>
      args
        .option('out', out)
        .option('keep', { type: 'number', demandOption: true, describe: 'number of releases to keep' })
        .example('$0 prune --keep 2', 'keep two releases'),
    async (argv) => {
      const removed = await pruneReleases(argv.out, wholeNumber('--keep', argv.keep, 1, 1_000_000));
      print(argv, { removed }, removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`);
    },
  )
  .demandCommand(1, 'Missing command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error) => {
    // Errors of the command line come without an error object, or with one of yargs' own.
    if (error instanceof BuildError) printError(error);
    else if (error && error.name !== 'YError') console.error(error);
    else printError(new BuildError(oneLine(message), 'add --help to see commands and options'));
    process.exit(1);
  })
  .parseAsync();

function printError({ message, remedy }: BuildError): void {
  console.error(`${coloured(process.stderr, 'red', message)}\n  what to do: ${remedy}`);
}

/** yargs spreads some messages over several lines. */
function oneLine(message: string): string {
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

function reportOf({ quiet }: { quiet?: boolean | undefined }): Report {
  return quiet ? SILENT : reportTo(process.stderr);
}

function progressOf(argv: { quiet?: boolean | undefined }, what: string) {
  const report = reportOf(argv);
  let reported = 0;
  const onProgress = (done: number, total: number): void => {
    if (reported === 0) report.expect(what, total);
    report.advance(what, done - reported);
    reported = done;
    if (done === total) report.end();
  };
  return { onProgress };
}

function print({ json }: { json?: boolean | undefined }, data: unknown, text: string): void {
  console.log(json ? JSON.stringify(data, null, 2) : text);
}

async function makeSample(folder: string): Promise<string> {
  const file = join(folder, 'sample.gpkg');
  const writeSample = await sampleWriter();
  writeSample(file, { overwrite: true });
  return file;
}

/** Loads the sample's code when it is needed: a build of other data runs without the packages of the sample. */
async function sampleWriter(): Promise<typeof import('./datasets/sample/sample.ts').writeSample> {
  const { writeSample } = await import('./datasets/sample/sample.ts').catch((error: unknown) => {
    throw missingPackages('the sample', SAMPLE_PACKAGES, error);
  });
  return writeSample;
}
