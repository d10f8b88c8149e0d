// The commands `build`, which builds a release, or one shard of it, or estimates its size, and `seal`, which publishes
// a release from its shards.
import { join } from 'node:path';
import { UsageError } from '../../format/command-line/messages.ts';
import type { RecordedBuild } from '../../format/recorded-build.ts';
import { TILES_ZOOM_MAX } from '../../format/tiles.ts';
import { type BuildOptions, build } from '../build.ts';
import { publishChanges } from '../changes/publish-changes.ts';
import {
  ACTIVATE,
  defineCommand,
  exitOnSignal,
  type GlobalOptions,
  OUT,
  printResult,
  RELEASE,
  reportOf,
  SIGN_KEY,
  SIGN_TIME,
  WORKERS,
  WORKERS_MAX,
} from '../cli/command.ts';
import {
  bytesFrom,
  calendarDate,
  instant,
  releaseId,
  requireSource,
  shareFrom,
  wholeNumber,
} from '../cli/parse-options.ts';
import { buildTable, changesTable, forecastTable, phaseTable } from '../cli/tables.ts';
import { MAX_PRECISION } from '../geojson/geometry.ts';
import { DEFAULTS } from '../options/defaults.ts';
import { contentOptionsFrom, geometriesFrom, licenceFrom, optionsOf } from '../options/option-texts.ts';
import { readRecordedBuild } from '../release/manage.ts';
import { withLock } from '../release/output-lock.ts';
import { readSigningKey } from '../release/sign.ts';
import { readCurrent } from '../release/staging.ts';
import { BuildError, toBuildError } from '../report/errors.ts';
import type { Phase } from '../report/phases.ts';
import type { Report } from '../report/progress.ts';
import { buildShard, seal } from '../shards/sharded-build.ts';
import type { TaggedOption } from '../source/source-options.ts';
import { openPool } from '../workers/pool.ts';
import { addBuildOptions } from './build-options.ts';
import { sampleModule } from './sample.ts';

const SAMPLE_RELEASE = 'sample';

export const buildCommand = defineCommand({
  command: 'build',
  describe: 'build a release from a dataset and make it current',
  builder: (args) =>
    addBuildOptions(args)
      .example(
        '$0 build --source gadm_410-levels.gpkg --release gadm-4.1 --accept null-gids duplicate-gids',
        'build and publish GADM in output/',
      )
      .example(
        '$0 build --source fylker.gml kommuner.gml --release norway --gid-column lv1=fylkesnummer lv2=kommunenummer --parent-by-place lv2',
        'build and publish regions and municipalities',
      )
      .example('$0 build --source planet.gpkg --release planet-1 --dry-run', 'compare the choices of --pages')
      .example(
        '$0 build --source gadm_420-levels.gpkg --release gadm-4.2 --like gadm-4.1',
        'build the next release with the same options',
      )
      .example(
        '$0 build --source planet.gpkg --release planet-1 --shard 0/8',
        'build on eight machines: the first shard',
      ),
  async handler(argv) {
    if (argv.unlessPublished && readCurrent(argv.out)) return;
    const like = argv.like === undefined ? undefined : readRecordedBuild(argv.out, argv.like);
    requireSource(argv, like);
    const recorded = { ...DEFAULTS, licence: undefined, ...(like && optionsOf(like)) };
    const settings = {
      ...recorded,
      source: [],
      ...contentOptionsFrom(argv),
      out: argv.out,
      release: releaseId('--release', argv.release ?? SAMPLE_RELEASE),
      date: argv.date === undefined ? undefined : calendarDate('--date', argv.date),
      precision: wholeNumber('--precision', argv.precision ?? recorded.precision, 0, MAX_PRECISION),
      workers: wholeNumber('--workers', argv.workers, 0, WORKERS_MAX),
      spaceCheck: argv.spaceCheck,
      memory: argv.memory === undefined ? DEFAULTS.memory : bytesFrom('--memory', argv.memory),
      storedPages: argv.pages ?? recorded.storedPages,
      geometries: argv.geometry === undefined ? recorded.geometries : geometriesFrom(argv.geometry),
      cells: argv.cells ?? recorded.cells,
      tiles: argv.tiles === undefined ? recorded.tiles : tilesZoom(argv.tiles),
      neighbours: argv.neighbours ?? recorded.neighbours,
      parquet: argv.parquet ?? recorded.parquet,
      licence: argv.licence === undefined ? recorded.licence : licenceFrom(argv.licence),
      activate: argv.activate,
      ...signingFrom(argv),
    };
    const share = argv.shard === undefined ? undefined : shareFrom(argv.shard);
    if (share !== undefined && argv.changes)
      throw new UsageError('--changes with --shard: a shard is no release', 'run changes after seal');
    if (settings.workers > 0) exitOnSignal();
    const source = argv.sample ? await writeSampleIn(settings) : { source: settings.source };
    const options: BuildOptions = { ...settings, ...source };
    if (argv.dryRun) await printForecast(options, argv);
    else if (share !== undefined) {
      const { report, phases } = measuring(argv);
      await buildShard(options, share, report);
      const { release } = options;
      const done = `shard ${argv.shard} of release ${release} is written; after the last shard, run seal ${release}`;
      printResult(argv, { release, shard: argv.shard, phases }, `${phaseTable(phases)}\n\n${done}`);
    } else
      await buildAndPrint(options, argv, { hasChanges: argv.changes === true, isSample: argv.sample === true, like });
  },
});

export const sealCommand = defineCommand({
  command: 'seal <release>',
  describe: 'publish a release from its shards',
  builder: (args) =>
    args
      .option('out', OUT)
      .positional('release', RELEASE)
      .option('activate', ACTIVATE)
      .option('sign-key', SIGN_KEY)
      .option('time', SIGN_TIME)
      .option('workers', WORKERS)
      .example('$0 seal planet-1', 'after build --shard 0/4, 1/4, 2/4 and 3/4'),
  async handler(argv) {
    const release = releaseId('seal', argv.release);
    const workers = wholeNumber('--workers', argv.workers, 0, WORKERS_MAX);
    if (workers > 0) exitOnSignal();
    const options = { ...signingFrom(argv), workers, report: reportOf(argv) };
    const built = await seal(argv.out, release, argv.activate, options);
    const state = argv.activate ? 'current' : 'published';
    printResult(argv, built, `${buildTable(built)}\n\nrelease ${release} is ${state}`);
  },
});

/** The deepest zoom of tiles; undefined for none. @param given false for `--no-tiles` @throws UsageError */
function tilesZoom(given: string | boolean): number | undefined {
  if (given === false || given === 'none') return undefined;
  return wholeNumber('--tiles', given === '' ? NaN : Number(given), 0, TILES_ZOOM_MAX);
}

/** With which key a release is signed, and when. @throws UsageError if there is a time and no key */
function signingFrom({ signKey, time }: { signKey: string | undefined; time: string | undefined }) {
  if (signKey === undefined && time !== undefined)
    throw new UsageError(`--time ${time} without --sign-key: nothing is signed`, 'add --sign-key FILE, or omit --time');
  return {
    signKey: signKey === undefined ? undefined : readSigningKey(signKey),
    signTime: time === undefined ? undefined : instant('--time', time),
  };
}

async function printForecast(options: BuildOptions, global: GlobalOptions): Promise<void> {
  const { forecast } = await import('../estimate/estimate.ts');
  const expected = await forecast(options, reportOf(global));
  printResult(global, expected, `${forecastTable(expected)}\n\nBytes are estimates. Nothing was published.`);
}

async function buildAndPrint(
  options: BuildOptions,
  global: GlobalOptions,
  { hasChanges, isSample, like }: { hasChanges: boolean; isSample: boolean; like: RecordedBuild | undefined },
): Promise<void> {
  const started = performance.now();
  const before = readCurrent(options.out)?.release;
  const { report, phases } = measuring(global);
  // The data of the sample is known: who builds it wants to see the service.
  const built = await build(options, isSample ? { ...report, preview() {} } : report);
  const changes = hasChanges ? [await changesSince(before, options, global)] : [];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { release, activate } = options;
  const replaced = before === undefined || before === release ? '' : `, in place of ${before}`;
  const state = activate ? `is current${replaced}` : `is published; to make it current, run activate ${release}`;
  const units = built.levels.reduce((sum, { features }) => sum + features, 0).toLocaleString('en');
  const end = isSample
    ? `release ${release} with ${units} units ${state} (${seconds} s)`
    : `release ${release} ${state} (${seconds} s)`;
  const tables = isSample ? changes : [buildTable(built, like), ...changes, phaseTable(phases)];
  printResult(global, { ...built, phases }, [...tables, end].join('\n\n'));
}

/** Publishes what became of the units since the release that was current before. @throws BuildError that says so */
async function changesSince(
  before: string | undefined,
  { out, release, signKey, workers }: BuildOptions,
  global: GlobalOptions,
): Promise<string> {
  if (before === undefined || before === release)
    return before === release ? `No changes: ${release} was current before.` : 'No changes: no release was current.';
  const pool = openPool(workers);
  const report = reportOf(global);
  try {
    const pair = { out, from: before, to: release };
    return changesTable(await publishChanges(pair, signKey, pool, report, (write) => withLock(out, write)));
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    throw new BuildError([`release ${release} is published, its changes are not:`, ...error.lines], error.remedy);
  } finally {
    await pool.close();
    report.end();
  }
}

/** A report of a build, and the phases that are in it at the end. */
function measuring(global: GlobalOptions): { report: Report; phases: readonly Phase[] } {
  const phases: Phase[] = [];
  return { report: { ...reportOf(global), measured: (all) => phases.push(...all) }, phases };
}

/** The columns for whose level and tag an option, or the release that it is built like, names none. */
function unnamed(own: readonly TaggedOption[], named: readonly TaggedOption[]): TaggedOption[] {
  return own.filter(({ level, tag }) => !named.some((other) => other.level === level && other.tag === tag));
}

/** What differs in a build of the sample dataset. */
type SampleOptions = Pick<BuildOptions, 'source' | 'stated' | 'accept' | 'languageColumns' | 'codeColumns'>;

/**
 * Writes the sample dataset in the output folder; returns the file, whom each level credits, what is accepted, and its
 * columns of languages and codes, unless columns are chosen.
 */
async function writeSampleIn({
  out: folder,
  accept,
  columns = [],
  languageColumns = [],
  codeColumns = [],
}: Omit<BuildOptions, 'source'>): Promise<SampleOptions> {
  const file = join(folder, 'sample.gpkg');
  const { writeSample, LEVEL_ATTRIBUTION, SAMPLE_ACCEPTED, SAMPLE_COLUMNS } = await sampleModule();
  try {
    writeSample(file, { overwrite: true });
  } catch (error) {
    throw toBuildError(error, folder);
  }
  const own = columns.length === 0 ? SAMPLE_COLUMNS : { languageColumns: [], codeColumns: [] };
  return {
    source: [file],
    stated: LEVEL_ATTRIBUTION,
    accept: [...new Set([...accept, ...SAMPLE_ACCEPTED])],
    languageColumns: [...unnamed(own.languageColumns, languageColumns), ...languageColumns],
    codeColumns: [...unnamed(own.codeColumns, codeColumns), ...codeColumns],
  };
}
