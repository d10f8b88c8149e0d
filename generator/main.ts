// The generator's command line. Only this file reads arguments, prints and sets the exit code.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { LEVELS, type Level, levelName } from '../format/levels.ts';
import { build } from './build.ts';
import { BuildError } from './failure.ts';
import { MAX_PRECISION } from './geometry.ts';
import type { Share } from './level.ts';
import { ACCEPTABLE } from './plan.ts';
import { readCurrent } from './publish.ts';
import { activateRelease, listReleases, pruneReleases } from './releases.ts';
import { reportTo } from './report.ts';
import { buildShard, seal } from './shards.ts';
import { buildTable, releaseTable } from './tables.ts';

const SAMPLE_RELEASE = 'sample';
const out = { type: 'string', default: 'output', describe: 'output folder' } as const;

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
        .option('unless-published', { type: 'boolean', describe: 'do nothing where a release is current already' })
        .check((argv) => {
          if (!argv.sample === !argv.source) throw new Error('name the dataset with --source FILE, or take --sample');
          if (!argv.sample && !argv.release) throw new Error('name the release with --release ID');
          return true;
        })
        .example('$0 build --source gadm_410-levels.gpkg --release gadm-4.1', 'publish GADM into output/')
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
        attribution: argv.attribution,
        activate: argv.activate,
      };
      if (argv.shard !== undefined) {
        await buildShard(options, shareFrom(argv.shard), reportTo(process.stderr));
        console.log(
          `shard ${argv.shard} of release ${options.release} is written; when all are, seal makes the release`,
        );
        return;
      }
      const started = performance.now();
      const built = await build(options, reportTo(process.stderr));
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const state = argv.activate ? 'is current' : 'is built; activate makes it current';
      console.log(`${buildTable(built)}\n\nrelease ${options.release} ${state}, after ${seconds} s`);
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
      const { writeSample } = await import('./sample.ts');
      const { writeSynthetic } = await import('./synthetic.ts');
      if (argv.synthetic === undefined) writeSample(argv.out);
      else writeSynthetic(argv.out, wholeNumber('--synthetic', argv.synthetic, 1, 10_000_000));
    },
  )
  .command(
    'seal <release>',
    'make a release of its shards, once all are written',
    (args) =>
      args
        .option('out', out)
        .positional('release', { type: 'string', demandOption: true, describe: 'its id' })
        .option('activate', { type: 'boolean', default: true, describe: 'make the release current' }),
    async (argv) => {
      const built = await seal(argv.out, argv.release, argv.activate);
      console.log(`${buildTable(built)}\n\nrelease ${argv.release} is ${argv.activate ? 'current' : 'built'}`);
    },
  )
  .command(
    'list',
    'list the releases of an output folder',
    (args) => args.option('out', out),
    async (argv) => console.log(releaseTable(await listReleases(argv.out))),
  )
  .command(
    'activate <release>',
    'make a release current: switch to a new one, or back to an old one',
    (args) => args.option('out', out).positional('release', { type: 'string', demandOption: true, describe: 'its id' }),
    async (argv) => {
      await activateRelease(argv.out, argv.release);
      console.log(`release ${argv.release} is current`);
    },
  )
  .command(
    'prune',
    'remove old releases, never the current one',
    (args) =>
      args
        .option('out', out)
        .option('keep', { type: 'number', demandOption: true, describe: 'how many releases stay' }),
    async (argv) => {
      const removed = await pruneReleases(argv.out, wholeNumber('--keep', argv.keep, 1, 1_000_000));
      console.log(removed.length === 0 ? 'nothing to remove' : `removed: ${removed.join(', ')}`);
    },
  )
  .demandCommand(1, 'name a command')
  .strict()
  .recommendCommands()
  .wrap(Math.min(120, process.stdout.columns ?? 100))
  .fail((message, error, parser) => {
    if (error instanceof BuildError) console.error(`error: ${error.message}\n  what to do: ${error.remedy}`);
    else console.error(error ?? `${parser.help()}\n\n${message}`);
    process.exit(1);
  })
  .parseAsync();

async function makeSample(folder: string): Promise<string> {
  const file = join(folder, 'sample.gpkg');
  const { writeSample } = await import('./sample.ts');
  writeSample(file, { overwrite: true });
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
      const equals = entry.indexOf('=');
      const value = entry.slice(equals + 1);
      if (equals === -1 || value === '')
        throw new BuildError(`${option} ${entry}: not LEVEL=NAME`, `write ${option} lv0=NAME`);
      return [levelFrom(option, entry.slice(0, equals)), value];
    }),
  );
}

/** `i/n`, 0 <= i < n. */
function shareFrom(text: string): Share {
  const [, shard, shards] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (shard !== undefined && shards !== undefined && shard < shards) return { shard, shards };
  throw new BuildError(`--shard ${text}: not i/n with i from 0 to n - 1`, 'write --shard 0/4 for the first of four');
}

function wholeNumber(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BuildError(`${option} ${value}: out of range`, `give a whole number from ${least} to ${most}`);
}
