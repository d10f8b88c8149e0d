// The commands `build`, which builds a release, or one shard of it, or estimates its size, and `seal`, which publishes
// a release from its shards.
import { join } from 'node:path';
import { UsageError } from '../../format/command-line/messages.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import type { RecordedBuild } from '../../format/recorded-build.ts';
import { TILES_ZOOM_MAX } from '../../format/tiles.ts';
import { type BuildOptions, build, DEFAULTS } from '../build.ts';
import { publishChanges } from '../changes/publish-changes.ts';
import {
  ACTIVATE,
  defineCommand,
  exitOnSignal,
  type GlobalOptions,
  NUMBER,
  OUT,
  printResult,
  RELEASE,
  reportOf,
  SIGN_KEY,
  SIGN_TIME,
  TEXT,
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
import {
  attributionsFrom,
  geometriesFrom,
  licenceFrom,
  optionsOf,
  sourceOptionsFrom,
} from '../options/option-texts.ts';
import { ACCEPTABLE } from '../quality/findings.ts';
import { readRecordedBuild } from '../release/manage.ts';
import { withLock } from '../release/output-lock.ts';
import { readSigningKey } from '../release/sign.ts';
import { readCurrent } from '../release/staging.ts';
import { BuildError, toBuildError } from '../report/errors.ts';
import type { Phase } from '../report/phases.ts';
import type { Report } from '../report/progress.ts';
import { buildShard, seal } from '../shards/sharded-build.ts';
import { openPool } from '../workers/pool.ts';
import { sampleModule } from './sample.ts';
import { addSourceOptions, LIST } from './source-options.ts';

const SAMPLE_RELEASE = 'sample';

export const buildCommand = defineCommand({
  command: 'build',
  describe: 'build a release from a dataset and make it current',
  builder: (args) =>
    addSourceOptions(args)
      .option('sample', { type: 'boolean', describe: 'build the sample dataset instead of --source' })
      .option('like', {
        ...TEXT,
        describe: 'release whose options to build with, except for those given here: an id, or its folder elsewhere',
      })
      .option('out', OUT)
      .option('release', { ...TEXT, describe: 'id of the new release, e.g. 2026-11' })
      .option('date', {
        ...TEXT,
        describe: 'date of the release, e.g. 2026-11-22; the explorer shows it with the attribution',
      })
      .option('activate', ACTIVATE)
      .option('changes', {
        type: 'boolean',
        describe: 'also publish what became of the units since the release that is current now, as the command changes',
      })
      .option('sign-key', SIGN_KEY)
      .option('time', SIGN_TIME)
      .option('precision', {
        ...NUMBER,
        defaultDescription: String(DEFAULTS.precision),
        describe: `decimal places of coordinates, 0 to ${MAX_PRECISION}`,
      })
      .option('accept', {
        choices: ACCEPTABLE,
        array: true,
        requiresArg: true,
        describe: 'data problems to accept; the units are published unchanged',
      })
      .option('pages', {
        choices: STORED_PAGES,
        requiresArg: true,
        defaultDescription: DEFAULTS.storedPages,
        describe: 'pages to store: of all listings, of unfiltered listings only, or none; responses are the same',
      })
      .option('geometry', {
        ...LIST,
        defaultDescription: DEFAULTS.geometries.join(),
        describe: 'geometries of the units besides full: medium (100 m), low (1 km), point, none; e.g. full,low',
      })
      .option('cells', {
        type: 'boolean',
        defaultDescription: 'true',
        describe: 'answer which units are at a point (contains); --no-cells for a smaller release that does not',
      })
      .option('neighbours', {
        type: 'boolean',
        defaultDescription: 'true',
        describe: 'answer which units share a border (touches), and write them as CSV; --no-neighbours leaves this out',
      })
      .option('tiles', {
        ...TEXT,
        defaultDescription: String(DEFAULTS.tiles),
        describe: `deepest zoom of the vector tiles, 0 to ${TILES_ZOOM_MAX}; none, or --no-tiles, for a release without`,
      })
      .option('licence', {
        ...TEXT,
        describe: 'licence of the data: an SPDX identifier or a URL; recognised downloads have theirs',
      })
      .option('attribution', {
        ...LIST,
        describe: 'attribution text for the data, or for that of one level: "lv3=© ACME"; repeatable',
      })
      .option('workers', WORKERS)
      .option('memory', {
        ...TEXT,
        defaultDescription: 'half of what the machine or its control group has',
        describe: 'memory that the build may use, e.g. 2G: large tasks run beside each other as far as it allows',
      })
      .option('space-check', {
        type: 'boolean',
        default: true,
        describe:
          'refuse a disk with too little space for what is likely to be written; --no-space-check to begin anyway',
      })
      .option('shard', { ...TEXT, describe: 'write only shard i of n (i/n, i from 0 to n - 1); publish all with seal' })
      .option('dry-run', {
        type: 'boolean',
        describe: 'estimate files and bytes for each choice of --pages; publish nothing',
      })
      .option('unless-published', {
        type: 'boolean',
        describe: 'do nothing if the output folder has a current release',
      })
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
      ...sourceOptionsFrom(argv),
      out: argv.out,
      release: releaseId('--release', argv.release ?? SAMPLE_RELEASE),
      date: argv.date === undefined ? undefined : calendarDate('--date', argv.date),
      precision: wholeNumber('--precision', argv.precision ?? recorded.precision, 0, MAX_PRECISION),
      workers: wholeNumber('--workers', argv.workers, 0, WORKERS_MAX),
      spaceCheck: argv.spaceCheck,
      memory: argv.memory === undefined ? DEFAULTS.memory : bytesFrom('--memory', argv.memory),
      accept: argv.accept ?? recorded.accept,
      storedPages: argv.pages ?? recorded.storedPages,
      geometries: argv.geometry === undefined ? recorded.geometries : geometriesFrom(argv.geometry),
      cells: argv.cells ?? recorded.cells,
      tiles: argv.tiles === undefined ? recorded.tiles : tilesZoom(argv.tiles),
      neighbours: argv.neighbours ?? recorded.neighbours,
      licence: argv.licence === undefined ? recorded.licence : licenceFrom(argv.licence),
      attribution: argv.attribution === undefined ? recorded.attribution : knownAttribution(argv.attribution),
      activate: argv.activate,
      ...signingFrom(argv),
    };
    const share = argv.shard === undefined ? undefined : shareFrom(argv.shard);
    if (share !== undefined && argv.changes)
      throw new UsageError('--changes with --shard: a shard is no release', 'run changes after seal');
    if (settings.workers > 0) exitOnSignal();
    const source = argv.sample ? await writeSampleIn(argv.out) : { source: settings.source };
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
      .example('$0 seal planet-1', 'after build --shard 0/4, 1/4, 2/4 and 3/4'),
  async handler(argv) {
    const release = releaseId('seal', argv.release);
    const { signKey, signTime } = signingFrom(argv);
    const built = await seal(argv.out, release, argv.activate, signKey, signTime);
    const state = argv.activate ? 'current' : 'published';
    printResult(argv, built, `${buildTable(built)}\n\nrelease ${release} is ${state}`);
  },
});

/** The same texts. @throws UsageError if one is of a level that there is not */
function knownAttribution(texts: readonly string[]): readonly string[] {
  attributionsFrom(texts);
  return texts;
}

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

/** Writes the sample dataset in a folder; returns the file, and whom each level credits. */
async function writeSampleIn(folder: string): Promise<Pick<BuildOptions, 'source' | 'stated'>> {
  const file = join(folder, 'sample.gpkg');
  const { writeSample, LEVEL_ATTRIBUTION } = await sampleModule();
  try {
    writeSample(file, { overwrite: true });
  } catch (error) {
    throw toBuildError(error, folder);
  }
  return { source: [file], stated: LEVEL_ATTRIBUTION };
}
