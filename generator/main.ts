#!/usr/bin/env node
// The generator's command line. Only this file reads arguments, prints and sets the exit code.
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
/** Compiled, it is a program of a package. */
const PROGRAM = import.meta.url.endsWith('.ts') ? 'generator' : 'boundaries-generator';
const out = { type: 'string', default: 'output', describe: 'output folder' } as const;

await yargs(hideBin(process.argv))
  .scriptName(PROGRAM)
  .usage('Publishes administrative boundaries as static pages.\n\n$0 <command>')
  .option('quiet', { type: 'boolean', describe: 'no progress' })
  .option('json', { type: 'boolean', describe: 'print the result as JSON, for machines' })
  .command(
    'build',
    'build a release from a dataset and make it current',
    (args) =>
      args
        .option('source', { type: 'string', array: true, describe: 'file or folder that GDAL reads; may be repeated' })
        .option('sample', { type: 'boolean', describe: 'build the sample dataset instead of a source' })
        .option('out', out)
        .option('release', { type: 'string', describe: 'id of the release, e.g. 2026-11' })
        .option('activate', {
          type: 'boolean',
          default: true,
          describe: 'make the release current; --no-activate only builds it',
        })
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
        .option('pages', {
          choices: STORED_PAGES,
          default: 'all' as const,
          describe:
            'pages to store as files: of every listing, of unfiltered listings only, or none; the answers are the same',
        })
        .option('attribution', {
          type: 'string',
          array: true,
          default: [],
          describe: 'who must be named; may be repeated',
        })
        .option('workers', { type: 'number', default: availableParallelism(), describe: 'child processes; 0 for none' })
        .option('shard', {
          type: 'string',
          describe: 'write only shard i of n, as i/n from 0/n on; seal then makes the release',
        })
        .option('dry-run', {
          type: 'boolean',
          describe: 'compare the choices of --pages by files and bytes, write nothing',
        })
        .option('unless-published', { type: 'boolean', describe: 'do nothing where a release is current already' })
        .check((argv) => {
          if (!argv.sample === !argv.source)
            throw new BuildError('no dataset is named, or two are', 'name one with --source FILE, or take --sample');
          if (!argv.sample && !argv.release)
            throw new BuildError('the release has no id', 'name it, e.g. --release 2026-11');
          return true;
        })
        .example('$0 build --source gadm_410-levels.gpkg --release gadm-4.1', 'publish GADM into output/')
        .example('$0 build --source gadm_410-levels.gpkg --release gadm-4.1 --dry-run', 'what each --pages costs')
        .example(
          '$0 build --source gadm_410-levels.gpkg --release gadm-4.1 --shard 0/8',
          'the first of eight machines',
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
        print(argv, expected, `${forecastTable(expected)}\n\nbytes are estimated; nothing was written`);
        return;
      }
      if (argv.shard !== undefined) {
        await buildShard(options, shareFrom(argv.shard), reportOf(argv));
        print(
          argv,
          { release: options.release, shard: argv.shard },
          `shard ${argv.shard} of release ${options.release} is written; when all are, seal makes the release`,
        );
        return;
      }
      const started = performance.now();
      const built = await build(options, reportOf(argv));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const state = argv.activate ? 'is current' : 'is built, activate makes it current';
      print(argv, built, `${buildTable(built)}\n\nrelease ${options.release} ${state} (${seconds} s)`);
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
    'make a release of its shards, once all are written',
    (args) =>
      args
        .option('out', out)
        .positional('release', { type: 'string', demandOption: true, describe: 'its id' })
        .option('activate', { type: 'boolean', default: true, describe: 'make the release current' })
        .example('$0 seal planet-1', 'after build --shard 0/4 to 3/4'),
    async (argv) => {
      const built = await seal(argv.out, argv.release, argv.activate);
      print(argv, built, `${buildTable(built)}\n\nrelease ${argv.release} is ${argv.activate ? 'current' : 'built'}`);
    },
  )
  .command(
    'verify',
    'check every file of a release, and with --source every feature against the dataset',
    (args) =>
      args
        .option('out', out)
        .option('release', { type: 'string', describe: 'its id; the current one where none is named' })
        .option('source', { type: 'string', array: true, describe: 'what it was built from' })
        .option('workers', {
          type: 'number',
          default: availableParallelism(),
          describe: 'child processes; 0 for none',
        })
        .example('$0 verify', 'the release that is current')
        .example('$0 verify --release gadm-4.1 --source gadm_410-levels.gpkg', "and against GDAL's own reading"),
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
            ? `no release to verify in ${folder}`
            : `release ${verified.release}: ${counts}, ${verdict}`,
        ].join('\n'),
      );
      if (faults.length > 0) process.exitCode = 1;
    },
  )
  .command(
    'diff <a> <b>',
    'show how two releases differ: units by GID, and page files',
    (args) =>
      args
        .option('out', out)
        .positional('a', { type: 'string', demandOption: true, describe: 'id of the release that is' })
        .positional('b', { type: 'string', demandOption: true, describe: 'id of the release that would be' })
        .example('$0 diff gadm-4.1 gadm-4.2', 'before switching'),
    async (argv) => {
      const { diff } = await import('./diff/diff.ts');
      const levels = diff(argv.out, argv.a, argv.b, reportOf(argv));
      print(argv, levels, diffTable(levels));
    },
  )
  .command(
    'list',
    'list the releases of an output folder',
    (args) => args.option('out', out).example('$0 list --json', 'for a script'),
    async (argv) => {
      const listed = await listReleases(argv.out);
      print(argv, listed, releaseTable(listed));
    },
  )
  .command(
    'activate <release>',
    'make a release current: switch to a new one, or back to an old one',
    (args) =>
      args
        .option('out', out)
        .positional('release', { type: 'string', demandOption: true, describe: 'its id' })
        .example('$0 activate gadm-4.1', 'roll back'),
    async (argv) => {
      await activateRelease(argv.out, argv.release);
      print(argv, { current: argv.release }, `release ${argv.release} is current`);
    },
  )
  .command(
    'prune',
    'remove old releases, never the current one',
    (args) =>
      args
        .option('out', out)
        .option('keep', { type: 'number', demandOption: true, describe: 'how many releases stay' })
        .example('$0 prune --keep 2', 'the newest two stay'),
    async (argv) => {
      const removed = await pruneReleases(argv.out, wholeNumber('--keep', argv.keep, 1, 1_000_000));
      print(argv, { removed }, removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`);
    },
  )
  .demandCommand(1, 'name a command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error, parser) => {
    if (error instanceof BuildError)
      console.error(`${coloured(process.stderr, 'red', 'error:')} ${error.message}\n  what to do: ${error.remedy}`);
    else console.error(error ?? `${parser.help()}\n\n${message}`);
    process.exit(1);
  })
  .parseAsync();

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

/** Whoever has data of their own needs no packages of sample data. */
async function sampleWriter(): Promise<typeof import('./datasets/sample/sample.ts').writeSample> {
  const { writeSample } = await import('./datasets/sample/sample.ts').catch((error: unknown) => {
    throw missingPackages('the sample', SAMPLE_PACKAGES, error);
  });
  return writeSample;
}
